// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child_process.hpp"

namespace heddle::test {
namespace {

/// In the child: what the parent prepared, then the program.
[[noreturn]] void become(char* const* arguments, const Environment& environment, int out,
                         int error) {
    const int null = ::open("/dev/null", O_RDONLY);
    if (::dup2(null, STDIN_FILENO) < 0 || ::dup2(out, STDOUT_FILENO) < 0 ||
        ::dup2(error, STDERR_FILENO) < 0)
        ::_exit(126);
    for (const auto& [name, value] : environment)
        ::setenv(name.c_str(), value.c_str(), 1);
    ::execv(arguments[0], arguments);
    ::_exit(127);
}

}  // namespace

std::string ProcessResult::ending() const {
    const std::string text = signal != 0 ? "ended by signal " + std::to_string(signal)
                                         : "ended with exit code " + std::to_string(exit_code);
    return error.empty() ? text : text + ", saying: " + error;
}

ProcessResult run_process(const std::vector<std::string>& command, const Environment& environment) {
    const TemporaryFolder folder = TemporaryFolder::in_memory();
    const std::string out = folder / "out";
    const std::string error = folder / "error";
    const int out_fd = ::open(out.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const int error_fd = ::open(error.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    std::vector<std::string> copies = command;
    std::vector<char*> arguments;
    arguments.reserve(copies.size() + 1);
    for (auto& argument : copies)
        arguments.push_back(argument.data());
    arguments.push_back(nullptr);

    const pid_t child = fork_child();
    if (child == 0) become(arguments.data(), environment, out_fd, error_fd);
    int status = 0;
    ::waitpid(child, &status, 0);
    ::close(out_fd);
    ::close(error_fd);
    return {.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
            .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
            .out = read_file(out),
            .error = read_file(error)};
}

std::string read_file(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

void write_file(const std::filesystem::path& file, const std::string& content) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
}

}  // namespace heddle::test
