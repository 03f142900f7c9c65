// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "service/clock_watch.hpp"

#include <gtest/gtest.h>

namespace heddle::node {
namespace {

using namespace std::chrono_literals;

constexpr ClockWatch::Wall kWall{1'700'000'000s};
constexpr ClockWatch::Steady kSteady{5h};

TEST(ClockWatch, tells_once_of_a_clock_that_was_set_back) {
    ClockWatch watch(kWall, kSteady);
    EXPECT_EQ(watch.look(kWall + 10s, kSteady + 10s), std::nullopt);
    EXPECT_EQ(watch.look(kWall + 20s - 1h, kSteady + 20s), 1h);
    EXPECT_EQ(watch.look(kWall + 30s - 1h, kSteady + 30s), std::nullopt);
    EXPECT_EQ(watch.look(kWall + 40s - 3h, kSteady + 40s), 2h);
}

TEST(ClockWatch, says_nothing_of_a_correction_a_jump_ahead_or_a_long_wait) {
    ClockWatch watch(kWall, kSteady);
    EXPECT_EQ(watch.look(kWall - 50s, kSteady + 10s), std::nullopt);
    EXPECT_EQ(watch.look(kWall + 9h, kSteady + 20s), std::nullopt);
    EXPECT_EQ(watch.look(kWall + 100h, kSteady + 91h), std::nullopt);
}

}  // namespace
}  // namespace heddle::node
