// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where there are too few threads; loops are in shared_tries_test.cpp.
#include "trie/worker_crew.hpp"

#include <cstdlib>
#include <system_error>

#include <gtest/gtest.h>

#include "few_threads.hpp"

namespace heddle::ledger {
namespace {

// In a process of its own, which has room for a few stacks more. It was ended by the threads that
// it had got.
TEST(WorkerCrew, that_gets_too_few_threads_says_so_and_leaves_none) {
    if (!test::can_have_few_threads()) GTEST_SKIP() << "sanitizers lay out terabytes";
    const auto make_too_many = [] {
        test::have_few_threads();
        try {
            const WorkerCrew crew{1'000};
        } catch (const std::system_error&) {
            std::exit(7);
        }
        std::exit(1);
    };
    EXPECT_EXIT(make_too_many(), testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace heddle::ledger
