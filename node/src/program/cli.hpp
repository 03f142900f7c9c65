// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The command line: understands it, runs one command, turns bad usage and bad input into one line
// on standard error.
#pragma once

#include <string>
#include <vector>

#include "program/error.hpp"

namespace heddle::node {

/// Runs the command that `arguments` (without the program's name) asks for.
/// Errors: InputError is reported here; other exceptions are programming errors and pass through.
[[nodiscard]] ExitCode run_cli(std::vector<std::string> arguments);

}  // namespace heddle::node
