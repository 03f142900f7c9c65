// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "development/chain_clock.hpp"

#include <gtest/gtest.h>

namespace heddle::node {
namespace {

class ChainClockTest : public testing::Test {
protected:
    std::uint64_t machine_ = 1'000;
    ChainClock clock_{[this] { return machine_; }};
};

TEST_F(ChainClockTest, follows_the_machine_as_far_ahead_as_it_was_set) {
    EXPECT_EQ(clock_.next(990, 991), 1'000U);
    ASSERT_TRUE(clock_.advance(50));
    machine_ = 1'010;
    EXPECT_EQ(clock_.now(), 1'060U);
    clock_.set(500);
    EXPECT_EQ(clock_.offset(), -510);
    machine_ = 1'020;
    EXPECT_EQ(clock_.now(), 510U);
}

TEST_F(ChainClockTest, a_block_is_never_before_it_may_be) {
    EXPECT_EQ(clock_.next(1'005, 1'006), 1'006U);
    clock_.set_next(1'001);
    EXPECT_EQ(clock_.next(1'005, 1'006), 1'006U);
}

TEST_F(ChainClockTest, goes_on_from_the_time_of_a_block_that_was_set) {
    clock_.set_next(5'000);
    EXPECT_EQ(clock_.next(1'000, 1'001), 5'000U);
    clock_.note_sealed(4'000);  // another block
    EXPECT_TRUE(clock_.is_set());
    clock_.note_sealed(5'000);
    EXPECT_FALSE(clock_.is_set());
    machine_ += 7;
    EXPECT_EQ(clock_.now(), 5'007U);
}

TEST_F(ChainClockTest, goes_on_from_a_block_that_had_to_be_later_than_it) {
    clock_.note_sealed(1'000);
    EXPECT_EQ(clock_.offset(), 0);
    clock_.note_sealed(1'300);  // the last of 300 within a second, each later than its parent
    EXPECT_EQ(clock_.offset(), 300);
    clock_.note_sealed(1'200);
    EXPECT_EQ(clock_.offset(), 300);
    ASSERT_TRUE(clock_.advance(100));
    EXPECT_EQ(clock_.next(1'300, 1'301), 1'400U);
    // What was set for a later one stays.
    clock_.set_next(5'000);
    clock_.note_sealed(1'500);
    EXPECT_EQ(clock_.now(), 1'500U);
    EXPECT_EQ(clock_.next(1'500, 1'501), 5'000U);
}

TEST_F(ChainClockTest, forgets_what_was_set_where_the_block_had_to_be_later) {
    clock_.set_next(1'001);
    clock_.note_sealed(1'006);
    EXPECT_FALSE(clock_.is_set());
    EXPECT_EQ(clock_.now(), 1'006U);
}

TEST_F(ChainClockTest, keeps_blocks_at_their_distance) {
    clock_.set_interval(12);
    EXPECT_EQ(clock_.next(3'000, 3'001), 3'012U);
    clock_.set_interval(0);
    EXPECT_EQ(clock_.next(3'000, 3'001), 3'001U);
    clock_.set_interval(std::nullopt);
    EXPECT_EQ(clock_.next(900, 901), 1'000U);
    // But not beyond what JavaScript counts, however many blocks.
    clock_.set_interval(kLatestTime);
    EXPECT_EQ(clock_.next(3'000, 3'001), kLatestTime);
    EXPECT_EQ(clock_.next(kLatestTime, kLatestTime + 1), kLatestTime + 1);
}

TEST_F(ChainClockTest, stops_short_of_the_end_of_time) {
    EXPECT_FALSE(clock_.advance(kLatestTime));
    EXPECT_FALSE(clock_.advance(~std::uint64_t{0}));
    EXPECT_EQ(clock_.now(), 1'000U);
    EXPECT_TRUE(clock_.advance(kLatestTime - 1'000));
    EXPECT_FALSE(clock_.advance(1));
    clock_.set(0);
    machine_ = 10;  // set back meanwhile
    EXPECT_EQ(clock_.now(), 0U);
}

}  // namespace
}  // namespace heddle::node
