// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <executor/stats.hpp>

#include <algorithm>

namespace heddle::executor {

ParallelStats& ParallelStats::operator+=(const ParallelStats& other) noexcept {
    using Count = std::uint64_t ParallelStats::*;
    constexpr Count kCounts[] = {
        &ParallelStats::dispatched,    &ParallelStats::waited,        &ParallelStats::edges,
        &ParallelStats::executed,      &ParallelStats::stolen,        &ParallelStats::continued,
        &ParallelStats::in_order,      &ParallelStats::unattempted,   &ParallelStats::repaired,
        &ParallelStats::stopped,       &ParallelStats::held,          &ParallelStats::checked,
        &ParallelStats::taken_back,    &ParallelStats::suspended,     &ParallelStats::meetings,
        &ParallelStats::waited_ns,     &ParallelStats::batches,       &ParallelStats::aborted,
        &ParallelStats::listed_blocks, &ParallelStats::refuted_lists, &ParallelStats::attempted_gas,
        &ParallelStats::wasted_gas,    &ParallelStats::in_order_gas,  &ParallelStats::cold_reads,
        &ParallelStats::window_full};
    static_assert((std::size(kCounts) + 1) * sizeof(std::uint64_t) == sizeof(ParallelStats),
                  "a count is missing");
    for (const Count count : kCounts)
        this->*count += other.*count;
    most_in_flight = std::max(most_in_flight, other.most_in_flight);
    return *this;
}

Stats& Stats::operator+=(const Stats& other) noexcept {
    blocks += other.blocks;
    transactions += other.transactions;
    gas_used += other.gas_used;
    leaves_hashed_again += other.leaves_hashed_again;
    timing += other.timing;
    parallel += other.parallel;
    return *this;
}

}  // namespace heddle::executor
