// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks of a lane that its subscription's thread has decoded, hashed and checked, until the thread
// that orders wants them. A help only: a block that is not here is read from the log and prepared
// where it is wanted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include <consensus_adapter/lanes/lane_feed.hpp>

namespace heddle::node::lanes {

/// Memory: kMostBytes of encoded blocks, or one block; decoded, entries take a few times what they
/// take encoded, those of many short accesses up to thirty times.
///
/// Thread safety: any.
class PreparedBlocks {
public:
    using PreparedBlock = consensus_adapter::lanes::PreparedBlock;
    static constexpr std::size_t kMostBlocks = 64;
    static constexpr std::size_t kMostBytes = std::size_t{2} << 20;

    /// Whether a block of so many bytes, encoded, would be kept.
    [[nodiscard]] bool has_room(std::size_t bytes) const {
        const std::scoped_lock lock{mutex_};
        return fits(bytes);
    }
    /// Keeps it, unless there is no room. Of one height the first one stays.
    void put(PreparedBlock block) {
        const std::scoped_lock lock{mutex_};
        if (block.height() < wanted_ || !fits(block.bytes())) return;
        const std::size_t bytes = block.bytes();
        const std::uint64_t height = block.height();
        if (blocks_.try_emplace(height, std::move(block)).second) bytes_ += bytes;
    }
    /// The block of this height; those below it are wanted no more. nullopt: it is not here.
    [[nodiscard]] std::optional<PreparedBlock> take(std::uint64_t height) {
        const std::scoped_lock lock{mutex_};
        wanted_ = std::max(wanted_, height + 1);
        std::optional<PreparedBlock> result;
        while (!blocks_.empty() && blocks_.begin()->first <= height) {
            bytes_ -= blocks_.begin()->second.bytes();
            if (blocks_.begin()->first == height) result = std::move(blocks_.begin()->second);
            blocks_.erase(blocks_.begin());
        }
        return result;
    }

private:
    /// With mutex_.
    [[nodiscard]] bool fits(std::size_t bytes) const {
        return blocks_.empty() || (blocks_.size() < kMostBlocks && bytes_ + bytes <= kMostBytes);
    }

    mutable std::mutex mutex_;
    std::map<std::uint64_t, PreparedBlock> blocks_;  // by height; guarded by mutex_, as the rest
    std::size_t bytes_ = 0;                          // of them, encoded
    std::uint64_t wanted_ = 0;                       // the least height that may be asked for
};

}  // namespace heddle::node::lanes
