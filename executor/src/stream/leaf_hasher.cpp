// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "stream/leaf_hasher.hpp"

#include <algorithm>
#include <thread>

#include "workers/prefetch.hpp"

namespace heddle::executor {

void LeafHasher::publish(BlockLeaves& leaves, std::span<const Transaction> transactions,
                         bool is_last, LeafMaker& maker) {
    publish({.leaves = &leaves, .transactions = transactions.data()}, leaves.published_transactions,
            transactions.size(), is_last, maker);
}

void LeafHasher::publish(BlockLeaves& leaves, std::span<Receipt> receipts, bool is_last,
                         LeafMaker& maker) {
    publish({.leaves = &leaves, .receipts = receipts.data()}, leaves.published_receipts,
            receipts.size(), is_last, maker);
}

void LeafHasher::publish(Batch all, std::uint32_t& published, std::size_t available, bool is_last,
                         LeafMaker& maker) {
    const auto end = static_cast<std::uint32_t>(available);
    bool is_new = false;
    while (end - published >= kBatch || (is_last && end != published)) {
        Batch batch = all;
        batch.range = {.begin = published,
                       .end = std::min(end, published + kBatch),
                       .count = is_last ? end : all.leaves->announced};
        published = batch.range.end;
        if (helpers_ != nullptr && all.leaves->are_shared) {
            all.leaves->batches.fetch_add(1, std::memory_order_relaxed);
            if (push(batch)) {
                is_new = true;
                continue;
            }
            all.leaves->batches.fetch_sub(1, std::memory_order_relaxed);
        }
        hash(batch, maker);
    }
    if (is_new) helpers_->notify_any();
}

bool LeafHasher::run_once(LeafMaker& maker) {
    Batch batch;
    if (!pop(batch)) return false;
    hash(batch, maker);
    // The block may be gone after this.
    batch.leaves->batches.fetch_sub(1, std::memory_order_release);
    return true;
}

void LeafHasher::finish(const BlockLeaves& leaves, LeafMaker& maker) {
    // Acquire: what others have hashed is visible.
    while (leaves.batches.load(std::memory_order_acquire) != 0)
        if (!run_once(maker)) std::this_thread::yield();
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

void LeafHasher::hash(const Batch& batch, LeafMaker& maker) {
    if (batch.transactions == nullptr)
        return batch.leaves->receipts.hash(batch.receipts, batch.range, maker);
    // Where they go is looked up once, not leaf by leaf.
    OrderedLeaf* const leaves = batch.leaves->transactions.data();
    const auto [begin, end, count] = batch.range;
    for (std::uint32_t i = begin; i < end; ++i) {
        if (i + 1 < end) prefetch_for_read(batch.transactions + i + 1);
        encode_transaction(batch.transactions[i], maker.leaves.start());
        maker.leaves.finish({.index = i, .count = count}, leaves[i]);
    }
    maker.leaves.flush();
}

}  // namespace heddle::executor
