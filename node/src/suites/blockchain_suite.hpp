// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blockchain tests: encoded blocks imported one by one through the path that every block takes
// (decoding, executor, ledger), invalid ones included.
#pragma once

#include <memory>

#include "inputs/executor_flags.hpp"
#include "suites/suite_runner.hpp"

namespace heddle::node {

struct BlockTestOptions {
    TestOptions common;
    /// With a parallel scheduler each test runs serially first, which records the object sets to be
    /// declared, and both must come to the same.
    ExecutorFlags executor;
};

/// Errors: InputError where the options contradict each other.
[[nodiscard]] std::unique_ptr<FileRunner> make_block_test_runner(const BlockTestOptions& options);

}  // namespace heddle::node
