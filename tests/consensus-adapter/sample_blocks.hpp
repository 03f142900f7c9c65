// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Small blocks that decode; whether they are valid is nobody's concern here.
#pragma once

#include <types/block.hpp>
#include <types/signing.hpp>

namespace heddle::consensus_adapter::test {

inline const Hash kSecret = to_hash(Uint256{0x5ec3e7});

inline Block sample_block(std::uint64_t number, std::size_t transaction_count = 0) {
    Block block;
    block.header.number = number;
    block.header.difficulty = Uint256{1};
    for (std::size_t i = 0; i < transaction_count; ++i) {
        Transaction& tx = block.transactions.emplace_back();
        tx.chain_id = 1;
        tx.nonce = i;
        tx.to = address_from_low64(number);
        static_cast<void>(sign_transaction(tx, kSecret));
        tx.sender.reset();
    }
    return block;
}

inline Bytes encode(const Block& block) {
    Bytes bytes;
    encode_block(block, bytes);
    return bytes;
}

inline Bytes sample_chain(std::uint64_t first, std::uint64_t last) {
    Bytes bytes;
    for (std::uint64_t number = first; number <= last; ++number)
        encode_block(sample_block(number, number % 3), bytes);
    return bytes;
}

}  // namespace heddle::consensus_adapter::test
