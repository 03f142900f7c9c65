// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Medians and percentiles of measurements.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <types/assert.hpp>

namespace heddle::bench {

/// The smallest value that at least `part` (0 to 1) of all values do not exceed. Reorders.
template <typename T>
[[nodiscard]] T percentile(std::span<T> values, double part) {
    HEDDLE_ASSERT(!values.empty());
    const double scaled = part * static_cast<double>(values.size());
    auto rank = static_cast<std::size_t>(scaled);
    if (static_cast<double>(rank) < scaled) ++rank;
    rank = std::clamp<std::size_t>(rank, 1, values.size());
    const auto nth = values.begin() + static_cast<std::ptrdiff_t>(rank - 1);
    std::ranges::nth_element(values, nth);
    return *nth;
}

/// Of an even number of values, the mean of the middle two.
[[nodiscard]] inline double median(std::vector<double> values) {
    HEDDLE_ASSERT(!values.empty());
    std::ranges::sort(values);
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace heddle::bench
