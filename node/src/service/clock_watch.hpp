// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Notices that the machine's clock was set back while a node runs that seals blocks by it. What
// was so before the node started is seen by the chain itself (chain_ahead_of_clock()).
#pragma once

#include <chrono>
#include <optional>
#include <utility>

namespace heddle::node {

/// Compares the clock with one that nobody sets.
/// Thread safety: one thread at a time.
class ClockWatch {
public:
    using Wall = std::chrono::system_clock::time_point;
    using Steady = std::chrono::steady_clock::time_point;

    ClockWatch(Wall wall, Steady steady) noexcept : lead_(lead(wall, steady)) {}

    /// @return by how much the clock was set back since the last look; nullopt: it was not, or by
    ///         no more than clocks are corrected by.
    [[nodiscard]] std::optional<std::chrono::seconds> look(Wall wall, Steady steady) noexcept {
        constexpr std::chrono::seconds kTolerated{60};
        const std::chrono::nanoseconds before = std::exchange(lead_, lead(wall, steady));
        if (before - lead_ <= kTolerated) return std::nullopt;
        return std::chrono::duration_cast<std::chrono::seconds>(before - lead_);
    }

private:
    static std::chrono::nanoseconds lead(Wall wall, Steady steady) noexcept {
        return wall.time_since_epoch() - steady.time_since_epoch();
    }

    std::chrono::nanoseconds lead_;  // of the clock before the steady one
};

}  // namespace heddle::node
