// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Running the program itself as its users do. HEDDLE_PROGRAM names it; the build defines that.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "child_process.hpp"
#include "temporary_folder.hpp"

namespace heddle::test {

struct ProgramResult {
    int exit_code = -1;  // -1: ended by a signal
    std::string out;
    std::string error;

    [[nodiscard]] std::string last_line() const {
        std::string text = out;
        while (text.ends_with('\n'))
            text.pop_back();
        const auto newline = text.rfind('\n');
        return newline == std::string::npos ? text : text.substr(newline + 1);
    }
};

inline std::string read_text(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// Runs a program with `arguments` and waits for its end; `input` is its standard input.
inline ProgramResult run_program_at(const std::string& path,
                                    const std::vector<std::string>& arguments,
                                    const std::string& input = {}) {
    const TemporaryFolder folder;
    const auto in = folder.write("in", input);
    const auto out = (folder.path() / "out").native();
    const auto error = (folder.path() / "error").native();
    const pid_t child = fork_child();
    if (child == 0) {
        std::vector<char*> argv;
        std::string program = path;
        std::vector<std::string> copies = arguments;
        argv.push_back(program.data());
        for (auto& argument : copies)
            argv.push_back(argument.data());
        argv.push_back(nullptr);
        if (std::freopen(in.c_str(), "r", stdin) == nullptr ||
            std::freopen(out.c_str(), "w", stdout) == nullptr ||
            std::freopen(error.c_str(), "w", stderr) == nullptr)
            ::_exit(126);
        ::execv(program.c_str(), argv.data());
        ::_exit(127);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ProgramResult result;
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    result.out = read_text(out);
    result.error = read_text(error);
    return result;
}

/// The same with the program itself.
inline ProgramResult run_program(const std::vector<std::string>& arguments,
                                 const std::string& input = {}) {
    return run_program_at(HEDDLE_PROGRAM, arguments, input);
}

}  // namespace heddle::test
