// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The clock that lanes and those who follow them compare: it need not be exact, but all read the
// same kind of time.
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

}  // namespace heddle::node::lanes
