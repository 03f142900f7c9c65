// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Leaves out the edges that others imply: who waits for B, and B for A, need not wait for A too. On
// hot objects that is most of them, and each costs two atomic operations. Private to the
// dispatcher; a matter of speed only: what is left out or not never changes who may run when.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dag/dag_node.hpp"
#include "dag/object_records.hpp"

namespace heddle::executor {

/// For each position of the window, which of the 64 before it are known to be complete before it
/// runs: bit i stands for the position i + 1 before.
///
/// Protocol for a transaction: begin(), add() for each object, finish().
/// Thread safety: none, the dispatcher's.
class PredecessorFilter {
public:
    /// @param window  Positions in use at a time, counted from the oldest that is not committed.
    explicit PredecessorFilter(std::size_t window)
        : mask_(std::bit_ceil(window) - 1), ancestors_(mask_ + 1) {}

    void begin(std::uint64_t position) noexcept {
        position_ = position;
        near_ = 0;
        implied_ = 0;
        commit_ = 0;
        far_.clear();
    }

    /// What order() said of one object.
    void add(Predecessors before) {
        // Positions are committed in order, so the last commit to wait for implies the others.
        if (before.commit > commit_) commit_ = before.commit;
        if (before.complete == 0) return;
        const std::uint64_t distance = position_ - before.complete - 1;
        if (distance >= kNear) {
            far_.push_back(before.complete);
            return;
        }
        near_ |= std::uint64_t{1} << distance;
        // Two shifts, because one by 64 bits is not defined.
        implied_ |= ancestors_[before.complete & mask_] << distance << 1;
    }

    /// Calls `wait_for(event, position)` for those that are left.
    template <typename WaitFor>
    void finish(WaitFor&& wait_for) {
        if (commit_ != 0) {
            const std::uint64_t distance = position_ - commit_ - 1;
            if (distance < kNear) implied_ |= ~std::uint64_t{0} << distance;
            wait_for(DagNode::Event::commit, commit_);
        }
        ancestors_[position_ & mask_] = near_ | implied_;
        for (std::uint64_t left = near_ & ~implied_; left != 0; left &= left - 1)
            wait_for(DagNode::Event::complete,
                     position_ - 1 - static_cast<unsigned>(std::countr_zero(left)));
        // Many objects of a set may have the same predecessor, and each edge is memory and work.
        std::ranges::sort(far_);
        far_.erase(std::ranges::unique(far_).begin(), far_.end());
        for (const std::uint64_t before : far_)
            if (before > commit_) wait_for(DagNode::Event::complete, before);
    }

private:
    static constexpr std::uint64_t kNear = 64;

    const std::size_t mask_;
    std::vector<std::uint64_t> ancestors_;
    std::vector<std::uint64_t> far_;
    std::uint64_t position_ = 0;
    std::uint64_t near_ = 0;
    std::uint64_t implied_ = 0;
    std::uint64_t commit_ = 0;
};

}  // namespace heddle::executor
