// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstdlib>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "program/stop_signal.hpp"

namespace heddle::node {
namespace {

/// Signals end the process that a test runs in, so each runs in one of its own.
class StopSignalDeathTest : public testing::Test {
protected:
    StopSignalDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(StopSignalDeathTest, signals_that_come_together_are_one) {
    const auto come_together = [] {
        const StopSignal listening;
        if (StopSignal::is_raised()) std::exit(1);
        std::vector<std::jthread> threads;
        for (int i = 0; i < 8; ++i)
            threads.emplace_back([] { std::raise(SIGTERM); });
        threads.clear();
        std::exit(StopSignal::is_raised() ? 0 : 1);
    };
    EXPECT_EXIT(come_together(), testing::ExitedWithCode(0), "");
}

TEST_F(StopSignalDeathTest, one_that_belongs_to_the_first_ends_nothing_on_the_way_out) {
    const auto come_late = [] {
        std::optional<StopSignal> listening{std::in_place};
        std::raise(SIGTERM);
        listening.reset();
        std::raise(SIGTERM);
        std::exit(0);
    };
    EXPECT_EXIT(come_late(), testing::ExitedWithCode(0), "");
}

TEST_F(StopSignalDeathTest, who_has_ended_by_itself_is_stopped_as_ever) {
    const auto end_first = [] {
        {
            const StopSignal listening;
        }
        std::raise(SIGTERM);
        std::exit(0);
    };
    EXPECT_EXIT(end_first(), testing::KilledBySignal(SIGTERM), "");
}

TEST_F(StopSignalDeathTest, who_has_tidied_up_ends_by_the_signal_that_came) {
    const auto tidy_up = [] {
        const StopSignal listening;
        std::raise(SIGINT);
        if (StopSignal::is_raised()) StopSignal::obey();
    };
    EXPECT_EXIT(tidy_up(), testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace heddle::node
