// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "building/block_room.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include <consensus_adapter/application.hpp>
#include <types/bytes.hpp>
#include <vm/limits.hpp>

namespace heddle::node {
namespace {

/// The largest header there can be, and the lengths before the block and before its lists.
constexpr std::size_t kHeaderBytes = 1'024;
constexpr std::size_t kWithdrawalBytes = 64;

}  // namespace

std::size_t room_for_transactions(Revision revision, std::size_t withdrawals) noexcept {
    const std::uint64_t limit = vm::limits(revision).max_block_bytes;
    if (limit == vm::kNoLimit) return kUnboundedRoom;
    return limit - std::min<std::size_t>(limit, kHeaderBytes + kWithdrawalBytes * withdrawals);
}

std::size_t room_in_own_block(Revision revision, std::size_t withdrawals) noexcept {
    return std::min(consensus_adapter::BlockPlan{}.max_bytes,
                    room_for_transactions(revision, withdrawals));
}

std::size_t bytes_in_block(std::size_t encoded_bytes, TransactionType type) noexcept {
    if (type == TransactionType::legacy) return encoded_bytes;
    constexpr std::size_t kShort = 56;  // below it a length is in the first byte (YP App. B)
    const auto length = static_cast<std::size_t>((std::bit_width(encoded_bytes) + 7) / 8);
    return 1 + (encoded_bytes < kShort ? 0 : length) + encoded_bytes;
}

std::size_t bytes_in_block(const Transaction& tx) {
    return bytes_in_block({&tx, 1});
}

std::size_t bytes_in_block(std::span<const Transaction> transactions) {
    std::size_t sum = 0;
    Bytes encoded;
    for (const Transaction& tx : transactions) {
        encoded.clear();
        encode_transaction(tx, encoded);
        sum += bytes_in_block(encoded.size(), tx.type);
    }
    return sum;
}

}  // namespace heddle::node
