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
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include <types/receipt.hpp>
#include <types/transaction.hpp>

#include "stream/block_leaves.hpp"
#include "stream/leaf_maker.hpp"
#include "workers/spin_lock.hpp"
#include "workers/worker_parking.hpp"

namespace heddle::executor {

/// Thread safety: publish() of a kind by one thread at a time for each block; finish() when no more
/// is published for the block; the rest any.
class LeafHasher {
public:
    /// @param helpers  Told of new work, outlives it. Null: there is nobody else to do it, and
    /// leaves are hashed when they are published.
    explicit LeafHasher(WorkerParking* helpers) noexcept : helpers_(helpers) {}

    [[nodiscard]] bool has_helpers() const noexcept { return helpers_ != nullptr; }

    /// The block has these transactions, or receipts, which stay as and where they are, but that
    /// receipts get their blooms.
    /// @param is_last  There will be no more; otherwise a few are kept back until there are enough.
    void publish(BlockLeaves& leaves, std::span<const Transaction> transactions, bool is_last,
                 LeafMaker& maker);
    void publish(BlockLeaves& leaves, std::span<Receipt> receipts, bool is_last, LeafMaker& maker);

    /// @return whether there was anything to do.
    bool run_once(LeafMaker& maker);
    /// Sequentially consistent, see ParkingLot.
    [[nodiscard]] bool has_work() const noexcept {
        return size_.load(std::memory_order_seq_cst) != 0;
    }

    /// Helps until all leaves of the block that were published are hashed. Waits for nobody but
    /// those who are hashing one of its batches.
    void finish(const BlockLeaves& leaves, LeafMaker& maker);

private:
    struct Batch {
        BlockLeaves* leaves = nullptr;
        const Transaction* transactions = nullptr;  // of the block; null: it is receipts
        Receipt* receipts = nullptr;
        LeafRange range{};
    };
    static constexpr std::uint32_t kBatch = 16;
    static constexpr std::size_t kCapacity = 512;  // batches; who finds it full hashes at once

    /// @param all  Its range is set here.
    void publish(Batch all, std::uint32_t& published, std::size_t available, bool is_last,
                 LeafMaker& maker);
    [[nodiscard]] bool push(const Batch& batch) noexcept;
    [[nodiscard]] bool pop(Batch& batch) noexcept;
    static void hash(const Batch& batch, LeafMaker& maker);

    WorkerParking* const helpers_;
    BasicSpinLock<StreamAtomics> lock_;
    std::size_t head_ = 0;  // under the lock
    std::array<Batch, kCapacity> ring_;
    alignas(64) StreamAtomics::Atomic<std::size_t> size_{0};  // changed under the lock
};

}  // namespace heddle::executor
