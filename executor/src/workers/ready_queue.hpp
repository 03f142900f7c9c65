// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A queue of ready transactions: one thread puts them in, all take them out, oldest first, several
// at once where there are many. Oldest first because the committer needs them in that order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "workers/atomics.hpp"

namespace heddle::executor {

/// A ready transaction: its place in the stream and what it may cost.
struct ReadyItem {
    std::uint64_t position = 0;
    std::uint64_t gas = 0;  // its gas limit, rounded up to kGasUnit
};

/// What one worker takes at once, in gas: about as much as 16 plain transfers (21,000 gas each).
inline constexpr std::uint64_t kMaxTakenGas = 400'000;

/// Protocol: slots [head, tail) hold items. The owner writes slot `tail` and then moves tail; a
/// taker reads slots from head on and then moves head by compare-exchange, which fails if another
/// taker was faster; the owner overwrites a slot only when head has passed it, so what a successful
/// taker has read was still there.
///
/// Thread safety: push() by the owner, everything else by anybody.
template <typename Atomics>
class BasicReadyQueue {
public:
    static constexpr std::size_t kMaxTaken = 16;
    static constexpr std::uint64_t kGasUnit = 1024;
    static constexpr std::uint64_t kNoPosition = ~std::uint64_t{0};

    /// `capacity`: rounded up to a power of two.
    explicit BasicReadyQueue(std::size_t capacity)
        : mask_(std::bit_ceil(capacity) - 1), slots_(std::make_unique<Slot[]>(mask_ + 1)) {}

    /// @return false: full.
    [[nodiscard]] bool push(ReadyItem item) noexcept {
        const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
        // Acquire pairs with take(): the slot's old item has been read.
        if (tail - head_.load(std::memory_order_acquire) > mask_) return false;
        slots_[tail & mask_].store(pack(item), std::memory_order_relaxed);
        // Release publishes the slot. Sequentially consistent, because ParkingLot::notify() must
        // come after it in the single order.
        tail_.store(tail + 1, std::memory_order_seq_cst);
        return true;
    }

    /// Takes the oldest item and, while their gas together stays within `max_gas`, the next ones.
    /// @param items  At most as many are taken, and at most half of what is there.
    /// @return how many.
    [[nodiscard]] std::size_t take(std::span<ReadyItem> items, std::uint64_t max_gas) noexcept {
        std::uint64_t head = head_.load(std::memory_order_acquire);
        for (;;) {
            const std::uint64_t tail = tail_.load(std::memory_order_seq_cst);
            if (head >= tail) return 0;
            const std::size_t most =
                std::min<std::size_t>(items.size(), static_cast<std::size_t>(tail - head + 1) / 2);
            std::size_t count = 0;
            std::uint64_t gas = 0;
            while (count < most) {
                items[count] =
                    unpack(slots_[(head + count) & mask_].load(std::memory_order_relaxed));
                gas += items[count].gas;
                if (count != 0 && gas > max_gas) break;
                ++count;
            }
            // Release pairs with push(): the slots have been read before they can be overwritten.
            if (head_.compare_exchange_weak(head, head + count, std::memory_order_acq_rel,
                                            std::memory_order_acquire))
                return count;
        }
    }

    /// Position of the oldest item; kNoPosition: empty. Out of date at once.
    [[nodiscard]] std::uint64_t oldest() const noexcept {
        const std::uint64_t head = head_.load(std::memory_order_acquire);
        if (head >= tail_.load(std::memory_order_acquire)) return kNoPosition;
        return unpack(slots_[head & mask_].load(std::memory_order_relaxed)).position;
    }

    /// How many wait; out of date at once.
    [[nodiscard]] std::size_t size() const noexcept {
        const std::uint64_t head = head_.load(std::memory_order_relaxed);
        const std::uint64_t tail = tail_.load(std::memory_order_seq_cst);
        return tail > head ? static_cast<std::size_t>(tail - head) : 0;
    }

private:
    using Slot = typename Atomics::template Atomic<std::uint64_t>;
    static constexpr unsigned kGasBits = 20;

    [[nodiscard]] static std::uint64_t pack(ReadyItem item) noexcept {
        const std::uint64_t units = (item.gas + kGasUnit - 1) / kGasUnit;
        return item.position << kGasBits |
               std::min<std::uint64_t>(units, (std::uint64_t{1} << kGasBits) - 1);
    }
    [[nodiscard]] static ReadyItem unpack(std::uint64_t word) noexcept {
        return {word >> kGasBits, (word & ((std::uint64_t{1} << kGasBits) - 1)) * kGasUnit};
    }

    const std::size_t mask_;
    const std::unique_ptr<Slot[]> slots_;
    alignas(64) typename Atomics::template Atomic<std::uint64_t> head_{0};
    alignas(64) typename Atomics::template Atomic<std::uint64_t> tail_{0};
};

using ReadyQueue = BasicReadyQueue<StreamAtomics>;

}  // namespace heddle::executor
