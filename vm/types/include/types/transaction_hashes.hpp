// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The hashes of a block's transactions, several side by side (keccak_batch.hpp).
#pragma once

#include <span>
#include <vector>

#include <types/hash.hpp>
#include <types/keccak_batch.hpp>
#include <types/transaction.hpp>

namespace heddle {

/// transaction_hash() of each. Thread safety: any.
[[nodiscard]] std::vector<Hash> transaction_hashes(std::span<const Transaction> transactions);
/// The same, for who has many such lists and keeps the hasher. It is empty, before and afterwards.
[[nodiscard]] std::vector<Hash> transaction_hashes(std::span<const Transaction> transactions,
                                                   KeccakBatch& hasher);

}  // namespace heddle
