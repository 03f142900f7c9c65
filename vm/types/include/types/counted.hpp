// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers of things in lines that people read: `1 transaction`, `2 transactions`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle {

/// @param thing   One of them.
/// @param things  More of them, where they are not written as one with an s behind it.
[[nodiscard]] inline std::string counted(std::uint64_t count, std::string_view thing,
                                         std::string_view things = {}) {
    std::string text = std::to_string(count) + ' ';
    if (count != 1 && !things.empty()) return text.append(things);
    return text.append(thing).append(count == 1 ? "" : "s");
}

}  // namespace heddle
