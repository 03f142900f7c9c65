// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/lanes/cut.hpp>

#include <array>

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

TEST(Cut, comes_to_the_last_height_that_there_can_be) {
    const Cut before{{~0ull - 3, 3, 5}, {}};
    EXPECT_THAT(next_cut(kRules, before, leading(4, {~0ull, 0, 6})).heights,
                ElementsAre(~0ull, 4, 6));
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

TEST(CutMaker, a_clock_that_went_back_makes_no_lane_silent) {
    CutMaker maker(kRules, 500, 1'000);
    EXPECT_TRUE(maker.next(400).silent.is_empty());
    maker.saw(0, 1, 1'100);
    EXPECT_EQ(maker.speaking(400).bits(), 0b001u);
}

TEST(CutMaker, others_that_were_heard_of_lately_speak) {
    CutMaker maker(kRules, 500, 1'000);
    EXPECT_TRUE(maker.speaking(1'000).is_empty()) << "of none there is a block";
    maker.saw(2, 1, 1'100);
    maker.saw(1, 1, 1'100);
    EXPECT_EQ(maker.speaking(1'349).bits(), 0b100u) << "not the leading lane itself";
    EXPECT_TRUE(maker.speaking(1'350).is_empty()) << "half of the time of silence";
}

TEST(CutMaker, old_heights_and_lanes_that_there_are_not_change_nothing) {
    CutMaker maker(kRules, 500, 0);
    maker.saw(0, 5, 100);
    maker.saw(0, 4, 900);
    maker.saw(9, 1, 900);
    EXPECT_THAT(maker.next(900).heights, ElementsAre(5, 0, 0));
    EXPECT_TRUE(maker.next(900).silent.has(0));
}

/// Lane 2 has four witnesses.
constexpr std::array<std::size_t, 3> kWitnesses{1, 1, 4};

TEST(CutMaker, one_of_four_witnesses_that_lies_changes_nothing_and_is_doubted) {
    CutMaker maker(kRules, 500, 0, kWitnesses);
    const Witness liar{2, 1};
    maker.saw(liar, 1'000'000, 10);
    EXPECT_THAT(maker.next(10).heights, ElementsAre(0, 0, 0));
    for (std::uint64_t height = 1; height <= 20; ++height) {
        const std::uint64_t now = 50 * height;
        maker.saw(Witness{2, 0}, height, now);
        maker.saw(liar, 1'000'000 + height, now);
        EXPECT_THAT(maker.next(now).heights, ElementsAre(0, 0, height));
        EXPECT_FALSE(maker.next(now).silent.has(2));
        EXPECT_EQ(maker.is_doubted(liar, now), now >= 510) << now;
        EXPECT_FALSE(maker.is_doubted({2, 0}, now));
    }
    // It keeps nobody from being silent either.
    EXPECT_TRUE(maker.next(1'500).silent.has(2));
}

TEST(CutMaker, one_of_four_witnesses_that_is_away_changes_nothing) {
    CutMaker maker(kRules, 500, 0, kWitnesses);
    for (const std::size_t number : {0u, 2u, 3u})
        maker.saw(Witness{2, number}, 7, 100);
    EXPECT_THAT(maker.next(100).heights, ElementsAre(0, 0, 7));
    maker.saw(Witness{2, 3}, 8, 200);
    EXPECT_THAT(maker.next(200).heights, ElementsAre(0, 0, 7)) << "one alone";
    maker.saw(Witness{2, 0}, 8, 201);
    EXPECT_THAT(maker.next(201).heights, ElementsAre(0, 0, 8));
    EXPECT_FALSE(maker.is_doubted({2, 3}, 9'999));
}

TEST(CutMaker, a_third_is_not_believed_and_more_than_a_third_is) {
    for (const std::size_t count : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 9u, 10u, 16u}) {
        const std::size_t liars = count / 3;
        CutMaker maker(kRules, 500, 0, std::array<std::size_t, 3>{1, 1, count});
        for (std::size_t number = 0; number < liars; ++number)
            maker.saw(Witness{2, number}, 9, 100);
        EXPECT_THAT(maker.next(100).heights, ElementsAre(0, 0, 0)) << liars << " of " << count;
        maker.saw(Witness{2, liars}, 7, 100);
        EXPECT_THAT(maker.next(100).heights, ElementsAre(0, 0, 7)) << "one more of " << count;
    }
}

TEST(CutMaker, what_a_witness_takes_back_is_not_named_for_ever) {
    CutMaker maker(kRules, 500, 0);
    maker.saw(2, 1'000'000, 100);
    maker.saw(2, 3, 200);
    EXPECT_THAT(maker.next(200).heights, ElementsAre(0, 0, 1'000'000));
    maker.saw(2, 5, 700);
    EXPECT_THAT(maker.next(700).heights, ElementsAre(0, 0, 5));
    maker.saw(2, 6, 900);
    EXPECT_FALSE(maker.next(1'300).silent.has(2)) << "it goes on";
}

TEST(CutMaker, what_a_witness_takes_back_it_must_take_back_for_the_whole_time) {
    CutMaker maker(kRules, 500, 0);
    maker.saw(2, 10, 100);
    maker.saw(2, 3, 200);
    maker.saw(2, 11, 300);
    maker.saw(2, 5, 750);
    EXPECT_THAT(maker.next(750).heights, ElementsAre(0, 0, 11));
    maker.saw(2, 5, 1'250);
    EXPECT_THAT(maker.next(1'250).heights, ElementsAre(0, 0, 5));
}

TEST(CutMaker, witnesses_that_there_are_not_are_not_believed) {
    CutMaker maker(kRules, 500, 0, kWitnesses);
    maker.saw(Witness{2, 4}, 7, 100);
    maker.saw(Witness{0, 1}, 7, 100);
    EXPECT_THAT(maker.next(100).heights, ElementsAre(0, 0, 0));
    EXPECT_FALSE(maker.is_doubted({2, 4}, 9'999));
    EXPECT_FALSE(maker.is_doubted({3, 0}, 9'999));
}

}  // namespace
}  // namespace heddle::consensus_adapter::lanes
