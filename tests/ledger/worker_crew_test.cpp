// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where there are too few threads; loops are in shared_tries_test.cpp.
#include "trie/worker_crew.hpp"

#include <cstdlib>
#include <system_error>

#include <gtest/gtest.h>
#include <sched.h>

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

#if defined(__linux__)

/// As taskset and the cpusets of containers do. @return the exit code: how many threads there are.
[[noreturn]] void count_threads_on_one_processor() {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) std::_Exit(100);
    std::_Exit(static_cast<int>(thread_count(0)));
}

// A ledger had a thread for each processor of the machine, however few of them the process had.
TEST(WorkerCrewDeathTest, has_no_more_threads_than_the_process_was_given_processors) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");

    EXPECT_EXIT(count_threads_on_one_processor(), testing::ExitedWithCode(1), "");
}

#endif

}  // namespace
}  // namespace heddle::ledger
