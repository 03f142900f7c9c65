// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The clock that lanes and those who follow them compare: it need not be exact, but all read the
// same kind of time. And the one that times are measured with.
#pragma once

#include <chrono>
#include <cstdint>

namespace heddle::node::lanes {

/// Microseconds since 1970. Thread safety: any.
[[nodiscard]] inline std::uint64_t now_us() {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(
                                          std::chrono::system_clock::now().time_since_epoch())
                                          .count());
}

/// Microseconds since the machine started or so; never back. Thread safety: any.
[[nodiscard]] inline std::uint64_t steady_us() {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(
                                          std::chrono::steady_clock::now().time_since_epoch())
                                          .count());
}

}  // namespace heddle::node::lanes
