// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A process that gets a few threads and no more, for tests of what asks for many.
#pragma once

#include <cstdlib>
#include <fstream>

#include <sys/resource.h>
#include <unistd.h>

namespace heddle::test {

/// Bytes that this process has laid out.
inline rlim_t address_space() {
    rlim_t pages = 0;
    std::ifstream{"/proc/self/statm"} >> pages;
    return pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

/// Whether there is a limit to be set: sanitizers lay out terabytes.
inline bool can_have_few_threads() {
    return address_space() <= rlim_t{1} << 40;
}

/// From now on there is room for a few stacks more. In a process of its own (EXPECT_EXIT), which
/// ends with code 2 where the system refuses that.
inline void have_few_threads() {
    const rlim_t most = address_space() + (rlim_t{64} << 20);
    const rlimit limit{most, most};
    if (::setrlimit(RLIMIT_AS, &limit) != 0) std::exit(2);
}

}  // namespace heddle::test
