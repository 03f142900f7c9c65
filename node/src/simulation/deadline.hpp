// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Until when a simulation may run.
#pragma once

#include <chrono>

#include "simulation/failure.hpp"

namespace heddle::node::simulation {

/// Thread safety: any.
class Deadline {
public:
    explicit Deadline(std::chrono::steady_clock::time_point until) noexcept : until_(until) {}

    [[nodiscard]] bool has_passed() const noexcept {
        return std::chrono::steady_clock::now() > until_;
    }
    /// For loops. Errors: Failure timed_out.
    void check() const {
        if (has_passed()) throw Failure(FailureKind::timed_out, "request timed out");
    }

private:
    std::chrono::steady_clock::time_point until_;
};

}  // namespace heddle::node::simulation
