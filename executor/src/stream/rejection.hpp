// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Errors that all schedulers report in the same words.
#pragma once

#include <cstddef>
#include <cstdint>

#include <types/block.hpp>
#include <types/block_error.hpp>
#include <types/state_view.hpp>
#include <types/transaction.hpp>
#include <types/transaction_error.hpp>

namespace heddle::executor {

/// The stream has ended before this block.
[[nodiscard]] BlockError halted_error(std::uint64_t number);
/// The header names another parent than the block that it follows.
[[nodiscard]] BlockError unknown_parent_error(const BlockHeader& header, const Hash& parent);
/// `state`: as of the transaction's place.
[[nodiscard]] BlockError transaction_error(const BlockHeader& header, std::size_t index,
                                           const Transaction& tx, TransactionError reason,
                                           const StateView& state);

}  // namespace heddle::executor
