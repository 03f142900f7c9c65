// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How a message call or creation ended (YP 8, 9).
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle::vm {

enum class Status : std::uint8_t {
    success,
    revert,  // REVERT: state undone, the gas left is returned
    // Exceptional halts (YP 9.4.2, Z): state undone, all gas consumed. Which one is named may
    // differ between interpreters: the fast one sees a basic block's gas and stack needs together.
    out_of_gas,
    invalid_instruction,
    stack_underflow,
    stack_overflow,
    bad_jump_destination,
    static_mode_violation,       // EIP-214
    return_data_out_of_bounds,   // EIP-211
    contract_address_collision,  // EIP-684, EIP-7610
    code_size_exceeded,          // EIP-170
    init_code_size_exceeded,     // EIP-3860
    invalid_code_prefix,         // EIP-3541
    code_deposit_out_of_gas,     // YP 7
    precompile_failure,
    /// On a chain with strict access lists: ends the whole transaction, not only the frame.
    undeclared_access,
    /// An observer has seen enough (Tracer::wants_abort()): ends the whole transaction; what is
    /// left of it means nothing.
    aborted,
    /// A supervisor has ended the execution (Supervisor::on_gas()): no ending that a chain knows.
    /// There is no receipt, no change and no account of what was accessed, and nothing of it may be
    /// committed.
    stopped,
    // Calls that are not even started: the caller goes on with its gas. Only observers are told.
    call_depth_exceeded,   // YP 8
    insufficient_balance,  // YP 8
    nonce_overflow,        // EIP-2681
};

[[nodiscard]] std::string_view to_string(Status status) noexcept;

[[nodiscard]] constexpr bool is_exceptional_halt(Status status) noexcept {
    return status != Status::success && status != Status::revert;
}
/// Whether the execution was ended from outside: what it would have come to is not known.
[[nodiscard]] constexpr bool is_unfinished(Status status) noexcept {
    return status == Status::aborted || status == Status::stopped;
}
/// Whether two endings are the same to every observer of the chain.
[[nodiscard]] constexpr bool is_same_ending(Status a, Status b) noexcept {
    return a == b || (is_exceptional_halt(a) && is_exceptional_halt(b) && !is_unfinished(a) &&
                      !is_unfinished(b));
}

}  // namespace heddle::vm
