// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The part of the stream that is in flight: a ring of tasks by position, from the next one to be
// committed to the last one dispatched.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "prefetch.hpp"
#include "task.hpp"

namespace heddle::executor {

/// Positions count from 1. A slot is used again when its position is no longer held(), so that a
/// task in flight never moves, and a task far behind cannot hold back more than the window's
/// length.
///
/// Thread safety: dispatched() and committed() are moved by the dispatcher and the committer; at()
/// for positions in between by anybody who got the position from a queue, and below for nobody.
class Window {
public:
    explicit Window(std::size_t capacity)
        : mask_(std::bit_ceil(capacity) - 1), chunks_((mask_ + kChunk) / kChunk) {}

    [[nodiscard]] std::size_t capacity() const noexcept { return mask_ + 1; }

    [[nodiscard]] Task& at(std::uint64_t position) const noexcept {
        const std::size_t slot = position & mask_;
        return chunks_[slot / kChunk][slot % kChunk];
    }
    /// The dispatcher: makes sure that the position's slot exists.
    [[nodiscard]] Task& make(std::uint64_t position) {
        std::unique_ptr<Task[]>& chunk = chunks_[(position & mask_) / kChunk];
        if (chunk == nullptr) chunk = std::make_unique<Task[]>(kChunk);
        Task& task = at(position);
        prefetch_for_write(&task + kAhead);
        return task;
    }

    /// All positions below have been dispatched.
    [[nodiscard]] std::uint64_t dispatched() const noexcept {
        return dispatched_.load(std::memory_order_seq_cst);
    }
    /// All positions below have been committed.
    [[nodiscard]] std::uint64_t committed() const noexcept {
        return committed_.load(std::memory_order_seq_cst);
    }
    /// Release publishes the task's fields to whoever reads dispatched(). Sequentially consistent
    /// where others sleep until there is something to commit, see ParkingLot.
    void set_dispatched(std::uint64_t end, bool is_announced) noexcept {
        dispatched_.store(end,
                          is_announced ? std::memory_order_seq_cst : std::memory_order_release);
    }
    /// Release gives the task's slot back to the dispatcher.
    void set_committed(std::uint64_t end) noexcept {
        committed_.store(end, std::memory_order_release);
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

    /// After a run of set_committed(), before those who sleep until the window moves are notified:
    /// the same once more in the single order, see ParkingLot. The committer's, in its role.
    void announce_committed() noexcept {
        committed_.store(committed_.load(std::memory_order_relaxed), std::memory_order_seq_cst);
    }

private:
    static constexpr std::size_t kChunk = 64;
    static constexpr std::size_t kAhead = 2;  // tasks ahead of a new one that are fetched
    static constexpr std::uint64_t kNoLookup = ~std::uint64_t{0};

    const std::size_t mask_;
    // Filled by the dispatcher; a chunk is there before any of its positions is known to others.
    std::vector<std::unique_ptr<Task[]>> chunks_;
    alignas(64) std::atomic<std::uint64_t> dispatched_{1};
    alignas(64) std::atomic<std::uint64_t> committed_{1};
    std::atomic<std::uint64_t> looked_up_{kNoLookup};
};

}  // namespace heddle::executor
