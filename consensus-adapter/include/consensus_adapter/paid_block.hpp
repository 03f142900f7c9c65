// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks of strangers, decoded only as far as gas pays for what they take: a transaction of ten
// bytes takes hundreds when it is decoded, so that the bytes of a block bound no memory.
#pragma once

#include <cstdint>
#include <expected>
#include <limits>
#include <string>

#include <types/block.hpp>
#include <types/bytes.hpp>

namespace heddle::consensus_adapter {

/// The most gas that blocks may have after one that is known, by the rules of headers (YP 4.4.4).
struct GasBound {
    std::uint64_t number = 0;  // of the block that is known
    /// It, and where the next block may have twice its gas (EIP-1559), twice it.
    std::uint64_t gas_limit = std::numeric_limits<std::uint64_t>::max();

    /// Of a block above `number`. Complexity: linear in the distance, until it is all that 64 bits
    /// hold.
    [[nodiscard]] std::uint64_t at(std::uint64_t block) const noexcept;
};

/// What holds for the blocks after this one.
[[nodiscard]] GasBound bound_after(const BlockHeader& header) noexcept;

/// Decodes a block, if it is small or both its gas limit and the bound for its number can pay for
/// as many transactions as it has. What passes may be wrong in any way.
/// Errors: what is wrong with it, in words.
[[nodiscard]] std::expected<Block, std::string> decode_paid_block(BytesView bytes,
                                                                  const GasBound& bound);

}  // namespace heddle::consensus_adapter
