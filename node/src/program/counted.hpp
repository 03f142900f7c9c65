// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers of things in lines that people read: `1 transaction`, `2 transactions`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace heddle::node {

/// @param thing   One of them.
/// @param things  More of them, where they are not written as one with an s behind it.
[[nodiscard]] inline std::string counted(std::uint64_t count, std::string_view thing,
                                         std::string_view things = {}) {
    if (count != 1 && !things.empty()) return fmt::format("{} {}", count, things);
    return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

}  // namespace heddle::node
