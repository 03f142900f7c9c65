// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "pace_judge.hpp"

#include <deque>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::executor {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kGas = 30'000'000;

/// Blocks that follow each other, by a clock of the test's.
class PaceJudgeTest : public testing::Test {
protected:
    /// @param ahead_ms, in_order_ms  What a block takes.
    /// @param behind  Blocks that have begun before one ends.
    /// @return how many ran in order.
    int run(int blocks, double ahead_ms, double in_order_ms, std::size_t behind = 2,
            std::uint64_t gas = kGas) {
        int in_order = 0;
        for (int i = 0; i < blocks; ++i) {
            in_flight_.push_back(judge_.begin(now_ns_));
            if (in_flight_.back() == Pace::in_order) ++in_order;
            if (in_flight_.size() <= behind) continue;
            const double ms = in_flight_.front() == Pace::in_order ? in_order_ms : ahead_ms;
            in_flight_.pop_front();
            now_ns_ += static_cast<std::uint64_t>(ms * 1e6);
            judge_.ended(gas, now_ns_);
        }
        return in_order;
    }

    PaceJudge judge_;
    std::deque<Pace> in_flight_;
    std::uint64_t now_ns_ = 1;
};

TEST_F(PaceJudgeTest, begins_ahead_of_turns) {
    EXPECT_EQ(run(PaceJudge::kFirstInterval, 10, 1), 0);
    EXPECT_FALSE(judge_.take_reason().has_value());
}

TEST_F(PaceJudgeTest, changes_where_order_is_faster_and_says_why) {
    EXPECT_GE(run(100, 20, 10), 60);
    const auto reason = judge_.take_reason();
    ASSERT_TRUE(reason.has_value());
    EXPECT_THAT(*reason, HasSubstr("in order from here on: 333 ps per gas, where it was 666"));
    EXPECT_FALSE(judge_.take_reason().has_value()) << "once";
}

TEST_F(PaceJudgeTest, goes_back_when_that_has_changed) {
    run(100, 20, 10);
    run(200, 10, 20);
    EXPECT_LT(run(100, 10, 20), 10);
    EXPECT_THAT(judge_.take_reason().value_or(""), HasSubstr("ahead of their turn from here on"));
}

TEST_F(PaceJudgeTest, tries_ever_less_often_where_it_is_right) {
    EXPECT_LE(run(200, 10, 15), 9);
    EXPECT_LE(run(10'000, 10, 15), 60);
    EXPECT_GE(run(10'000, 10, 15), 6) << "but goes on trying";
}

TEST_F(PaceJudgeTest, does_not_change_for_a_little) {
    run(1'000, 10, 9.5);
    EXPECT_FALSE(judge_.take_reason().has_value());
}

TEST_F(PaceJudgeTest, learns_nothing_from_blocks_of_nearly_nothing) {
    run(1'000, 20, 10, 2, 21'000);
    EXPECT_FALSE(judge_.take_reason().has_value());
}

TEST_F(PaceJudgeTest, takes_time_without_blocks_for_nobodys) {
    for (int i = 0; i < 300; ++i) {
        now_ns_ += 12'000'000'000;  // nothing has arrived
        run(1, 10, 15, 0);
    }
    EXPECT_FALSE(judge_.take_reason().has_value());
}

TEST_F(PaceJudgeTest, forgets_what_was_under_way_in_a_stream_that_ended) {
    run(PaceJudge::kFirstInterval + 1, 20, 10, 2);
    judge_.start();
    in_flight_.clear();
    EXPECT_EQ(run(PaceJudge::kFirstInterval, 20, 10), 0);
}

}  // namespace
}  // namespace heddle::executor
