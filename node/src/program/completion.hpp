// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Scripts by which a shell completes commands and options.
#pragma once

#include <string>
#include <string_view>

#include "program/command_line.hpp"

namespace heddle::node {

/// @param shell  `bash`, `zsh` or `fish`.
/// Errors: InputError for another one.
[[nodiscard]] std::string completion_script(const CommandOutline& program, std::string_view shell);

}  // namespace heddle::node
