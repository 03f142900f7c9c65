// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Draws from a Zipf distribution, the same on every machine: what is random is integer, and what is
// computed takes multiplications and square roots only, which IEEE 754 rounds alike everywhere.
#pragma once

#include <cstdint>
#include <vector>

#include <workload/random.hpp>

namespace heddle::workload {

/// Ranks from 0 up, where rank r comes up in proportion to (r + 1)^-skew.
/// Thread safety: draws may be concurrent, each with a stream of its own.
class Zipf {
public:
    /// @param count     More than 0; eight bytes of memory for each.
    /// @param skew_ppm  In millionths: 0 is uniform, 990,000 the YCSB default. At most 4,000,000.
    Zipf(std::uint32_t count, std::uint32_t skew_ppm);

    [[nodiscard]] std::uint32_t draw(Random& random) const noexcept;

private:
    std::uint32_t count_;
    std::vector<std::uint64_t> sums_;  // of weights up to each rank; empty where all are alike
};

}  // namespace heddle::workload
