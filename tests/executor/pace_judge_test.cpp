// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "pace_judge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pace_judge_fixture.hpp"

namespace heddle::executor {
namespace {

using testing::HasSubstr;

TEST_F(PaceJudgeTest, begins_ahead_of_turns) {
    EXPECT_EQ(run(kBeforeTrial, {10, 1, 1}).ahead, kBeforeTrial);
    EXPECT_FALSE(judge_.take_reason().has_value());
}

TEST_F(PaceJudgeTest, runs_alone_where_that_is_fastest_and_says_why) {
    run(kFirstTrial, {20, 15, 10});
    EXPECT_FALSE(judge_.take_reason().has_value());
    EXPECT_EQ(judge_.next(), Pace::alone);
    EXPECT_THAT(judge_.take_reason().value_or(""),
                HasSubstr("in order with nothing beside them from here on: 333 ps per gas, where "
                          "it was 666 ahead of their turn"));
    EXPECT_FALSE(judge_.take_reason().has_value()) << "once";
    EXPECT_GE(run(100, {20, 15, 10}).alone, 70);
}

TEST_F(PaceJudgeTest, runs_in_order_where_that_is_fastest) {
    run(100, {20, 10, 30});
    EXPECT_GE(run(200, {20, 10, 30}).in_order, 180);
    EXPECT_GE(run(200, {20, 10, 12}).in_order, 160);
}

TEST_F(PaceJudgeTest, finds_the_best_of_three_where_two_are_better) {
    run(300, {20, 10, 15});
    EXPECT_GE(run(300, {20, 10, 15}).in_order, 280);
    run(1'000, {20, 15, 10});
    EXPECT_GE(run(300, {20, 15, 10}).alone, 280);
}

TEST_F(PaceJudgeTest, finds_a_small_gain_but_not_at_once) {
    EXPECT_EQ(run(kFirstTrial + 2, {10, 12, 9.5}).changes, 0);
    const Runs runs = run(100, {10, 12, 9.5});
    EXPECT_EQ(runs.changes, 1);
    EXPECT_GE(runs.alone, 60);
}

TEST_F(PaceJudgeTest, goes_back_when_that_has_changed) {
    EXPECT_EQ(run(200, {20, 20, 10}).changes, 1);
    EXPECT_EQ(run(800, {10, 20, 20}).changes, 1);
    EXPECT_GE(run(100, {10, 20, 20}).ahead, 90);
}

TEST_F(PaceJudgeTest, tries_ever_less_often_where_it_is_right) {
    run(200, {10, 15, 15});
    EXPECT_GE(run(10'000, {10, 15, 15}).ahead, 9'900);
    EXPECT_LE(run(10'000, {10, 15, 15}).ahead, 9'990) << "but goes on trying";
}

TEST_F(PaceJudgeTest, ends_what_is_seen_to_lose) {
    run(kBeforeTrial, {10, 14, 14});
    EXPECT_EQ(run(30, {10, 14, 14}).alone, PaceJudge::kWarmUp + 2);
}

TEST_F(PaceJudgeTest, ends_what_takes_much_longer_while_it_warms_up) {
    run(kBeforeTrial, {10, 18, 18});
    EXPECT_EQ(run(30, {10, 18, 18}).alone, PaceJudge::kWarmUp);
}

TEST_F(PaceJudgeTest, tries_the_other_way_after_one_that_took_much_longer) {
    EXPECT_GE(run(300, {10, 8, 100}).in_order, 250);
}

TEST_F(PaceJudgeTest, tries_again_what_took_much_longer) {
    run(200, {10, 100, 100});
    EXPECT_GE(run(8'000, {30, 100, 10}).alone, 1'000);
}

// As on a machine with sixteen processors.
TEST_F(PaceJudgeTest, what_trials_cost_is_a_small_part_of_the_time) {
    const Times times{10, 160, 160};
    run(200, times);
    const double most = 1 + 2.0 / PaceJudge::kWorth;  // of two ways
    EXPECT_LE(run(20'000, times).ms, 20'000 * times.ahead * most);
}

TEST_F(PaceJudgeTest, does_not_change_for_a_little) {
    EXPECT_EQ(run(1'000, {10, 9.8, 9.8}).changes, 0);
}

TEST_F(PaceJudgeTest, is_not_misled_by_attempts_that_slow_down_what_runs_in_order) {
    slowed_by_attempts_ = 2;
    run(200, {13, 10, 20}, 4);
    EXPECT_GE(run(200, {13, 10, 20}, 4).in_order, 180);
}

// The first block that is in nobody's cache holds up others that are executed meanwhile.
TEST_F(PaceJudgeTest, is_not_misled_by_blocks_that_were_executed_in_the_time_of_another) {
    const auto load = [](int block) {
        return block % 8 == 4 ? Times{73, 90, 12} : Times{1, 12, 12};
    };
    EXPECT_EQ(run(kFirstTrial + 100, load, 8).changes, 0) << "ten in the mean is faster than 12";
}

TEST_F(PaceJudgeTest, waits_until_caches_are_filled) {
    int alone = 0;
    const auto load = [&alone](int) {
        constexpr double kCold[] = {18, 16, 13, 11, 9.5, 9, 8.9};
        return Times{11, 20, kCold[std::min(alone, 6)]};
    };
    for (int i = 0; i < 200; ++i)
        alone += run(1, load).alone;
    EXPECT_GE(alone, 100);
}

TEST_F(PaceJudgeTest, one_block_that_stood_still_changes_nothing) {
    const auto load = [](int block) {
        return block == 9 ? Times{500, 500, 500} : Times{10, 11, 10.5};
    };
    EXPECT_EQ(run(300, load).changes, 0);
}

TEST_F(PaceJudgeTest, is_not_misled_by_pauses_where_blocks_are_tiny) {
    pause_ms_ = 0.3;
    EXPECT_EQ(run(20'000, {0.08, 0.2, 0.1}, 4, kTinyGas).changes, 0)
        << "eight alone are faster, not all";
    EXPECT_EQ(run(20'000, {0.08, 0.2, 0.1}, 64, kTinyGas).changes, 0);
}

TEST_F(PaceJudgeTest, finds_what_is_faster_where_blocks_are_tiny) {
    EXPECT_EQ(run(400, {0.2, 0.15, 0.1}, 2, kTinyGas).changes, 1);
    EXPECT_GE(run(4'000, {0.2, 0.15, 0.1}, 2, kTinyGas).alone, 3'600);
    EXPECT_EQ(run(16'000, {0.08, 0.15, 0.1}, 2, kTinyGas).changes, 1);
    EXPECT_GE(run(4'000, {0.08, 0.15, 0.1}, 2, kTinyGas).ahead, 3'800);
}

// Blocks of less than a million gas were not timed at all: a stream of them took a third longer
// ahead of their turn than alone, for ever.
TEST_F(PaceJudgeTest, finds_what_is_faster_where_blocks_have_little_gas) {
    EXPECT_EQ(run(2'000, {0.023, 0.023, 0.018}, 2, kLittleGas).changes, 1);
    EXPECT_GE(run(4'000, {0.023, 0.023, 0.018}, 2, kLittleGas).alone, 3'600);
    EXPECT_EQ(run(64'000, {0.012, 0.023, 0.018}, 2, kLittleGas).changes, 1);
    EXPECT_GE(run(4'000, {0.012, 0.023, 0.018}, 2, kLittleGas).ahead, 3'800);
}

TEST_F(PaceJudgeTest, one_block_of_little_gas_that_stood_still_changes_nothing) {
    for (const int stands : {120, 250, 300, 400}) {
        const int first = number_;
        const auto load = [stands, first](int block) {
            return block == first + stands ? Times{8, 8, 8} : Times{0.02, 0.022, 0.021};
        };
        EXPECT_EQ(run(6'000, load, 2, kLittleGas).changes, 0) << stands;
    }
}

TEST_F(PaceJudgeTest, a_stretch_of_blocks_that_take_no_time_has_an_end) {
    EXPECT_EQ(run(1'700, {0.01, 0.01, 0.005}, 2, kTinyGas).changes, 1);
}

TEST_F(PaceJudgeTest, tries_after_a_few_blocks_where_no_time_is_asked_for) {
    PaceJudge judge{0};
    int alone = 0;
    for (int i = 0; i < kFirstTrial; ++i) {
        if (judge.next() == Pace::alone) ++alone;
        judge.begin(++now_ns_);
        judge.ended(kTinyGas, ++now_ns_);
    }
    EXPECT_GT(alone, 0);
}

TEST_F(PaceJudgeTest, ends_tiny_blocks_that_are_seen_to_lose_after_a_time) {
    const double all = 1'000 * 0.1;
    const double round_ms = static_cast<double>(PaceJudge::kRoundNs) / 1e6;
    const Runs runs = run(1'000, {0.1, 0.18, 0.18}, 8, kTinyGas);
    EXPECT_GT(runs.alone, 0);
    EXPECT_GT(runs.in_order, 0);
    const double rounds = 2 * PaceJudge::kWarmUp + 2 + PaceJudge::kStretch / 2.0;
    EXPECT_LE(runs.ms, all + 0.8 * (rounds + 2) * round_ms) << "that many, and what was in flight";
}

TEST_F(PaceJudgeTest, what_trials_of_tiny_blocks_cost_is_a_small_part_of_the_time) {
    pause_ms_ = 0.1;
    const Times times{0.1, 1.6, 1.6};
    const double first = run(2'000, times, 2, kTinyGas).ms - 2'000 * times.ahead;
    EXPECT_LE(first, 200) << "a fifth of a second, of a load as bad as that";
    const double most = 1.005 + 2.0 / PaceJudge::kWorth;  // of two ways, and their pauses
    EXPECT_LE(run(400'000, times, 2, kTinyGas).ms, 400'000 * times.ahead * most);
}

TEST_F(PaceJudgeTest, what_trials_of_tiny_blocks_cost_that_take_as_long_is_their_pauses) {
    pause_ms_ = 0.1;
    EXPECT_LE(run(100'000, {0.1, 0.1, 0.1}, 8, kTinyGas).ms, 100'000 * 0.1 * 1.005);
}

/// Blocks that suit one way and blocks that suit another, in turn, by so many.
class PaceJudgeAlternating : public PaceJudgeTest, public testing::WithParamInterface<int> {};

TEST_P(PaceJudgeAlternating, takes_little_longer_than_one_way_for_all_of_them) {
    const auto load = [](int block) {
        return block / GetParam() % 2 == 0 ? Times{10, 20, 20} : Times{20, 20, 10};
    };
    constexpr int kBlocks = 16'384;
    const Runs runs = run(kBlocks, load);
    EXPECT_LE(runs.ms, 1.05 * 15 * kBlocks) << "the mean of either way for all is 15";
    EXPECT_LE(runs.changes, kBlocks / 64) << "and what is changed is changed for long";
}

TEST_P(PaceJudgeAlternating, takes_little_longer_where_blocks_are_tiny) {
    const auto load = [](int block) {
        return block / GetParam() % 2 == 0 ? Times{0.1, 0.2, 0.2} : Times{0.2, 0.2, 0.1};
    };
    constexpr int kBlocks = 131'072;
    const Runs runs = run(kBlocks, load, 8, kTinyGas);
    EXPECT_LE(runs.ms, 1.05 * 0.15 * kBlocks) << "the mean of either way for all is 0.15";
    EXPECT_LE(runs.changes, runs.ms / 80) << "and what is changed is changed for long";
}

INSTANTIATE_TEST_SUITE_P(Lengths, PaceJudgeAlternating,
                         testing::Values(1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 20, 23, 26, 32, 48, 64,
                                         128, 256, 512, 2048),
                         testing::PrintToStringParamName());

/// After tiny blocks, of so much gas each.
class PaceJudgeAfterTiny : public PaceJudgeTest, public testing::WithParamInterface<std::uint64_t> {
protected:
    void SetUp() override {
        while (!judge_.is_undecided())
            run(1, {0.01, 0.01, 0.01}, 0, GetParam());
    }
};

// Whoever knows when something is tried could send hundreds of large blocks after many tiny ones.
TEST_P(PaceJudgeAfterTiny, does_not_try_as_many_large_blocks_as_were_timed_of_tiny_ones) {
    const Runs runs = run(200, {4.3, 6.5, 6.5}, 0);
    EXPECT_LE(runs.alone + runs.in_order, 12) << "in two trials";
}

TEST_P(PaceJudgeAfterTiny, does_not_lose_more_when_it_begins_again) {
    int slower = 0;
    int blocks = 0;
    for (int cycle = 0; cycle < 12; ++cycle) {
        const Runs runs = run(200, {4.3, 6.5, 6.5}, 0);
        slower += runs.alone + runs.in_order;
        blocks += 200;
        for (int i = 0; i < 5'000 && !judge_.is_undecided(); ++i)
            run(1, {0.01, 0.01, 0.01}, 0, GetParam());
    }
    EXPECT_LE(slower, blocks / 20);
}

TEST_P(PaceJudgeAfterTiny, finds_what_is_faster_where_blocks_become_large) {
    EXPECT_GE(run(200, {4.3, 4.3, 3.0}, 0).alone, 120);
}

TEST_P(PaceJudgeAfterTiny, judges_a_trial_that_the_stream_ends_with) {
    const int tried = run(5, {4.3, 4.3, 3.0}, 0).alone;
    judge_.start();
    EXPECT_GE(tried + run(195, {4.3, 4.3, 3.0}, 0).alone, 120);
}

INSTANTIATE_TEST_SUITE_P(Gas, PaceJudgeAfterTiny, testing::Values(0, 21'000, 63'000, 70'000),
                         testing::PrintToStringParamName());

TEST_F(PaceJudgeTest, learns_nothing_from_blocks_of_nearly_nothing) {
    EXPECT_EQ(run(1'000, {20, 10, 10}, 2, 21'000).changes, 0);
}

TEST_F(PaceJudgeTest, takes_time_without_blocks_for_nobodys) {
    int changes = 0;
    for (int i = 0; i < 300; ++i) {
        now_ns_ += 12'000'000'000;  // nothing has arrived
        changes += run(1, {10, 15, 15}, 0).changes;
    }
    EXPECT_EQ(changes, 0);
}

TEST_F(PaceJudgeTest, what_is_executed_for_much_longer_than_it_takes_is_not_tried_otherwise_soon) {
    overlap_ = 1.6;
    EXPECT_EQ(run(static_cast<int>(PaceJudge::kAfterOverlap), {10, 20, 20}).ahead,
              PaceJudge::kAfterOverlap);
    EXPECT_LT(run(static_cast<int>(2 * PaceJudge::kAfterOverlap), {10, 20, 20}).ahead,
              2 * PaceJudge::kAfterOverlap)
        << "but some day";
}

TEST_F(PaceJudgeTest, what_is_seen_to_overlap_when_it_is_timed_is_not_tried_otherwise_then) {
    overlap_ = 1;
    run(static_cast<int>(PaceJudge::kFirstInterval) + 2, {10, 20, 20});
    overlap_ = 1.6;
    EXPECT_EQ(run(30, {10, 20, 20}).ahead, 30);
}

TEST_F(PaceJudgeTest, what_overlaps_and_is_slower_nevertheless_is_found) {
    overlap_ = 1.6;
    run(static_cast<int>(2 * PaceJudge::kAfterOverlap), {12, 15, 10});
    EXPECT_GE(run(200, {12, 15, 10}).alone, 180);
}

TEST_F(PaceJudgeTest, what_does_not_overlap_is_tried_otherwise_as_soon_as_what_is_not_timed) {
    overlap_ = 0.9;
    run(kFirstTrial + 2, {20, 20, 10});
    EXPECT_GE(run(30, {20, 20, 10}).alone, 20);
}

}  // namespace
}  // namespace heddle::executor
