// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How far object sets that came with a block are believed. To find an object costs about as much as
// some hundred gas of execution, and a set costs whoever sends the block nothing: not the gas that
// its transaction may use, for it may be used on nothing, tells what it will access. So what
// transactions have accessed pays for what others name. Each has a few objects for nothing, of
// which its own price is several times as much; what is more than that is drawn, and comes back
// twofold with what is accessed, up to a bound.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace heddle::executor {

/// Thread safety: any. Which sets are used depends on what is committed in time, no result does.
class SetCredit {
public:
    static constexpr std::uint64_t kFree = 16;      // of each set: what plain transactions access
    static constexpr std::int64_t kFirst = 1'024;   // of a stream of which nothing is known
    static constexpr std::int64_t kMost = 1 << 16;  // what one block may draw that lies
    static constexpr std::uint64_t kWorth = 2;      // of what was accessed

    /// @param first  What may be drawn before anything is known; at most kMost.
    explicit SetCredit(std::int64_t first = kFirst) noexcept : left_(first) {}

    /// @return false: a set of so many objects is not to be used.
    [[nodiscard]] bool draw(std::uint64_t objects) noexcept {
        if (objects <= kFree) return true;
        if (objects - kFree > static_cast<std::uint64_t>(kMost)) return false;
        const auto wanted = static_cast<std::int64_t>(objects - kFree);
        // One thread draws; others only add.
        if (left_.load(std::memory_order_relaxed) < wanted) return false;
        left_.fetch_sub(wanted, std::memory_order_relaxed);
        return true;
    }
    /// A transaction has accessed so many objects. By whoever commits.
    void pay(std::uint64_t objects) noexcept {
        const std::int64_t left = left_.load(std::memory_order_relaxed);
        if (left >= kMost) return;  // others read this line: it is not written in vain
        const auto most = static_cast<std::uint64_t>(kMost - left);
        left_.fetch_add(static_cast<std::int64_t>(std::min(kWorth * objects, most)),
                        std::memory_order_relaxed);
    }
    /// A new stream; nothing is in flight.
    void reset() noexcept { left_.store(kFirst, std::memory_order_relaxed); }

private:
    alignas(64) std::atomic<std::int64_t> left_;
};

}  // namespace heddle::executor
