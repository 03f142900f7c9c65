// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How much of everything there may be: what a revision allows to code, transactions and blocks, and
// the bounds of the machine that no fork has changed.
#pragma once

#include <cstdint>
#include <limits>

#include <types/revision.hpp>

namespace heddle::vm {

/// What is not limited has this limit, so that nobody needs to ask for the revision.
inline constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

/// The limits of one revision.
struct Limits {
    std::uint64_t max_code_bytes = kNoLimit;       // of a contract: EIP-170
    std::uint64_t max_init_code_bytes = kNoLimit;  // EIP-3860
    std::uint64_t max_transaction_gas = kNoLimit;  // gas limit of a transaction: EIP-7825
    /// Of this, for execution, intrinsic gas included; the rest pays for growing the state. Bounds
    /// intrinsic gas and the floor as well (EIP-8037).
    std::uint64_t max_execution_gas = kNoLimit;
    std::uint64_t max_blobs_per_transaction = kNoLimit;  // besides the block's: EIP-7594
    std::uint64_t max_block_bytes = kNoLimit;            // of a block's RLP: EIP-7934
};

/// Thread safety: immutable, lives as long as the program.
[[nodiscard]] const Limits& limits(Revision revision) noexcept;

inline constexpr unsigned kMaxCallDepth = 1024;
inline constexpr unsigned kStackLimit = 1024;  // words

}  // namespace heddle::vm
