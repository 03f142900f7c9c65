// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Logs of lanes out of a chain file: what lanes would have recorded, had its transactions come to
// them. For trying lanes out, and for tests.
#pragma once

#include <cstdint>
#include <string>

#include "inputs/chain_input.hpp"

namespace heddle::node {

struct LanesSplitOptions {
    ChainInput input;              // with object sets of every block
    std::uint32_t lane_count = 3;  // at most kMaxLanes
    /// Not zero: by this seed, lanes lag behind each other and take neighbours in another order,
    /// never those of one sender.
    std::uint64_t seed = 0;
    std::string out;  // folder to make
};

struct LanesSplitSummary {
    std::uint64_t blocks = 0;
    std::uint64_t transactions = 0;
    std::uint64_t several_homes = 0;
    std::uint64_t entries = 0;
};

/// Writes `out/lane-0.log` and so on. Homes are make_even_ranges(); lane 0 leads.
/// Errors: InputError, also where a block comes without its object sets.
[[nodiscard]] LanesSplitSummary split_chain(const LanesSplitOptions& options);

}  // namespace heddle::node
