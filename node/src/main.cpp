// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "program/cli.hpp"
#include "program/open_files.hpp"
#include "program/say.hpp"
#include "program/scarcity.hpp"
#include "program/standard_streams.hpp"

int main(int argc, char** argv) {
    using heddle::node::ExitCode;
    using heddle::node::say;
    heddle::node::end_where_resources_are_scarce();
    heddle::node::hold_standard_streams();
    heddle::node::let_too_large_files_fail();
    auto code = ExitCode::bad_input;
    try {
        code = heddle::node::run_cli(std::vector<std::string>(argv + 1, argv + argc));
    } catch (const std::exception& error) {
        if (heddle::node::is_scarcity(error)) heddle::node::end_for_scarcity();
        if (std::ferror(stdout) != 0)
            code = ExitCode::ok;  // but for what could not be printed: see below
        else
            say("heddle: unexpected error: {}\n", error.what());
    } catch (...) {
        say("heddle: unexpected error\n");
    }
    // A full disk or a closed pipe must not look like success.
    const bool is_output_lost = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
    if (is_output_lost && code == ExitCode::ok) {
        say("heddle: cannot write to standard output\n");
        code = ExitCode::bad_input;
    }
    return static_cast<int>(code);
}
