// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The side of the explorer that the explored atomics talk to.
#pragma once

#include <cstdint>

namespace heddle::test {

enum class OperationKind : std::uint8_t {
    pause,
    load,
    store,
    exchange,
    add,
    compare,
    wait,
    notify
};

struct Operation {
    OperationKind kind = OperationKind::pause;
    std::uint32_t cell = 0;  // which variable, from 1 in order of construction
};

/// A number for a new variable.
[[nodiscard]] std::uint32_t new_cell() noexcept;
/// Before an operation: others may go first.
void before(Operation operation) noexcept;
/// After it, with what the variable holds now: others may go before the plain code that follows.
void after(std::uint64_t value) noexcept;
/// Whether this compare_exchange_weak() fails for no reason.
[[nodiscard]] bool fails_spuriously() noexcept;
/// Sleeps until somebody is notified of the variable of the operation announced last.
void sleep_on_cell() noexcept;
/// Wakes one or all who sleep on the variable.
void wake(std::uint32_t cell, bool wakes_all) noexcept;

}  // namespace heddle::test
