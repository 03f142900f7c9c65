// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How a simulation fails, as data: what kind of failure it is, what to tell the caller, and what a
// revert returned. Nothing here knows how it reaches the caller.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <types/bytes.hpp>

namespace heddle::node::simulation {

enum class FailureKind : std::uint8_t {
    refused,    // cannot be executed as it was asked for, or its block breaks a rule
    invalid,    // what was asked for contradicts itself or is empty
    reverted,   // its data is what the call returned
    halted,     // code ended otherwise
    timed_out,  // beyond the deadline
    internal,   // the chain gave no answer, or a transaction breaks a rule of no kind below
    // Of blocks that are simulated:
    nonce_too_low,
    nonce_too_high,
    base_fee_too_low,     // the transaction pays less than the block's base fee
    intrinsic_gas,        // less gas than it costs before its code runs
    insufficient_funds,   // for gas and value
    block_gas_limit,      // more gas than is left of the block
    block_number_order,   // numbers do not rise
    timestamp_order,      // times do not rise
    init_code_too_large,  // EIP-3860
    too_many,             // blocks, or calls in them: more than simulation_request.hpp allows
};

/// Thrown by everything in this folder that answers a call, beside InputError for text.
class Failure : public std::runtime_error {
public:
    Failure(FailureKind kind, const std::string& text, std::optional<Bytes> revert_data = {})
        : std::runtime_error(text),
          kind_(kind),
          text_(text),
          revert_data_(std::move(revert_data)) {}

    [[nodiscard]] FailureKind kind() const noexcept { return kind_; }
    /// The whole of it: what() ends at a zero byte, and a contract chooses why it reverts.
    [[nodiscard]] const std::string& text() const noexcept { return text_; }
    /// What the call returned; nullopt: it was not reverted.
    [[nodiscard]] const std::optional<Bytes>& revert_data() const noexcept { return revert_data_; }

private:
    FailureKind kind_;
    std::string text_;
    std::optional<Bytes> revert_data_;
};

}  // namespace heddle::node::simulation
