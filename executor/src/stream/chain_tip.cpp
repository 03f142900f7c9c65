// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "stream/chain_tip.hpp"

#include <algorithm>
#include <utility>

namespace heddle::executor {

ChainTip::ChainTip(ChainHead head) noexcept : head_(std::move(head)) {}

Summary ChainTip::summary() const {
    Summary summary;
    if (const Ancestor* head = parent()) {
        summary.head_number = head->header.number;
        summary.head_hash = head->hash;
        summary.state_root = head->header.state_root;
    }
    return summary;
}

void ChainTip::extend(const BlockHeader& header, const Hash& hash, std::vector<Hash> ommers) {
    std::vector<Ancestor>& ancestors = head_.ancestors;
    if (ancestors.size() < kAncestorsForOmmers) ancestors.emplace_back();
    std::rotate(ancestors.begin(), ancestors.end() - 1, ancestors.end());
    ancestors.front() = {header, hash, std::move(ommers)};
    if (head_.total_difficulty.has_value()) *head_.total_difficulty += header.difficulty;
}

ChainHead make_chain_head(BlockHeader header, std::optional<Uint256> total_difficulty) {
    ChainHead head;
    Ancestor& ancestor = head.ancestors.emplace_back();
    ancestor.hash = header_hash(header);
    ancestor.header = std::move(header);
    head.total_difficulty = total_difficulty;
    return head;
}

}  // namespace heddle::executor
