// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/lanes/lane_application.hpp>

#include <cstdint>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "../scratch_file.hpp"

namespace heddle::consensus_adapter::lanes {
namespace {

using consensus_adapter::test::ScratchFile;

/// The first height that CometBFT is to keep; 0: all.
std::uint64_t order_next(LaneApplication& lane) {
    EXPECT_TRUE(lane.finalize({lane.committed().height + 1, 5'000}, {}).has_value());
    const auto first_needed = lane.commit();
    EXPECT_TRUE(first_needed.has_value()) << first_needed.error();
    return first_needed.value_or(0);
}

// Nobody needs old blocks to be gone, and everybody the next height: a validator that ended here
// would have ended again with each height, for as long as its disk had no room for a second log.
TEST(GivenUpBlocks, that_cannot_be_given_up_are_kept_until_it_is_tried_again) {
    const ScratchFile file{{}};
    LaneRules rules;
    rules.head = {.lane = 1, .lane_count = 3, .leading = 0};
    rules.retain_blocks = 3;
    const auto store = LaneStore::open(file.path(), rules.head).value();
    LaneApplication lane{*store, rules, {[] { return 1; }, [] { return 1; }}};
    const std::string in_the_way = file.path() + ".next";
    std::filesystem::create_directory(in_the_way);
    for (std::uint64_t height = 1; height <= 7; ++height) {
        EXPECT_FALSE(lane.why_old_are_kept().has_value()) << "before height " << height;
        EXPECT_EQ(order_next(lane), 0u);
    }
    EXPECT_EQ(lane.committed().height, 7u);
    EXPECT_EQ(lane.why_old_are_kept(),
              file.path() + ": at byte 0: cannot be written (Is a directory)");

    // Not with each height: what is kept would be written anew each time, until there is no room.
    std::filesystem::remove(in_the_way);
    for (std::uint64_t height = 8; height <= 9; ++height)
        EXPECT_EQ(order_next(lane), 0u);
    EXPECT_EQ(order_next(lane), 8u);
    EXPECT_EQ(store->given_up(), 7u);
    EXPECT_FALSE(lane.why_old_are_kept().has_value());
}

}  // namespace
}  // namespace heddle::consensus_adapter::lanes
