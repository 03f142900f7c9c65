// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the tests' processes do to the machine they run on.
#include <array>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "child_process.hpp"
#include "program.hpp"
#include "running_node.hpp"

namespace heddle::test {
namespace {

/// A process that is gone, or whose new parent has not looked yet.
bool has_ended(pid_t process) {
    const std::string status = read_text("/proc/" + std::to_string(process) + "/stat");
    const std::size_t name = status.rfind(") ");
    return name == std::string::npos || status[name + 2] == 'Z';
}

// A test that runs too long is killed, and so is one that somebody does not want to wait for.
TEST(ChildProcess, a_running_program_ends_with_a_test_that_is_killed) {
    std::array<int, 2> told{};
    ASSERT_EQ(::pipe(told.data()), 0);
    const pid_t test = fork_child();
    if (test == 0) {
        RunningProgram program{{"node", "--dev", "--rpc-port", "0"}};
        const pid_t process = program.process();
        (void)!::write(told[1], &process, sizeof process);
        for (;;)
            ::pause();
    }
    pid_t program = 0;
    ASSERT_EQ(::read(told[0], &program, sizeof program), static_cast<ssize_t>(sizeof program));
    EXPECT_FALSE(has_ended(program));

    ::kill(test, SIGKILL);
    ::waitpid(test, nullptr, 0);

    while (!has_ended(program))
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
    for (const int end : told)
        ::close(end);
}

}  // namespace
}  // namespace heddle::test
