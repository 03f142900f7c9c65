// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Command lines of the benchmark programs that bring their own measuring loop: `--name=value`, and
// what scripts/run-bench.sh passes to all programs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace heddle::bench {

/// Every option is asked for by name, with its default and what it means, a phrase for --help;
/// finish() then refuses what nobody asked for.
/// Errors: each function prints what is wrong and ends the program with status 2.
class Arguments {
public:
    /// `--benchmark_out=FILE` is taken as `--json=FILE`; other `--benchmark_...` are ignored.
    /// @param purpose  What the program measures, for --help.
    Arguments(int argc, char** argv, std::string purpose);

    [[nodiscard]] std::string text(const std::string& name, const std::string& fallback,
                                   const std::string& meaning);
    [[nodiscard]] std::uint64_t number(const std::string& name, std::uint64_t fallback,
                                       const std::string& meaning);
    /// Comma-separated.
    [[nodiscard]] std::vector<std::uint64_t> numbers(const std::string& name,
                                                     const std::vector<std::uint64_t>& fallback,
                                                     const std::string& meaning);
    [[nodiscard]] std::vector<std::string> texts(const std::string& name,
                                                 const std::vector<std::string>& fallback,
                                                 const std::string& meaning);
    /// `--name` alone, or `--name=true|false`.
    [[nodiscard]] bool flag(const std::string& name, const std::string& meaning);
    /// After the last option: refuses unknown ones; where --help was given, prints help() and ends
    /// the program with status 0.
    void finish() const;

    /// The purpose, and the options that were asked for with their defaults and meanings.
    [[nodiscard]] std::string help() const;

private:
    struct Option {
        std::string name;
        std::string fallback;
        std::string meaning;
    };

    std::map<std::string, std::string> given_;
    std::vector<Option> known_;
    std::string program_;
    std::string purpose_;
};

}  // namespace heddle::bench
