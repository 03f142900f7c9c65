// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Processes that a test makes end with it, also where the test is killed. Every test that forks
// does it here.
#pragma once

#include <csignal>

#include <sys/prctl.h>
#include <sys/types.h>
#include <unistd.h>

namespace heddle::test {

/// As fork(). The child, and the program that it becomes, is killed when the thread that called
/// this ends, however it does.
[[nodiscard]] inline pid_t fork_child() {
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child != 0) return child;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // It may have ended before that.
    if (::getppid() != parent) ::_exit(125);
    return 0;
}

}  // namespace heddle::test
