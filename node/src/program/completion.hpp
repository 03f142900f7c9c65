// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Scripts by which a shell completes commands and options.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "program/command_line.hpp"

namespace heddle::node {

inline constexpr std::array<std::string_view, 3> kShells{"bash", "zsh", "fish"};

/// @param shell  One of kShells.
/// Errors: InputError for another one.
[[nodiscard]] std::string completion_script(const CommandOutline& program, std::string_view shell);

}  // namespace heddle::node
