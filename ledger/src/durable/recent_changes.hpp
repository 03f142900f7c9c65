// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The changes of the blocks that the flat tables do not show yet. Readers of the past and the
// writer share them; the ledger adds, the writer takes away.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

#include <types/assert.hpp>

#include "durable/block_changes.hpp"

namespace heddle::ledger {

/// Thread safety: everything from any thread.
/// Invariant: block numbers are consecutive, the last is the head.
class RecentChanges {
public:
    using Shared = std::shared_ptr<const BlockChanges>;
    struct Entry {
        std::uint64_t number = 0;
        Shared changes;
    };

    void add(std::uint64_t number, Shared changes) {
        const std::unique_lock lock{mutex_};
        HEDDLE_ASSERT(blocks_.empty() || blocks_.back().number + 1 == number);
        blocks_.push_back({number, std::move(changes)});
    }

    /// The flat tables show block `number`.
    void drop_through(std::uint64_t number) {
        const std::unique_lock lock{mutex_};
        while (!blocks_.empty() && blocks_.front().number <= number)
            blocks_.pop_front();
    }

    /// Blocks above `number` have been taken back.
    void drop_above(std::uint64_t number) {
        const std::unique_lock lock{mutex_};
        while (!blocks_.empty() && blocks_.back().number > number)
            blocks_.pop_back();
    }

    /// Memory that they take.
    [[nodiscard]] std::size_t size_bytes() const {
        const std::shared_lock lock{mutex_};
        std::size_t bytes = 0;
        for (const Entry& entry : blocks_)
            bytes += held_bytes(*entry.changes);
        return bytes;
    }

    void clear() {
        const std::unique_lock lock{mutex_};
        blocks_.clear();
    }

    /// From the oldest on, up to and including block `last`.
    [[nodiscard]] std::vector<Entry> through(std::uint64_t last) const {
        const std::shared_lock lock{mutex_};
        std::vector<Entry> entries;
        for (const Entry& entry : blocks_)
            if (entry.number <= last) entries.push_back(entry);
        return entries;
    }

    /// Calls `visit(changes)` for the blocks after `number`, oldest first, until it returns true.
    template <typename Visit>
    void visit_after(std::uint64_t number, Visit visit) const {
        const std::shared_lock lock{mutex_};
        for (const Entry& entry : blocks_)
            if (entry.number > number && visit(*entry.changes)) return;
    }

private:
    mutable std::shared_mutex mutex_;
    std::deque<Entry> blocks_;
};

}  // namespace heddle::ledger
