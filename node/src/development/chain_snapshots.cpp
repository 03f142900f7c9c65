// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "development/chain_snapshots.hpp"

#include <utility>

#include <fmt/format.h>

#include <types/counted.hpp>

namespace heddle::node {
namespace {

std::size_t bytes_of(const ChainSnapshot::Pool& pool) {
    std::size_t bytes = pool.size() * sizeof(SharedTransaction);
    for (const SharedTransaction& transaction : pool)
        bytes += memory_of(*transaction);
    return bytes;
}

/// What `snapshot` holds beside `before`, which may be null.
std::size_t bytes_beside(const ChainSnapshot& snapshot, const ChainSnapshot* before) {
    std::size_t bytes = sizeof(ChainSnapshot);
    if (snapshot.amendment && (before == nullptr || before->amendment != snapshot.amendment))
        bytes += snapshot.amendment->bytes();
    if (before == nullptr || before->pool != snapshot.pool) bytes += bytes_of(*snapshot.pool);
    return bytes;
}

}  // namespace

std::expected<std::uint64_t, std::string> ChainSnapshots::add(ChainSnapshot snapshot) {
    if (kept_.size() >= kMost)
        return std::unexpected(fmt::format("there are {} snapshots, and no more are kept", kMost));
    const ChainSnapshot* const before = kept_.empty() ? nullptr : &kept_.rbegin()->second.snapshot;
    if (before != nullptr && *before->pool == *snapshot.pool) snapshot.pool = before->pool;
    const std::size_t bytes = bytes_beside(snapshot, before);
    if (bytes > most_bytes_ - bytes_)
        return std::unexpected(fmt::format(
            "there are {} that hold {} MiB, and one more would hold more than the {} MiB that are "
            "kept; revert to one of them",
            counted(kept_.size(), "snapshot"), bytes_ >> 20, most_bytes_ >> 20));
    bytes_ += bytes;
    kept_.emplace(++last_, Kept{std::move(snapshot), bytes});
    return last_;
}

const ChainSnapshot* ChainSnapshots::find(std::uint64_t id) const {
    const auto found = kept_.find(id);
    return found == kept_.end() ? nullptr : &found->second.snapshot;
}

void ChainSnapshots::drop_from(std::uint64_t id) {
    const auto first = kept_.lower_bound(id);
    for (auto each = first; each != kept_.end(); ++each)
        bytes_ -= each->second.bytes;
    kept_.erase(first, kept_.end());
}

void ChainSnapshots::drop_above(std::uint64_t number) {
    std::erase_if(kept_, [&](const auto& entry) { return entry.second.snapshot.number > number; });
    // Those that stay may have shared with one that went.
    bytes_ = 0;
    const ChainSnapshot* before = nullptr;
    for (auto& [id, kept] : kept_) {
        kept.bytes = bytes_beside(kept.snapshot, before);
        bytes_ += kept.bytes;
        before = &kept.snapshot;
    }
}

}  // namespace heddle::node
