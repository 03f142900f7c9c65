// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the judge of paces makes of streams that end, most of them before a stretch of blocks does.
#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "pace_judge_fixture.hpp"

namespace heddle::executor {
namespace {

/// From 0 to 1, of a block by its number.
double random_share(int block) {
    std::minstd_rand random(static_cast<unsigned>(block) + 1);
    random.discard(3);
    return static_cast<double>(random() - random.min()) /
           static_cast<double>(random.max() - random.min());
}

TEST_F(PaceJudgeTest, forgets_what_was_under_way_in_a_stream_that_ended) {
    run(kBeforeTrial + 3, {20, 20, 10}, 0);
    EXPECT_TRUE(judge_.is_undecided());
    judge_.start();
    EXPECT_FALSE(judge_.is_undecided());
    EXPECT_EQ(run(5, {20, 20, 10}).ahead, 5);
}

TEST_F(PaceJudgeTest, goes_on_from_stream_to_stream) {
    for (int i = 0; i < 100; ++i) {
        run(kFirstTrial, {20, 20, 10}, 0);
        judge_.start();
    }
    EXPECT_GE(run(kFirstTrial, {20, 20, 10}).alone, kFirstTrial - 4);
}

TEST_F(PaceJudgeTest, finds_what_is_faster_in_streams_shorter_than_a_stretch) {
    int changes = 0;
    for (int i = 0; i < 20; ++i) {
        changes += run(60, {0.2, 0.2, 0.1}, 0, kTinyGas).changes;
        judge_.start();
    }
    EXPECT_EQ(changes, 1);
    EXPECT_GE(run(60, {0.2, 0.2, 0.1}, 0, kTinyGas).alone, 40);
}

TEST_F(PaceJudgeTest, a_stream_without_blocks_ends_no_trial) {
    run(kBeforeTrial, {20, 20, 10}, 0);
    judge_.start();
    EXPECT_TRUE(judge_.is_undecided());
    judge_.start();
    EXPECT_EQ(run(static_cast<int>(PaceJudge::kWarmUp), {20, 20, 10}, 0).alone, PaceJudge::kWarmUp);
}

TEST_F(PaceJudgeTest, what_trials_cost_that_streams_cut_short_is_a_small_part_of_the_time) {
    const Times times{10, 160, 160};
    run_streams(20, kBeforeTrial + 1, times);
    constexpr int kStreams = 1'000;
    const double most = 1 + 2.0 / PaceJudge::kWorth;  // of two ways
    EXPECT_LE(run_streams(kStreams, kBeforeTrial + 1, times).ms,
              kStreams * (kBeforeTrial + 1) * times.ahead * most);
}

/// Streams that are over before a stretch is, by their blocks.
class PaceJudgeOfStreams : public PaceJudgeTest, public testing::WithParamInterface<int> {
protected:
    static constexpr int kBlocks = 420;
    Runs run_blocks(int count, const Load& load) {
        return run_streams(count / GetParam(), GetParam(), load);
    }
    Runs run_blocks(int count, const Times& times) {
        return run_blocks(count, [times](int) { return times; });
    }
};

TEST_P(PaceJudgeOfStreams, finds_what_is_faster) {
    run_blocks(kBlocks, {20, 20, 10});
    EXPECT_GE(run_blocks(kBlocks, {20, 20, 10}).alone, kBlocks * 9 / 10);
}

TEST_P(PaceJudgeOfStreams, finds_a_small_gain) {
    run_blocks(kBlocks, {10, 9, 15});
    EXPECT_GE(run_blocks(kBlocks, {10, 9, 15}).in_order, kBlocks * 9 / 10);
}

TEST_P(PaceJudgeOfStreams, does_not_change_for_a_little) {
    EXPECT_EQ(run_blocks(10 * kBlocks, {10, 9.8, 9.8}).changes, 0);
}

TEST_P(PaceJudgeOfStreams, is_not_misled_by_first_blocks_that_take_longer) {
    const auto load = [](int block) {
        return block % GetParam() == 0 ? Times{30, 33, 33} : Times{10, 11, 11};
    };
    EXPECT_EQ(run_blocks(10 * kBlocks, load).changes, 0);
}

/// Some take ten times as long for their gas as others.
TEST_P(PaceJudgeOfStreams, blocks_that_differ_take_little_longer_than_the_faster_way) {
    double best = 0;
    const auto load = [&best](int block) {
        const double times = std::exp2(3.3 * random_share(block)) / 3;
        best += 10 * times;
        return Times{10 * times, 13 * times, 13 * times};
    };
    run_blocks(10 * kBlocks, load);
    best = 0;
    const double ms = run_blocks(40 * kBlocks, load).ms;
    EXPECT_LE(ms, 1.01 * best);
}

TEST_P(PaceJudgeOfStreams, goes_back_when_that_has_changed) {
    run_blocks(kBlocks, {20, 20, 10});
    run_blocks(10 * kBlocks, {10, 20, 20});
    EXPECT_GE(run_blocks(kBlocks, {10, 20, 20}).ahead, kBlocks * 9 / 10);
}

TEST_P(PaceJudgeOfStreams, what_trials_cost_is_a_small_part_of_the_time) {
    const Times times{10, 160, 160};
    run_blocks(kBlocks, times);
    constexpr int kMany = 20 * kBlocks;
    const double most = 1 + 2.0 / PaceJudge::kWorth;  // of two ways
    EXPECT_LE(run_blocks(kMany, times).ms, kMany * times.ahead * most);
}

INSTANTIATE_TEST_SUITE_P(Lengths, PaceJudgeOfStreams, testing::Values(1, 2, 3, 5, 7, 10, 12, 420),
                         testing::PrintToStringParamName());

TEST_F(PaceJudgeTest, a_short_stream_is_run_one_way) {
    int in_order = 0;
    for (int i = 0; i < 100; ++i) {
        const Runs runs = run_streams(1, 5, {10, 10, 10});
        EXPECT_EQ(std::max({runs.ahead, runs.in_order, runs.alone}), 5) << "stream " << i;
        in_order += runs.in_order;
    }
    EXPECT_GT(in_order, 0) << "and other ways are tried";
}

// Of a measurement of thirty repetitions six were run another way, a third slower.
TEST_F(PaceJudgeTest, what_is_not_faster_in_a_stream_is_tried_in_no_other) {
    const Runs runs = run_streams(30, 5, {10, 13, 11.5});
    EXPECT_GT(runs.alone, 0);
    EXPECT_LE(runs.alone, 10) << "a stream warms up, and one is timed";
    EXPECT_EQ(runs.in_order, 5);
}

TEST_F(PaceJudgeTest, a_stream_that_is_given_up_ends_a_trial_of_streams) {
    for (int i = 0; i < 20 && !judge_.is_undecided(); ++i)
        run_streams(1, 5, {20, 20, 10});
    ASSERT_TRUE(judge_.is_undecided());
    run(1, {20, 20, 10}, 2);
    if (in_flight_.empty()) judge_.begin(now_ns_);
    in_flight_.clear();
    judge_.start();
    EXPECT_FALSE(judge_.is_undecided());
    EXPECT_EQ(run_streams(1, 5, {20, 20, 10}).ahead, 5);
}

TEST_F(PaceJudgeTest, streams_that_grow_long_while_it_is_tried_do_not_keep_it_trying) {
    for (int i = 0; i < 20 && !judge_.is_undecided(); ++i)
        run_streams(1, 5, {10, 12, 12});
    ASSERT_TRUE(judge_.is_undecided());
    EXPECT_LE(run(1'000, {10, 12, 12}).alone, 100);
}

}  // namespace
}  // namespace heddle::executor
