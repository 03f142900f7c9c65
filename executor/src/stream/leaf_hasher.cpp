// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "stream/leaf_hasher.hpp"

#include <algorithm>
#include <thread>

#include <types/transaction.hpp>

#include "stream/block_run.hpp"
#include "workers/prefetch.hpp"

namespace heddle::executor {

bool LeafHasher::publish(BlockRun& block, LeafKind kind, std::size_t end, bool is_last,
                         OrderedLeaves& hasher) {
    std::uint32_t& published =
        kind == LeafKind::transaction ? block.published_transactions : block.published_receipts;
    const auto available = static_cast<std::uint32_t>(end);
    bool is_new = false;
    while (available - published >= kBatch || (is_last && available != published)) {
        const std::uint32_t stop = std::min(available, published + kBatch);
        const Batch batch{&block, kind, published, stop};
        published = stop;
        if (has_helpers_ && !block.is_small) {
            block.leaf_batches.fetch_add(1, std::memory_order_relaxed);
            if (push(batch)) {
                is_new = true;
                continue;
            }
            block.leaf_batches.fetch_sub(1, std::memory_order_relaxed);
        }
        hash(batch, hasher);
    }
    return is_new;
}

bool LeafHasher::run_once(OrderedLeaves& hasher) {
    Batch batch;
    if (!pop(batch)) return false;
    hash(batch, hasher);
    // The block may be gone after this.
    batch.block->leaf_batches.fetch_sub(1, std::memory_order_release);
    return true;
}

void LeafHasher::finish(const BlockRun& block, OrderedLeaves& hasher) {
    // Acquire: what others have hashed is visible.
    while (block.leaf_batches.load(std::memory_order_acquire) != 0)
        if (!run_once(hasher)) std::this_thread::yield();
}

bool LeafHasher::push(const Batch& batch) noexcept {
    const std::lock_guard guard(lock_);
    const std::size_t size = size_.load(std::memory_order_relaxed);
    if (size == kCapacity) return false;
    ring_[(head_ + size) % kCapacity] = batch;
    size_.store(size + 1, std::memory_order_seq_cst);
    return true;
}

bool LeafHasher::pop(Batch& batch) noexcept {
    if (!has_work()) return false;
    const std::lock_guard guard(lock_);
    const std::size_t size = size_.load(std::memory_order_relaxed);
    if (size == 0) return false;
    batch = ring_[head_ % kCapacity];
    ++head_;
    size_.store(size - 1, std::memory_order_seq_cst);
    return true;
}

void LeafHasher::hash(const Batch& batch, OrderedLeaves& hasher) {
    BlockRun& block = *batch.block;
    if (batch.kind == LeafKind::receipt)
        return block.receipt_leaves.hash(block.execution.result().receipts.data(), batch.begin,
                                         batch.end, hasher);
    const Transaction* const transactions = block.block.transactions.data();
    for (std::uint32_t i = batch.begin; i < batch.end; ++i) {
        if (i + 1 < batch.end) prefetch_for_read(transactions + i + 1);
        encode_transaction(transactions[i], hasher.start());
        hasher.finish(block.transaction_leaves[i]);
    }
    hasher.flush();
}

}  // namespace heddle::executor
