// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What statetest and blocktest share: options in geth's style, running over files in parallel,
// results in order, and how they are printed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <types/hash.hpp>

#include "program/error.hpp"
#include "tracing/json_tracer.hpp"

namespace heddle::node {

class Command;

/// Analysed code kept by each runner. Tests share little code, so a cache of their own saves the
/// workers from waiting for each other.
inline constexpr std::size_t kCodeCacheBytes = std::size_t{32} << 20;

struct TestOptions {
    std::vector<std::string> paths;
    std::string run_pattern;  // regular expression over test names; empty: all
    bool json = false;        // results as geth prints them
    bool human = false;       // one line per case
    bool trace = false;
    JsonTracerOptions tracer;
    bool no_storage = false;  // traces have none
    unsigned workers = 0;     // 0: as many as the machine has
    enum class Engine : std::uint8_t { fast, plain, both } engine = Engine::fast;
};

/// Adds the options above to a command.
void add_test_options(Command command, TestOptions& options);

struct TestResult {
    std::string name;
    std::string fork;
    std::optional<std::size_t> index;  // of the case inside its test
    bool pass = false;
    std::optional<Hash> state_root;
    std::string error;
    /// Why it cannot be judged; empty: it was. Counts neither as passed nor as failed.
    std::string skip;
    std::uint64_t gas_used = 0;
    double best_seconds = 0;  // --bench
};

/// Runs the tests of one file. One object per worker, reused for many files.
class FileRunner {
public:
    virtual ~FileRunner() = default;
    /// Appends one result per case. Errors: InputError when the file is not a fixture.
    virtual void run(const std::string& path, std::vector<TestResult>& results) = 0;
};

/// Decides by name which tests run.
class NameFilter {
public:
    /// Errors: InputError when the pattern is not a regular expression.
    explicit NameFilter(const std::string& pattern);
    [[nodiscard]] bool matches(const std::string& name) const;

private:
    std::shared_ptr<const void> expression_;
};

/// Runs every file named by the options (standard input names them where there are none) and prints
/// the results, last the line `N passed, N failed`, with `, N skipped` where there are such. A file
/// that is no fixture is bad input.
[[nodiscard]] ExitCode run_test_files(
    const TestOptions& options, const std::function<std::unique_ptr<FileRunner>()>& make_runner);

}  // namespace heddle::node
