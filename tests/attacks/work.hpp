// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How much was executed, counted in gas, and what attempts may lose.
#pragma once

#include <algorithm>
#include <cstdint>

#include "harness.hpp"

namespace heddle::test {

// What attempts may lose beyond what is executed anyway (docs/execution-model.md): an amount for
// each transaction, less than the 21,000 gas that it pays before it executes, and one for each
// worker: up to 32 times what the largest transaction takes, within bounds; kFirst to begin with.
inline constexpr std::uint64_t kFree = 10'000;
inline constexpr std::uint64_t kPeaks = 32;
inline constexpr std::uint64_t kFirst = 1'000'000;
inline constexpr std::uint64_t kMost = 17'000'000;

struct Work {
    std::uint64_t own = 0;     // what is executed in order
    std::uint64_t wasted = 0;  // by attempts that did not hold

    Work& operator+=(const Work& other) noexcept {
        own += other.own;
        wasted += other.wasted;
        return *this;
    }
};
[[nodiscard]] inline Work work_of(const executor::ParallelStats& stats) noexcept {
    return {stats.attempted_gas - stats.wasted_gas + stats.in_order_gas, stats.wasted_gas};
}

/// As the execution model states it, without the credit that an attempt has at its turn: what is
/// cheap in order does not come to need it.
/// @param run  What is executed in order, so many times.
[[nodiscard]] inline std::uint64_t most_wasted(std::uint64_t own, const RunRecord& run,
                                               unsigned workers, std::uint64_t times = 1) {
    std::uint64_t transactions = 0;
    std::uint64_t peak = 0;
    for (const BlockRecord& block : run.blocks) {
        transactions += block.receipts.size();
        for (const Receipt& receipt : block.receipts)
            peak = std::max(peak, receipt.gas_used);
    }
    return own + times * transactions * kFree + workers * std::clamp(kPeaks * peak, kFirst, kMost);
}

}  // namespace heddle::test
