// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Gauges and counters of one part of the node, as its metrics declare them. What is counted, and
// when it is looked at, is the part's business.
#pragma once

#include <cstdint>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

namespace heddle::node {

/// Thread safety: that of the registry, which outlives it.
struct MetricGroup {
    explicit MetricGroup(prometheus::Registry& the_registry) : registry(the_registry) {}

    /// One gauge a value of some label.
    [[nodiscard]] prometheus::Family<prometheus::Gauge>& gauges(const char* name,
                                                                const char* help) const {
        return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
    }
    [[nodiscard]] prometheus::Gauge& gauge(const char* name, const char* help) const {
        return gauges(name, help).Add({});
    }
    [[nodiscard]] prometheus::Counter& counter(const char* name, const char* help) const {
        return prometheus::BuildCounter().Name(name).Help(help).Register(registry).Add({});
    }

    prometheus::Registry& registry;
};

/// Of a counter that somebody else counts.
inline void catch_up(prometheus::Counter& counter, std::uint64_t value) {
    const double behind = static_cast<double>(value) - counter.Value();
    if (behind > 0) counter.Increment(behind);
}

}  // namespace heddle::node
