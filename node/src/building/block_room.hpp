// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The bytes that a block has for transactions (EIP-7934). Counted before the block is there, and
// the same by everybody: which transactions of a decided list are in its block follows from it.
#pragma once

#include <cstddef>
#include <limits>
#include <span>

#include <types/revision.hpp>
#include <types/transaction.hpp>

namespace heddle::node {

/// Before Osaka.
inline constexpr std::size_t kUnboundedRoom = std::numeric_limits<std::size_t>::max();

/// Most bytes that all transactions may take together: what is left when everything else in the
/// block is as large as it can be.
[[nodiscard]] std::size_t room_for_transactions(Revision revision,
                                                std::size_t withdrawals) noexcept;
/// The same of a block that a node makes by itself: it fills none up to what is valid.
[[nodiscard]] std::size_t room_in_own_block(Revision revision, std::size_t withdrawals) noexcept;
/// What a transaction takes of them: its encoding, and a string's length before it where it is no
/// list (EIP-2718).
[[nodiscard]] std::size_t bytes_in_block(std::size_t encoded_bytes, TransactionType type) noexcept;
/// The same of one that has to be encoded to know.
[[nodiscard]] std::size_t bytes_in_block(const Transaction& tx);
/// Of all of them.
[[nodiscard]] std::size_t bytes_in_block(std::span<const Transaction> transactions);

}  // namespace heddle::node
