// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Random logs of several lanes for the merger, out of a seed: entries late, missing, twice, without
// content, or one name for two transactions.
#pragma once

#include <cstdint>
#include <vector>

#include <consensus_adapter/lanes/merger.hpp>
#include <workload/random.hpp>

namespace heddle::consensus_adapter::lanes::test {

struct LogShape {
    std::size_t lanes = 2;
    std::size_t transactions = 20;
    std::size_t cuts = 4;
    std::uint32_t objects_per_lane = 4;
    std::uint32_t multi_home_percent = 50;
    std::uint32_t exclusive_percent = 70;
    std::uint32_t missing_percent = 0;    // of the entries of multi-home transactions
    std::uint32_t duplicate_percent = 0;  // of entries
    std::uint32_t silent_percent = 0;     // of cuts
    std::uint32_t without_content_percent = 0;
    std::uint32_t two_faced_percent = 0;  // of multi-home transactions: another one in each lane
    std::uint32_t max_delay = 20;         // of an entry, where transactions come one a tick
};
/// Anything goes, in sizes that every pair can be looked at.
[[nodiscard]] LogShape any_shape(workload::Random& random);
[[nodiscard]] MergeRules any_rules(workload::Random& random, std::size_t lane_count);

/// What each cut takes of each lane.
struct LaneLogs {
    std::vector<std::vector<MergeBlock>> cuts;  // by cut, then lane
    std::vector<LaneSet> silent;                // by cut
};
[[nodiscard]] LaneLogs make_logs(const LogShape& shape, workload::Random& random);

[[nodiscard]] Hash digest_of(std::uint64_t number);
[[nodiscard]] ObjectId object_of(std::uint64_t number);

/// All that a merger makes of logs.
[[nodiscard]] std::vector<MergedCut> merge_all(Merger& merger, const LaneLogs& logs);

}  // namespace heddle::consensus_adapter::lanes::test
