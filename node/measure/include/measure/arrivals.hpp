// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// When things arrive at a server that nobody waits for: an open loop.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <workload/random.hpp>

namespace heddle::measure {

/// A Poisson process: nanoseconds from the start, ascending. The same seed gives the same moments.
[[nodiscard]] inline std::vector<std::uint64_t> poisson_arrivals(std::size_t count,
                                                                 double per_second,
                                                                 std::uint64_t seed) {
    workload::Random random(seed);
    std::vector<std::uint64_t> arrivals;
    arrivals.reserve(count);
    double at = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double uniform = (static_cast<double>(random.next() >> 11) + 1) / 0x1p53;
        at -= std::log(uniform) / per_second * 1e9;
        arrivals.push_back(static_cast<std::uint64_t>(at));
    }
    return arrivals;
}

}  // namespace heddle::measure
