// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Other programs that go on running while a test does something to them.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

namespace heddle::test {

/// Killed with its owner, and with the test.
/// Thread safety: signal() from any thread; the rest one at a time.
class Process {
public:
    /// @param log      What it says on both of its outputs is appended to it.
    /// @param network  Name of a network namespace to run in; empty: that of the test.
    Process(std::vector<std::string> command, const std::filesystem::path& log,
            const std::string& network = {});
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    [[nodiscard]] bool is_running();
    /// Does nothing where it has ended.
    void signal(int number);
    /// Sends the signal and waits for the end. @return exit code; -1: it was ended by a signal.
    int end(int number);
    int wait();

private:
    void note_end(int status);

    std::atomic<pid_t> child_ = -1;
    int exit_code_ = -1;
};

/// Runs a command and waits for it. @return its exit code.
int run_command(const std::vector<std::string>& command, const std::filesystem::path& log);

/// One HTTP exchange. Empty: nobody answered within a few seconds.
/// @param path  With a body a POST of JSON, else a GET.
[[nodiscard]] std::string http_exchange(const std::string& address, std::uint16_t port,
                                        const std::string& path, const std::string& body = {});

}  // namespace heddle::test
