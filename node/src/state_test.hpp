// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// State tests: one transaction on a given state, with the state root and the logs it must lead to,
// or the reason why it must be rejected.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "test_runner.hpp"

namespace heddle::vm {
class CodeCache;
}

namespace heddle::node {

struct StateTestOptions {
    TestOptions common;
    std::string fork;                  // empty: all
    std::optional<std::size_t> index;  // of the case in its fork; nullopt: all
    bool bench = false;
};

/// `code_cache` may be shared between runners.
[[nodiscard]] std::unique_ptr<FileRunner> make_state_test_runner(
    const StateTestOptions& options, std::shared_ptr<vm::CodeCache> code_cache);

}  // namespace heddle::node
