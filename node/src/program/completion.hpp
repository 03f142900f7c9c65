// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What helps at the prompt: scripts by which a shell completes commands and options, and the
// command that somebody may have meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "program/command_line.hpp"

namespace heddle::node {

/// @param shell  `bash`, `zsh` or `fish`.
/// Errors: InputError for another one.
[[nodiscard]] std::string completion_script(const CommandOutline& program, std::string_view shell);

/// The name that is nearest to what was typed, or begins with it; empty: none is near.
[[nodiscard]] std::string nearest_name(std::string_view typed,
                                       const std::vector<CommandOutline>& commands);

}  // namespace heddle::node
