// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The header of a block that is being made: what follows from its parent and from what its maker
// decides. What its body and its execution give is filled in by fill_body() and fill().
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <types/block.hpp>
#include <types/chain_config.hpp>

namespace heddle::vm {

/// What the maker of a block decides, besides its transactions and withdrawals.
struct BlockAttributes {
    std::uint64_t timestamp = 0;  // seconds; above the parent's
    std::uint64_t gas_limit = 0;
    Address beneficiary{};
    Bytes extra_data{};
    Hash prev_randao{};                   // the mix hash before Paris (EIP-4399)
    std::array<std::uint8_t, 8> nonce{};  // before Paris
    Hash parent_beacon_block_root{};      // EIP-4788, from Cancun on
    /// EIP-7843, from Amsterdam on. Absent, as for a maker that has no clock of slots: the one
    /// after the parent's, and 0 after a block of an earlier fork. It stays at 2^64 - 1.
    std::optional<std::uint64_t> slot_number{};
};
/// What is given of a header, as attributes of a block.
[[nodiscard]] BlockAttributes attributes_of(const BlockHeader& given);

/// The block that a header follows.
struct Parent {
    const BlockHeader& header;
    const Hash& hash;
    /// Up to and including it; see is_merged().
    std::optional<Uint256> total_difficulty{};
};

/// The header of the block after `parent`, as of a block without transactions and withdrawals that
/// is not executed yet (YP 4.3; EIP-1559, 3675, 4399, 4788, 4844, 4895, 7685, 7843,
/// 7928).
/// Thread safety: pure.
[[nodiscard]] BlockHeader next_header(const Parent& parent, const BlockAttributes& attributes,
                                      const ChainConfig& config);

/// Fills in what the header says of the body: roots of transactions, ommers and withdrawals, blob
/// gas used. Withdrawals that the fork asks for and the body lacks come into being, empty; an empty
/// list of them that it does not ask for goes.
/// @param block  Its header is next_header()'s.
void fill_body(Block& block);

}  // namespace heddle::vm
