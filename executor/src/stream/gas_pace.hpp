// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What time is worth in gas. Gas is no measure of time: hashing takes fifty times as long for its
// gas as making a contract and destroying it. An attempt that burns the former while what is
// committed does the latter costs the stream fifty times what its gas says. So an attempt is
// charged for the gas that what is committed would have used in the time that it has taken, if that
// is more than its own.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "workers/atomics.hpp"

namespace heddle::executor {

/// The sums of gas and of time are compared, not the paces of single transactions: whoever lets
/// quick and slow ones alternate is charged by their mean, which is what has been waited for.
///
/// Thread safety: worth() any; the rest by one thread at a time, in stream order.
class GasPace {
public:
    /// What a transaction has paid for before it executes, or less: it has its part in the time.
    static constexpr std::int64_t kBeforeExecution = 10'000;

    /// @param ticks  Not negative, of StreamAtomics::ticks().
    /// @return the gas that what was committed of late has used in so many; 0: nothing is known.
    [[nodiscard]] std::int64_t worth(std::int64_t ticks) const noexcept {
        const std::int64_t pace = pace_.load(std::memory_order_relaxed);
        return std::min(ticks, kMostTicks) * pace >> kShift;
    }

    /// A transaction is committed.
    /// @param gas    What executing it took.
    /// @param ticks  The same; 0: it was not timed.
    void note(std::int64_t gas, std::int64_t ticks) noexcept {
        if (ticks <= 0) return;
        gas_ += std::min(gas, kMostGas) + kBeforeExecution;
        ticks_ += std::min(ticks, kMostTicks);
        ++noted_;
        // Workers read it: not after each one, except for the first.
        if (noted_ >= kPublished || std::has_single_bit(noted_)) publish();
    }

private:
    static constexpr unsigned kShift = 10;
    static constexpr std::uint32_t kPublished = 16;  // transactions
    /// Sums of more than this many times kPublished transactions, about, are forgotten by halves.
    static constexpr std::int64_t kMemory = 8;
    // So that no product or sum leaves its type: some minutes, and more than blocks have.
    static constexpr std::int64_t kMostTicks = std::int64_t{1} << 36;
    static constexpr std::int64_t kMostGas = std::int64_t{1} << 36;
    static constexpr std::int64_t kMostPace = std::int64_t{1} << 26;

    void publish() noexcept {
        const std::int64_t pace = std::min((gas_ << kShift) / ticks_, kMostPace);
        pace_.store(pace, std::memory_order_relaxed);
        if (noted_ < kPublished) return;
        noted_ = kPublished / 2;
        gas_ -= gas_ / kMemory;
        ticks_ -= ticks_ / kMemory;
    }

    alignas(64) StreamAtomics::Atomic<std::int64_t> pace_{0};  // gas in 2^kShift ticks
    alignas(64) std::int64_t gas_ = 0;
    std::int64_t ticks_ = 0;
    std::uint32_t noted_ = 0;
};

}  // namespace heddle::executor
