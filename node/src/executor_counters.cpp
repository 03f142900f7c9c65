// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "executor_counters.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include <fmt/format.h>

namespace heddle::node {

namespace {

using executor::DagStats;

struct Counter {
    const char* name;
    std::uint64_t DagStats::* field;
    bool is_largest = false;  // of all values, not their sum
};

constexpr Counter kCounters[] = {
    {"dispatched", &DagStats::dispatched},
    {"waited", &DagStats::waited},
    {"edges", &DagStats::edges},
    {"executed ahead", &DagStats::executed},
    {"stolen", &DagStats::stolen},
    {"continued", &DagStats::continued},
    {"in order", &DagStats::in_order},
    {"unattempted", &DagStats::unattempted},
    {"repaired", &DagStats::repaired},
    {"cold reads", &DagStats::cold_reads},
    {"times window full", &DagStats::window_full},
    {"most in flight", &DagStats::most_in_flight, true},
};
static_assert(sizeof(DagStats) == std::size(kCounters) * sizeof(std::uint64_t),
              "a counter is missing from the list");

}  // namespace

void add_counters(DagStats& sum, const DagStats& other) noexcept {
    for (const Counter& counter : kCounters) {
        std::uint64_t& value = sum.*counter.field;
        const std::uint64_t more = other.*counter.field;
        value = counter.is_largest ? std::max(value, more) : value + more;
    }
}

std::string to_text(const DagStats& counters) {
    std::string text = "scheduler:";
    for (const Counter& counter : kCounters)
        text += fmt::format("{} {} {}", &counter == kCounters ? "" : ",", counters.*counter.field,
                            counter.name);
    return text;
}

}  // namespace heddle::node
