// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The leaves of a block's tries of transactions and receipts, and how many of them have been given
// to LeafHasher, which hashes them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <types/ordered_root.hpp>
#include <types/transaction.hpp>

#include "stream/leaf_maker.hpp"
#include "stream/receipt_leaves.hpp"
#include "workers/atomics.hpp"

namespace heddle::executor {

/// Stays where it is while leaves are on their way.
struct BlockLeaves {
    /// Of the next block, whose transactions are yet to come.
    /// @param transaction_count  How many; 0: it is not known. A wrong number costs hashing at most
    ///                           two leaves of each trie again.
    void begin(std::size_t transaction_count) {
        published_transactions = 0;
        published_receipts = 0;
        announced = static_cast<std::uint32_t>(transaction_count);
        reserve(transaction_count);
    }
    /// Room for so many transactions. While nobody hashes.
    void reserve(std::size_t transaction_count) {
        transactions.resize(std::max(transactions.size(), transaction_count));
    }
    [[nodiscard]] std::span<const OrderedLeaf> of_transactions(std::size_t count) const noexcept {
        return std::span{transactions}.first(count);
    }
    /// These are all transactions, their leaves being hashed: those that were hashed for another
    /// number are hashed again where that matters. @return how many.
    [[nodiscard]] std::size_t correct(std::span<const Transaction> all, LeafMaker& maker) {
        return maker.leaves.correct(
            std::span{transactions}.first(all.size()),
            [all](std::uint32_t index, Bytes& out) { encode_transaction(all[index], out); });
    }

    /// How many transactions there will be, and receipts, as far as it is known. While nothing has
    /// been published.
    std::uint32_t announced = 0;
    // --- Who publishes transactions --------------------------------------------------------------
    std::vector<OrderedLeaf> transactions;  // room for them
    std::uint32_t published_transactions = 0;
    /// Whether it is worth asking others; while nothing has been published.
    bool are_shared = true;

    /// Batches published and not hashed yet; on a line of its own, as many threads count here.
    alignas(64) StreamAtomics::Atomic<std::uint32_t> batches{0};

    // --- Who publishes receipts ------------------------------------------------------------------
    alignas(64) ReceiptLeaves receipts;
    std::uint32_t published_receipts = 0;
};

}  // namespace heddle::executor
