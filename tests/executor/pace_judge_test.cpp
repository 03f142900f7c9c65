// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "pace_judge.hpp"

#include <algorithm>
#include <deque>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::executor {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kGas = 30'000'000;

/// What a block takes, in milliseconds.
struct Times {
    double ahead;
    double in_order;
    double alone;
};

/// Blocks that follow each other, by a clock of the test's.
class PaceJudgeTest : public testing::Test {
protected:
    /// How many blocks ran each way.
    struct Runs {
        int ahead = 0;
        int in_order = 0;
        int alone = 0;
    };

    /// @param behind  Blocks that have begun before one ends.
    Runs run(int blocks, const Times& times, std::size_t behind = 2, std::uint64_t gas = kGas) {
        Runs runs;
        for (int i = 0; i < blocks; ++i) {
            while (judge_.wants_pause() && !in_flight_.empty())
                end_oldest(times, gas);
            const Pace pace = judge_.next();
            judge_.begin(now_ns_);
            in_flight_.push_back(pace);
            ++(pace == Pace::ahead      ? runs.ahead
               : pace == Pace::in_order ? runs.in_order
                                        : runs.alone);
            // Nobody begins a block beside one that is run alone.
            if (in_flight_.size() > behind || pace == Pace::alone) end_oldest(times, gas);
        }
        return runs;
    }

    void end_oldest(const Times& times, std::uint64_t gas) {
        const Pace pace = in_flight_.front();
        in_flight_.pop_front();
        double ms = pace == Pace::ahead      ? times.ahead
                    : pace == Pace::in_order ? times.in_order
                                             : times.alone;
        if (pace == Pace::in_order && std::ranges::count(in_flight_, Pace::ahead) != 0)
            ms *= slowed_by_attempts_;
        now_ns_ += static_cast<std::uint64_t>(ms * 1e6);
        judge_.ended(gas, now_ns_);
    }

    /// How many times as long a block in order takes while others are attempted.
    double slowed_by_attempts_ = 1;
    PaceJudge judge_;
    std::deque<Pace> in_flight_;
    std::uint64_t now_ns_ = 1;
};

TEST_F(PaceJudgeTest, begins_ahead_of_turns) {
    EXPECT_EQ(run(PaceJudge::kFirstInterval, {10, 1, 1}).ahead, PaceJudge::kFirstInterval);
    EXPECT_FALSE(judge_.take_reason().has_value());
}

TEST_F(PaceJudgeTest, runs_alone_where_that_is_fastest_and_says_why) {
    EXPECT_GE(run(100, {20, 15, 10}).alone, 60);
    const auto reason = judge_.take_reason();
    ASSERT_TRUE(reason.has_value());
    EXPECT_THAT(*reason, HasSubstr("in order with nothing beside them from here on: 333 ps per "
                                   "gas, where it was 666 ahead of their turn"));
    EXPECT_FALSE(judge_.take_reason().has_value()) << "once";
}

TEST_F(PaceJudgeTest, runs_in_order_where_that_is_fastest) {
    EXPECT_GE(run(200, {20, 10, 30}).in_order, 120);
    EXPECT_GE(run(200, {20, 10, 12}).in_order, 180);
}

TEST_F(PaceJudgeTest, finds_the_best_of_three_where_two_are_better) {
    run(300, {20, 10, 15});
    EXPECT_GE(run(300, {20, 10, 15}).in_order, 280);
    run(1'000, {20, 15, 10});
    EXPECT_GE(run(300, {20, 15, 10}).alone, 280);
}

TEST_F(PaceJudgeTest, goes_back_when_that_has_changed) {
    run(100, {20, 20, 10});
    run(400, {10, 20, 20});
    EXPECT_GE(run(100, {10, 20, 20}).ahead, 90);
    EXPECT_THAT(judge_.take_reason().value_or(""), HasSubstr("ahead of their turn from here on"));
}

TEST_F(PaceJudgeTest, tries_ever_less_often_where_it_is_right) {
    EXPECT_GE(run(200, {10, 15, 15}).ahead, 190);
    EXPECT_GE(run(10'000, {10, 15, 15}).ahead, 9'950);
    EXPECT_LE(run(10'000, {10, 15, 15}).ahead, 9'990) << "but goes on trying";
}

TEST_F(PaceJudgeTest, ends_what_is_seen_to_lose) {
    run(PaceJudge::kFirstInterval, {10, 100, 100});
    EXPECT_EQ(run(20, {10, 100, 100}).alone, 2);
}

TEST_F(PaceJudgeTest, does_not_change_for_a_little) {
    run(1'000, {10, 9.7, 9.7});
    EXPECT_FALSE(judge_.take_reason().has_value());
}

TEST_F(PaceJudgeTest, is_not_misled_by_attempts_that_slow_down_what_runs_in_order) {
    slowed_by_attempts_ = 2;
    EXPECT_GE(run(200, {13, 10, 20}, 4).in_order, 100);
}

TEST_F(PaceJudgeTest, learns_nothing_from_blocks_of_nearly_nothing) {
    run(1'000, {20, 10, 10}, 2, 21'000);
    EXPECT_FALSE(judge_.take_reason().has_value());
}

TEST_F(PaceJudgeTest, takes_time_without_blocks_for_nobodys) {
    for (int i = 0; i < 300; ++i) {
        now_ns_ += 12'000'000'000;  // nothing has arrived
        run(1, {10, 15, 15}, 0);
    }
    EXPECT_FALSE(judge_.take_reason().has_value());
}

TEST_F(PaceJudgeTest, forgets_what_was_under_way_in_a_stream_that_ended) {
    run(PaceJudge::kFirstInterval + 1, {20, 10, 10});
    judge_.start();
    in_flight_.clear();
    EXPECT_EQ(run(PaceJudge::kFirstInterval, {20, 10, 10}).ahead, PaceJudge::kFirstInterval);
}

}  // namespace
}  // namespace heddle::executor
