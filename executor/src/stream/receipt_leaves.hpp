// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The leaves of a block's receipts trie, and the blooms, made while the block runs: by whoever adds
// the receipts, or beside that thread by others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <types/hash.hpp>
#include <types/ordered_root.hpp>
#include <types/receipt.hpp>

#include <vm/block_execution.hpp>

#include "stream/leaf_maker.hpp"
#include "workers/spin_lock.hpp"

namespace heddle::executor {

class ReceiptLeaves {
public:
    /// @param are_needed  Whether root() will be asked for; without it nothing is hashed, and no
    ///                    blooms are made.
    void begin(std::size_t receipt_count, bool are_needed);
    /// Room for so many. While nobody hashes.
    void reserve(std::size_t receipt_count);
    [[nodiscard]] bool are_needed() const noexcept { return are_needed_; }

    /// The receipt at `index`, for which there is room, is as it stays: it need not be read again
    /// where it has no logs. Before hash() of it, or not at all.
    void add(std::size_t index, const Receipt& receipt) noexcept;

    /// The leaves and the blooms of these of `receipts`, for which there is room.
    /// Thread safety: for different receipts at once.
    void hash(Receipt* receipts, LeafRange range, LeafMaker& maker);
    /// There are so many receipts, all leaves being hashed: those that were hashed for another
    /// number are hashed again where that matters. @return how many.
    [[nodiscard]] std::size_t correct(std::span<const Receipt> receipts, LeafMaker& maker);

    /// Of all receipts, all leaves being hashed; where they are not needed, there are no blooms.
    [[nodiscard]] const LogsBloom& bloom() const noexcept { return bloom_; }
    /// The block that has executed these receipts gets its bloom, all leaves being hashed; where
    /// they are not needed, the receipts get theirs now.
    void tell_bloom(vm::BlockExecution& execution) const;
    /// The root of so many receipts, all leaves being hashed for this number or corrected; nullopt
    /// where they are not needed.
    [[nodiscard]] std::optional<Hash> root(std::size_t receipt_count) const;

private:
    void make_blooms(Receipt* receipts, LeafRange range, BloomMaker& maker);

    /// All that the encoding of most receipts without logs tells. Who has just made a receipt holds
    /// its lines in the cache: fetching them takes another processor as long as hashing the leaf.
    struct Brief {
        std::uint64_t cumulative_gas_used = 0;
        TransactionType type = TransactionType::legacy;
        bool success = false;
        bool tells_all = false;
    };

    bool are_needed_ = true;
    std::vector<Brief> briefs_;
    std::vector<OrderedLeaf> leaves_;
    // Not on the line that whoever adds receipts reads.
    alignas(64) BasicSpinLock<StreamAtomics> bloom_lock_;
    LogsBloom bloom_;  // under the lock, while leaves are being hashed
};

}  // namespace heddle::executor
