// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "program/open_files.hpp"

#include <csignal>
#include <limits>

#include <sys/resource.h>

namespace heddle::node {

std::uint64_t raise_open_file_limit() noexcept {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::numeric_limits<std::uint64_t>::max();
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max;
    return ::setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_max : before;
}

void let_too_large_files_fail() noexcept {
    (void)std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace heddle::node
