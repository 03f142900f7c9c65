// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The few figures that stand for many measurements, and how far they can be trusted.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <types/assert.hpp>

namespace heddle::measure {

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

/// Standard error of the median, as a share of it, for values that scatter like a normal
/// distribution but for some outliers: 1.2533 sigma / sqrt(n), sigma being 1.4826 times the median
/// distance from the median. Infinite for fewer than three values, which say nothing about it, and
/// where the median is not positive.
[[nodiscard]] inline double relative_error(const std::vector<double>& values) {
    if (values.size() < 3) return INFINITY;
    const double middle = median(values);
    if (!(middle > 0)) return INFINITY;
    std::vector<double> distances;
    distances.reserve(values.size());
    for (const double value : values)
        distances.push_back(std::abs(value - middle));
    const double sigma = 1.4826 * median(std::move(distances));
    return 1.2533 * sigma / std::sqrt(static_cast<double>(values.size())) / middle;
}

/// Each of `one` over that of `other` beside it.
[[nodiscard]] inline std::vector<double> ratios(const std::vector<double>& one,
                                                const std::vector<double>& other) {
    HEDDLE_ASSERT(one.size() == other.size());
    std::vector<double> result;
    result.reserve(one.size());
    for (std::size_t i = 0; i < one.size(); ++i)
        result.push_back(one[i] / other[i]);
    return result;
}

/// What two contenders that are the same differ by, measured in turn: how far the median of their
/// ratios is from 1, or three standard errors of it where that is more. A share; differences below
/// it mean nothing. Infinite for fewer than three pairs.
[[nodiscard]] inline double pair_noise(const std::vector<double>& one,
                                       const std::vector<double>& other) {
    const std::vector<double> pairs = ratios(one, other);
    if (pairs.size() < 3) return INFINITY;
    return std::max(std::abs(median(pairs) - 1), 3 * relative_error(pairs));
}

}  // namespace heddle::measure
