// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "stream/receipt_leaves.hpp"

#include <algorithm>

#include <types/assert.hpp>

#include "workers/prefetch.hpp"

namespace heddle::executor {

void ReceiptLeaves::begin(std::size_t receipt_count, bool are_needed) {
    are_needed_ = are_needed;
    briefs_.clear();
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

void ReceiptLeaves::hash(const Receipt* receipts, std::uint32_t begin, std::uint32_t end,
                         OrderedLeaves& hasher) {
    HEDDLE_ASSERT(end <= leaves_.size());
    // Where they are is looked up once, not leaf by leaf.
    NodeReference* const leaves = leaves_.data();
    for (std::uint32_t i = begin; i < end; ++i) {
        const Brief& brief = briefs_[i];
        // What another processor has just written, not what it is going to write.
        if (i + 1 < end && !briefs_[i + 1].tells_all) prefetch_for_read(receipts + i + 1);
        if (brief.tells_all)
            encode_receipt_without_logs(brief.type, brief.success, brief.cumulative_gas_used,
                                        hasher.start());
        else
            encode_receipt(receipts[i], hasher.start());
        hasher.finish(leaves[i]);
    }
    hasher.flush();
}

std::optional<Hash> ReceiptLeaves::root(std::span<const Receipt> receipts) const {
    if (!are_needed_) return std::nullopt;
    return ordered_root(
        std::span{leaves_}.first(receipts.size()),
        [receipts](std::uint32_t index, Bytes& out) { encode_receipt(receipts[index], out); });
}

}  // namespace heddle::executor
