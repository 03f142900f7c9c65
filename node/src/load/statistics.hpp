// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The few figures that stand for many times.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace heddle::node::load {

struct Percentiles {
    double p50 = 0;
    double p90 = 0;
    double p99 = 0;
    double max = 0;
};

/// Each is the least value that so many percent of all do not exceed; zeros of nothing.
[[nodiscard]] inline Percentiles percentiles(std::vector<double> values) {
    if (values.empty()) return {};
    std::ranges::sort(values);
    const auto at = [&values](std::size_t percent) {
        const std::size_t rank = (values.size() * percent + 99) / 100;
        return values[std::max<std::size_t>(rank, 1) - 1];
    };
    return {at(50), at(90), at(99), values.back()};
}

}  // namespace heddle::node::load
