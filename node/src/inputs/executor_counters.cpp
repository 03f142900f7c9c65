// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "inputs/executor_counters.hpp"

#include <iterator>

#include <fmt/format.h>

namespace heddle::node {

namespace {

using executor::ParallelStats;

constexpr ExecutorCounter kCounters[] = {
    {"dispatched", &ParallelStats::dispatched},
    {"waited", &ParallelStats::waited},
    {"edges", &ParallelStats::edges, false, "edge"},
    {"executed ahead", &ParallelStats::executed},
    {"stolen", &ParallelStats::stolen},
    {"continued", &ParallelStats::continued},
    {"in order", &ParallelStats::in_order},
    {"unattempted", &ParallelStats::unattempted},
    {"repaired", &ParallelStats::repaired},
    {"stopped", &ParallelStats::stopped},
    {"held", &ParallelStats::held},
    {"checked ahead", &ParallelStats::checked},
    {"taken back", &ParallelStats::taken_back},
    {"suspended", &ParallelStats::suspended},
    {"meetings", &ParallelStats::meetings, false, "meeting"},
    {"ns waited in them", &ParallelStats::waited_ns},
    {"blocks from lists", &ParallelStats::listed_blocks, false, "block from its list"},
    {"lists refuted", &ParallelStats::refuted_lists, false, "list refuted"},
    {"batches", &ParallelStats::batches, false, "batch"},
    {"aborted", &ParallelStats::aborted},
    {"gas ahead", &ParallelStats::attempted_gas},
    {"gas wasted", &ParallelStats::wasted_gas},
    {"gas in order", &ParallelStats::in_order_gas},
    {"cold reads", &ParallelStats::cold_reads, false, "cold read"},
    {"times window full", &ParallelStats::window_full, false, "time window full"},
    {"most in flight", &ParallelStats::most_in_flight, true},
};
static_assert(sizeof(ParallelStats) == std::size(kCounters) * sizeof(std::uint64_t),
              "a counter is missing from the list");

}  // namespace

std::span<const ExecutorCounter> executor_counters() noexcept {
    return kCounters;
}

std::string to_text(const ParallelStats& counters) {
    std::string text = fmt::format("scheduler: {} dispatched", counters.dispatched);
    for (const ExecutorCounter& counter : std::span(kCounters).subspan(1)) {
        const std::uint64_t value = counters.*counter.field;
        // That no list was wrong is worth a word where there were lists.
        const bool is_telling =
            counter.field == &ParallelStats::refuted_lists && counters.listed_blocks != 0;
        if (value != 0 || is_telling)
            text += fmt::format(", {} {}", value,
                                value == 1 && counter.one != nullptr ? counter.one : counter.name);
    }
    return text;
}

}  // namespace heddle::node
