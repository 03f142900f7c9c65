// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "program/cli.hpp"

int main(int argc, char** argv) {
    using heddle::node::ExitCode;
    auto code = ExitCode::bad_input;
    try {
        code = heddle::node::run_cli(std::vector<std::string>(argv + 1, argv + argc));
    } catch (const std::bad_alloc&) {
        fmt::print(stderr, "heddle: out of memory: give the process more, or it less to do\n");
    } catch (const std::exception& error) {
        fmt::print(stderr, "heddle: unexpected error: {}\n", error.what());
    } catch (...) {
        fmt::print(stderr, "heddle: unexpected error\n");
    }
    // A full disk or a closed pipe must not look like success.
    if (std::fflush(stdout) != 0 && code == ExitCode::ok) {
        fmt::print(stderr, "heddle: cannot write to standard output\n");
        code = ExitCode::bad_input;
    }
    return static_cast<int>(code);
}
