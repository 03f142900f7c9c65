// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Work that is cut into units before something else can begin: units are handed out to whoever
// comes, and whoever settles the last task knows that all are. Between the two phases of a batch
// (Aria §4), and before a block: its access list is read, its signers are recovered. Those two have
// one thread that starts rounds, and claim nothing.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "workers/atomics.hpp"

namespace heddle::executor {

/// Some of a batch's units, half-open.
struct UnitRange {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    [[nodiscard]] bool is_empty() const noexcept { return begin == end; }
};

///   state          event                                next             who
///   open           claim()                              claimed          a worker
///   claimed        reopen(): there is nothing to run    open             that worker
///   claimed        start(n, u)                          executing(n, u)  that worker
///   executing(n,u) take(): k of the units               executing(n,u-k) any worker
///   executing(n,u) settle(), n > 1                      executing(n-1,u) who has run the task
///   executing(1,0) settle(), which tells it so          settled          who has run the task
///   settled        reopen()                             open             whoever ends the batch
///   settled        start(n, u)                          executing(n, u)  the one thread that does
///
/// What the claiming thread has put together is seen by who takes units of it: start() stores the
/// cursor, take() loads it, release and acquire. What was done to the tasks is seen by who settles
/// the last one: each settle() releases and acquires.
///
/// Thread safety: any.
template <typename Atomics>
class BasicBatchBarrier {
public:
    /// @return whether the calling thread is the one that puts the next batch together.
    [[nodiscard]] bool claim() noexcept {
        return !is_claimed_.exchange(true, std::memory_order_acq_rel);
    }
    /// Sequentially consistent where others sleep until it is open, see ParkingLot.
    void reopen() noexcept { is_claimed_.store(false, std::memory_order_seq_cst); }
    [[nodiscard]] bool is_open() const noexcept {
        return !is_claimed_.load(std::memory_order_seq_cst);
    }

    /// @param tasks  That have to settle; `units` of them can be taken. At least one each.
    void start(std::uint32_t tasks, std::uint32_t units) noexcept {
        unsettled_.store(tasks, std::memory_order_relaxed);
        cursor_.store(pack({0, units}), std::memory_order_seq_cst);
    }
    /// The next ones in order, at most as many, and fewer where few are left for `workers`; none:
    /// all are taken.
    [[nodiscard]] UnitRange take(std::uint32_t most, std::uint32_t workers) noexcept {
        std::uint64_t word = cursor_.load(std::memory_order_acquire);
        for (;;) {
            const UnitRange left = unpack(word);
            if (left.is_empty()) return {};
            const std::uint32_t share =
                std::clamp((left.end - left.begin) / (2 * workers), std::uint32_t{1}, most);
            const UnitRange rest{left.begin + share, left.end};
            // Acquire: the word may have been stored again since, for another batch.
            if (cursor_.compare_exchange_weak(word, pack(rest), std::memory_order_acq_rel,
                                              std::memory_order_acquire))
                return {left.begin, left.begin + share};
        }
    }
    /// Units that nobody has taken; out of date at once. Sequentially consistent, see ParkingLot.
    [[nodiscard]] std::uint32_t left() const noexcept {
        const UnitRange left = unpack(cursor_.load(std::memory_order_seq_cst));
        return left.end - left.begin;
    }
    /// A task that was taken has settled. @return whether it was the last.
    [[nodiscard]] bool settle() noexcept {
        return unsettled_.fetch_sub(1, std::memory_order_acq_rel) == 1;
    }

private:
    [[nodiscard]] static std::uint64_t pack(UnitRange range) noexcept {
        return std::uint64_t{range.begin} << 32 | range.end;
    }
    [[nodiscard]] static UnitRange unpack(std::uint64_t word) noexcept {
        return {static_cast<std::uint32_t>(word >> 32), static_cast<std::uint32_t>(word)};
    }

    alignas(64) typename Atomics::template Atomic<std::uint64_t> cursor_{0};
    alignas(64) typename Atomics::template Atomic<std::uint32_t> unsettled_{0};
    typename Atomics::template Atomic<bool> is_claimed_{false};
};

using BatchBarrier = BasicBatchBarrier<StreamAtomics>;

}  // namespace heddle::executor
