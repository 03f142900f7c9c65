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

#include "suites/suite_runner.hpp"

namespace heddle::node {

struct StateTestOptions {
    TestOptions common;
    std::string fork;                  // empty: all
    std::optional<std::size_t> index;  // of the case in its fork; nullopt: all
    bool bench = false;
};

[[nodiscard]] std::unique_ptr<FileRunner> make_state_test_runner(const StateTestOptions& options);

}  // namespace heddle::node
