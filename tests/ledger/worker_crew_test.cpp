// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where there are too few threads; loops are in shared_tries_test.cpp.
#include "trie/worker_crew.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <system_error>

#include <gtest/gtest.h>

namespace heddle::ledger {
namespace {

/// Bytes that this process has laid out.
rlim_t address_space() {
    rlim_t pages = 0;
    std::ifstream{"/proc/self/statm"} >> pages;
    return pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

// In a process of its own, which has room for a few stacks more. It was ended by the threads that
// it had got.
TEST(WorkerCrew, that_gets_too_few_threads_says_so_and_leaves_none) {
    const rlim_t taken = address_space();
    if (taken > rlim_t{1} << 40) GTEST_SKIP() << "sanitizers lay out terabytes";
    const auto make_too_many = [taken] {
        const rlim_t most = taken + (rlim_t{64} << 20);
        const rlimit limit{most, most};
        if (::setrlimit(RLIMIT_AS, &limit) != 0) std::exit(2);
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
