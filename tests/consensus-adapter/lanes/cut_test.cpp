// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/lanes/cut.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::consensus_adapter::lanes {
namespace {

using testing::ElementsAre;

const CutRules kRules{.lane_count = 3, .leading = 1, .max_blocks = 10};

LaneBlock leading(std::uint64_t height, std::vector<std::uint64_t> heights, LaneSet silent = {}) {
    return {1, height, 0, Cut{std::move(heights), silent}, {}};
}

TEST(Cut, takes_the_heights_that_the_leading_lane_has_seen_and_its_own) {
    const Cut cut = next_cut(kRules, first_cut(kRules), leading(1, {4, 0, 7}));
    EXPECT_THAT(cut.heights, ElementsAre(4, 1, 7));
}

TEST(Cut, never_goes_back) {
    const Cut before{{5, 3, 5}, {}};
    EXPECT_THAT(next_cut(kRules, before, leading(4, {2, 0, 6})).heights, ElementsAre(5, 4, 6));
}

TEST(Cut, goes_on_by_no_more_than_the_bound) {
    const Cut before{{5, 3, 5}, {}};
    EXPECT_THAT(next_cut(kRules, before, leading(4, {1'000, 0, ~0ull})).heights,
                ElementsAre(15, 4, 15));
}

TEST(Cut, of_another_number_of_lanes_or_none_moves_nothing_but_the_leading_lane) {
    const Cut before{{5, 3, 5}, {}};
    EXPECT_THAT(next_cut(kRules, before, leading(4, {9, 9})).heights, ElementsAre(5, 4, 5));
    EXPECT_THAT(next_cut(kRules, before, {1, 4, 0, std::nullopt, {}}).heights,
                ElementsAre(5, 4, 5));
}

TEST(Cut, only_other_lanes_of_the_chain_are_silent) {
    const Cut cut = next_cut(kRules, first_cut(kRules), leading(1, {0, 0, 0}, LaneSet{~0ull}));
    EXPECT_EQ(cut.silent.bits(), 0b101u);
    EXPECT_TRUE(next_cut(kRules, cut, leading(2, {0, 0, 0})).silent.is_empty());
}

TEST(CutMaker, names_a_lane_as_silent_after_the_time_and_no_longer_once_it_is_back) {
    CutMaker maker(kRules, 500, 1'000);
    maker.saw(0, 1, 1'100);
    EXPECT_TRUE(maker.next(1'400).silent.is_empty());
    EXPECT_EQ(maker.next(1'500).silent.bits(), 0b100u);
    EXPECT_EQ(maker.next(1'600).silent.bits(), 0b101u);
    maker.saw(2, 1, 1'601);
    EXPECT_EQ(maker.next(1'602).silent.bits(), 0b001u);
}

TEST(CutMaker, old_heights_and_lanes_that_there_are_not_change_nothing) {
    CutMaker maker(kRules, 500, 0);
    maker.saw(0, 5, 100);
    maker.saw(0, 4, 900);
    maker.saw(9, 1, 900);
    EXPECT_THAT(maker.next(900).heights, ElementsAre(5, 0, 0));
    EXPECT_TRUE(maker.next(900).silent.has(0));
}

}  // namespace
}  // namespace heddle::consensus_adapter::lanes
