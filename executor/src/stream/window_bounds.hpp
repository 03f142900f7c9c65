// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which positions of the stream are in flight, and which may be looked up: the counters of the
// window and nothing else.
#pragma once

#include <algorithm>
#include <cstdint>

#include "workers/atomics.hpp"

namespace heddle::executor {

/// Positions count from 1.
///
///   committed() <= positions in flight < dispatched()
///   held()      <= committed(): what is below may be filled in anew
///
/// Thread safety: each count is moved by one thread at a time, as its setter says, and read by any.
template <typename Atomics>
class BasicWindowBounds {
public:
    /// All positions below have been dispatched.
    [[nodiscard]] std::uint64_t dispatched() const noexcept {
        return dispatched_.load(std::memory_order_seq_cst);
    }
    /// All positions below have been committed.
    [[nodiscard]] std::uint64_t committed() const noexcept {
        return committed_.load(std::memory_order_seq_cst);
    }
    /// Whether the next position to be committed is there and `is_settled(position)`.
    template <typename IsSettled>
    [[nodiscard]] bool is_committable(IsSettled&& is_settled) const noexcept {
        const std::uint64_t position = committed();
        return position < dispatched() && is_settled(position);
    }

    /// The dispatcher. Release publishes the task's fields to whoever reads dispatched().
    /// Sequentially consistent where others sleep until there is something to commit, see
    /// ParkingLot.
    void set_dispatched(std::uint64_t end, bool is_announced) noexcept {
        dispatched_.store(end,
                          is_announced ? std::memory_order_seq_cst : std::memory_order_release);
    }
    /// The committer. Release gives the task's slot back to the dispatcher.
    void set_committed(std::uint64_t end) noexcept {
        committed_.store(end, std::memory_order_release);
    }
    /// After a run of set_committed(), before those who sleep until the window moves are notified:
    /// the same once more in the single order, see ParkingLot. The committer's, in its role.
    void announce_committed() noexcept {
        committed_.store(committed_.load(std::memory_order_relaxed), std::memory_order_seq_cst);
    }

    /// Positions from here on have not been committed or may still be looked up by the dispatcher:
    /// their slots are not free.
    [[nodiscard]] std::uint64_t held() const noexcept {
        // In this order: see begin_lookup().
        const std::uint64_t done = committed();
        return std::min(done, looked_up_.load(std::memory_order_seq_cst));
    }
    /// The last stage of the dispatcher, where another thread fills in tasks: from here to
    /// end_lookup() it may look up positions from the one given on.
    ///
    /// It announces a bound first and reads what is committed afterwards, all sequentially
    /// consistent. Whoever fills in tasks either sees the bound, or has seen a count of committed
    /// ones that is not above the one given here; a slot that it reuses is not looked up.
    [[nodiscard]] std::uint64_t begin_lookup() noexcept {
        looked_up_.store(committed(), std::memory_order_seq_cst);
        return committed();
    }
    void end_lookup() noexcept { looked_up_.store(kNoLookup, std::memory_order_seq_cst); }

private:
    static constexpr std::uint64_t kNoLookup = ~std::uint64_t{0};
    template <typename T>
    using Atomic = typename Atomics::template Atomic<T>;

    alignas(64) Atomic<std::uint64_t> dispatched_{1};
    alignas(64) Atomic<std::uint64_t> committed_{1};
    Atomic<std::uint64_t> looked_up_{kNoLookup};
};

using WindowBounds = BasicWindowBounds<StreamAtomics>;

}  // namespace heddle::executor
