// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/processors.hpp>

#include <cstdlib>

#include <gtest/gtest.h>
#include <sched.h>

namespace heddle {
namespace {

#if defined(__linux__)

/// As taskset and the cpusets of containers do.
unsigned have_one_processor() {
    const auto id = static_cast<unsigned>(sched_getcpu());
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(id, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) std::_Exit(100);
    return id;
}

TEST(ProcessorsDeathTest, are_those_that_the_process_was_given) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto count = [] {
        const unsigned id = have_one_processor();
        const bool is_right = processor_count() == 1 && processor_id(0) == id &&
                              processor_id(1) == id && processor_id(7) == id;
        std::_Exit(is_right ? 0 : 1);
    };

    EXPECT_EXIT(count(), testing::ExitedWithCode(0), "");
}

TEST(ProcessorsDeathTest, stay_those_of_the_beginning_when_a_thread_is_bound) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto count = [] {
        const unsigned before = processor_count();
        (void)have_one_processor();
        std::_Exit(processor_count() == before ? 0 : 1);
    };

    EXPECT_EXIT(count(), testing::ExitedWithCode(0), "");
}

#endif

TEST(Processors, are_counted_around) {
    EXPECT_GE(processor_count(), 1u);
    for (unsigned i = 0; i < processor_count(); ++i)
        EXPECT_EQ(processor_id(i), processor_id(i + processor_count()));
}

}  // namespace
}  // namespace heddle
