// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blockchain tests: encoded blocks imported one by one through the path that every block takes
// (decoding, executor, ledger), invalid ones included.
#pragma once

#include <memory>

#include "test_runner.hpp"

namespace heddle::node {

[[nodiscard]] std::unique_ptr<FileRunner> make_block_test_runner(const TestOptions& options);

}  // namespace heddle::node
