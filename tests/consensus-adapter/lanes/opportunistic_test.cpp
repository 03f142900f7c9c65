// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/lanes/opportunistic.hpp>

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::consensus_adapter::lanes {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(DelayEstimate, is_the_first_probe_and_then_follows) {
    DelayEstimate estimate;
    EXPECT_EQ(estimate.offset_us(), 0);
    estimate.add(8'000);
    EXPECT_EQ(estimate.offset_us(), 8'000);
    for (int i = 0; i < 100; ++i)
        estimate.add(-4'000);
    EXPECT_NEAR(static_cast<double>(estimate.offset_us()), -4'000, 10);
}

TEST(InsertionTime, is_when_the_farthest_lane_has_it) {
    const std::array<std::int64_t, 3> offsets{30'000, 90'000, -5'000};
    EXPECT_EQ(insertion_time_us(1'000'000, offsets, 2'000), 1'092'000u);
    EXPECT_EQ(insertion_time_us(1'000'000, {}, 0), 1'000'000u);
}

TEST(InsertionQueue, gives_by_time_then_id_whatever_came_first) {
    InsertionQueue<int> queue;
    queue.add(0, 300, {1, 0}, 3);
    queue.add(10, 200, {2, 0}, 2);
    queue.add(20, 200, {1, 0}, 1);

    EXPECT_THAT(queue.take_due(199), IsEmpty());
    EXPECT_THAT(queue.take_due(250), ElementsAre(1, 2));
    EXPECT_THAT(queue.take_due(300), ElementsAre(3));
    EXPECT_EQ(queue.size(), 0u);
}

TEST(InsertionQueue, what_is_late_is_due_at_once) {
    InsertionQueue<int> queue;
    queue.add(500, 300, {1, 0}, 1);
    queue.add(500, 0, {2, 0}, 2);
    EXPECT_THAT(queue.take_due(500), ElementsAre(1, 2));
}

TEST(InsertionQueue, holds_nothing_for_longer_than_the_bound) {
    InsertionQueue<int> queue({.max_hold_us = 1'000, .max_held = 10});
    queue.add(50, ~0ull, {1, 0}, 1);
    EXPECT_THAT(queue.take_due(1'049), IsEmpty());
    EXPECT_THAT(queue.take_due(1'050), ElementsAre(1));
}

TEST(InsertionQueue, inserts_early_what_is_too_much_to_hold) {
    InsertionQueue<std::uint64_t> queue({.max_hold_us = 1'000'000, .max_held = 3});
    for (std::uint64_t i = 0; i < 5; ++i)
        queue.add(0, 1'000 + i, {i, 0}, i);
    EXPECT_THAT(queue.take_due(0), ElementsAre(0, 1));
    EXPECT_EQ(queue.size(), 3u);
}

}  // namespace
}  // namespace heddle::consensus_adapter::lanes
