// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "stream/receipt_leaves.hpp"

#include <algorithm>
#include <mutex>

#include <types/assert.hpp>

#include "workers/prefetch.hpp"

namespace heddle::executor {

void ReceiptLeaves::begin(std::size_t receipt_count, bool are_needed) {
    are_needed_ = are_needed;
    briefs_.clear();
    bloom_ = {};
    reserve(receipt_count);
}

void ReceiptLeaves::reserve(std::size_t receipt_count) {
    if (!are_needed_) return;
    leaves_.resize(std::max(leaves_.size(), receipt_count));
    briefs_.resize(leaves_.size());
}

void ReceiptLeaves::add(std::size_t index, const Receipt& receipt) noexcept {
    HEDDLE_ASSERT(index < briefs_.size());
    briefs_[index] = {.cumulative_gas_used = receipt.cumulative_gas_used,
                      .type = receipt.type,
                      .success = receipt.success,
                      .tells_all = receipt.logs.empty() && !receipt.post_state.has_value()};
}

void ReceiptLeaves::hash(Receipt* receipts, LeafRange range, LeafMaker& maker) {
    HEDDLE_ASSERT(range.end <= leaves_.size());
    make_blooms(receipts, range, maker.blooms);
    // Where they are is looked up once, not leaf by leaf.
    OrderedLeaf* const leaves = leaves_.data();
    for (std::uint32_t i = range.begin; i < range.end; ++i) {
        const Brief& brief = briefs_[i];
        if (brief.tells_all)
            encode_receipt_without_logs(brief.type, brief.success, brief.cumulative_gas_used,
                                        maker.leaves.start());
        else
            encode_receipt(receipts[i], maker.leaves.start());
        maker.leaves.finish({.index = i, .count = range.count}, leaves[i]);
    }
    maker.leaves.flush();
}

std::size_t ReceiptLeaves::correct(std::span<const Receipt> receipts, LeafMaker& maker) {
    if (!are_needed_) return 0;
    return maker.leaves.correct(
        std::span{leaves_}.first(receipts.size()),
        [receipts](std::uint32_t index, Bytes& out) { encode_receipt(receipts[index], out); });
}

void ReceiptLeaves::make_blooms(Receipt* receipts, LeafRange range, BloomMaker& maker) {
    const auto [begin, end, count] = range;
    bool are_any = false;
    for (std::uint32_t i = begin; i < end; ++i) {
        // What another processor has just written, not what it is going to write.
        if (i + 1 < end && !briefs_[i + 1].tells_all) prefetch_for_read(receipts + i + 1);
        if (briefs_[i].tells_all) continue;
        maker.fill(receipts[i]);
        are_any = true;
    }
    if (!are_any) return;
    maker.finish();
    LogsBloom bloom;
    for (std::uint32_t i = begin; i < end; ++i)
        if (!briefs_[i].tells_all) bloom |= receipts[i].bloom;
    const std::lock_guard guard(bloom_lock_);
    bloom_ |= bloom;
}

void ReceiptLeaves::tell_bloom(vm::BlockExecution& execution) const {
    if (are_needed_)
        execution.set_logs_bloom(bloom_);
    else
        execution.make_blooms();
}

std::optional<Hash> ReceiptLeaves::root(std::size_t receipt_count) const {
    if (!are_needed_) return std::nullopt;
    return root_of_leaves(std::span{leaves_}.first(receipt_count));
}

}  // namespace heddle::executor
