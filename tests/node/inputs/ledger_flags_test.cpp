// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "inputs/ledger_flags.hpp"

#include <latch>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::node {
namespace {

/// All at once, as readers of one damaged file.
void fail_in_threads(std::ptrdiff_t count) {
    std::latch ready(count);
    std::vector<std::jthread> threads;
    for (std::ptrdiff_t i = 0; i < count; ++i)
        threads.emplace_back([&] {
            ready.arrive_and_wait();
            end_process({ledger::LedgerErrorCode::corrupt, "account 7"});
        });
}

TEST(EndProcess, one_line_is_printed_where_several_threads_fail) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    // Who came second often lost the race against the end of the process.
    for (int i = 0; i < 5; ++i)
        EXPECT_EXIT(fail_in_threads(16), testing::ExitedWithCode(3),
                    testing::MatchesRegex("heddle: [^\n]*account 7[^\n]*\n"));
}

}  // namespace
}  // namespace heddle::node
