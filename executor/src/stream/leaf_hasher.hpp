// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Hashes the leaves of a block's tries of transactions and receipts beside the stream: by whoever
// has nothing else to do or is not the one that dispatches. Nothing waits for a leaf but the end of
// its block, and hashing touches nothing that executing needs, so this is what another processor
// can take over without anything moving back and forth. Not the roots: those are BlockFinisher's.
//
// A batch is on its way from push to count: who publishes it counts it first, who takes it out of
// the queue hashes it and then counts it off (release). A block whose leaves have all been
// published has them all when the count is zero (acquire); until then it must stay where it is.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include <types/ordered_root.hpp>

#include "workers/spin_lock.hpp"

namespace heddle::executor {

struct BlockRun;

enum class LeafKind : std::uint8_t { transaction, receipt };

/// Thread safety: publish() of a kind by one thread at a time for each block; finish() when no more
/// is published for the block; the rest any.
class LeafHasher {
public:
    /// @param has_helpers  Without anybody else to do it, leaves are hashed when they are
    /// published.
    explicit LeafHasher(bool has_helpers) noexcept : has_helpers_(has_helpers) {}

    /// The block has `end` values of the kind, which stay as and where they are.
    /// @param is_last  There will be no more; otherwise a few are kept back until there are enough.
    /// @return whether there is something new to do for others.
    [[nodiscard]] bool publish(BlockRun& block, LeafKind kind, std::size_t end, bool is_last,
                               OrderedLeaves& hasher);

    /// @return whether there was anything to do.
    bool run_once(OrderedLeaves& hasher);
    /// Sequentially consistent, see ParkingLot.
    [[nodiscard]] bool has_work() const noexcept {
        return size_.load(std::memory_order_seq_cst) != 0;
    }

    /// Helps until all leaves of the block that were published are hashed. Waits for nobody but
    /// those who are hashing one of its batches.
    void finish(const BlockRun& block, OrderedLeaves& hasher);

private:
    struct Batch {
        BlockRun* block = nullptr;
        LeafKind kind = LeafKind::transaction;
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
    };
    static constexpr std::uint32_t kBatch = 16;
    static constexpr std::size_t kCapacity = 512;  // batches; who finds it full hashes himself

    [[nodiscard]] bool push(const Batch& batch) noexcept;
    [[nodiscard]] bool pop(Batch& batch) noexcept;
    static void hash(const Batch& batch, OrderedLeaves& hasher);

    const bool has_helpers_;
    BasicSpinLock<StreamAtomics> lock_;
    std::size_t head_ = 0;  // under the lock
    std::array<Batch, kCapacity> ring_;
    alignas(64) StreamAtomics::Atomic<std::size_t> size_{0};  // changed under the lock
};

}  // namespace heddle::executor
