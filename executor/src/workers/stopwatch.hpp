// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Splits elapsed time among phases.
#pragma once

#include <chrono>
#include <cstdint>

namespace heddle::executor {

class Stopwatch {
public:
    /// Nanoseconds since construction or the last lap.
    [[nodiscard]] std::uint64_t lap() noexcept {
        const auto now = std::chrono::steady_clock::now();
        const auto elapsed = std::chrono::nanoseconds{now - last_};
        last_ = now;
        return static_cast<std::uint64_t>(elapsed.count());
    }

private:
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace heddle::executor
