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

/// Every option is asked for by name; finish() then refuses what nobody asked for.
/// Errors: each function prints what is wrong and ends the program with status 2.
class Arguments {
public:
    /// `--benchmark_out=FILE` is taken as `--json=FILE`; other `--benchmark_...` are ignored.
    Arguments(int argc, char** argv);

    [[nodiscard]] std::string text(const std::string& name, const std::string& fallback);
    [[nodiscard]] std::uint64_t number(const std::string& name, std::uint64_t fallback);
    /// Comma-separated.
    [[nodiscard]] std::vector<std::uint64_t> numbers(const std::string& name,
                                                     const std::vector<std::uint64_t>& fallback);
    [[nodiscard]] std::vector<std::string> texts(const std::string& name,
                                                 const std::vector<std::string>& fallback);
    /// `--name` alone, or `--name=true|false`.
    [[nodiscard]] bool flag(const std::string& name);
    /// After the last option: refuses unknown ones.
    void finish() const;

private:
    std::map<std::string, std::string> given_;
    std::vector<std::string> known_;
    std::string program_;
};

}  // namespace heddle::bench
