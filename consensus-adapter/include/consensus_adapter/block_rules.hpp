// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What every engine here fills into a header by the same rule, so that whoever knows the parent
// comes to the same values.
#pragma once

#include <cstdint>
#include <string_view>

#include <types/block_error.hpp>
#include <types/hash.hpp>

#include <consensus_adapter/application.hpp>

namespace heddle::consensus_adapter {

/// As near to what is wanted as one block may go (YP 4.3.4: by less than a 1,024th of the parent's,
/// and within 5,000 and 2^63 - 1 where that may be).
[[nodiscard]] std::uint64_t next_gas_limit(std::uint64_t parent, std::uint64_t wanted) noexcept;

/// Below this no validator of a network agrees to move a chain. From Amsterdam on a block's access
/// list has an item for each 2,000 gas (EIP-7928), and what system calls access of requests that
/// wait is up to 500 of them, whatever is in the block: with less no block could follow, for ever.
inline constexpr std::uint64_t kLeastAgreedGasLimit = 2'000'000;

/// Whether validators agree to this gas limit after the parent's, that next_gas_limit() allows.
[[nodiscard]] constexpr bool is_agreed_gas_limit(std::uint64_t parent,
                                                 std::uint64_t gas_limit) noexcept {
    return gas_limit >= parent || gas_limit >= kLeastAgreedGasLimit;
}

/// Whether any block may follow one with this gas limit. A genesis block has what its file says.
[[nodiscard]] bool can_be_followed(std::uint64_t gas_limit) noexcept;

/// The Keccak-256 of the parent's hash and the number in 8 bytes, big-endian: the same on every
/// replay and for every proposer, and no source of chance (EIP-4399 asks no more of a value than
/// where it comes from).
[[nodiscard]] Hash prev_randao_after(const BlockId& parent);

/// What a block is executed with, out of a plan: the executor fills in the rest.
[[nodiscard]] executor::BlockStart block_start(const BlockPlan& plan);

/// What to do about a block that cannot be made, to go behind the sentence that says so; empty:
/// nothing that would be known.
[[nodiscard]] std::string_view advice_for(const BlockError& error) noexcept;

}  // namespace heddle::consensus_adapter
