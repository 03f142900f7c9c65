// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How long to wait before something is tried again: ever longer, up to a bound, and never quite as
// long as somebody else who failed at the same time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>

namespace heddle::consensus_adapter::follow {

/// Thread safety: one thread.
class Pauses {
public:
    /// @param seed  Of the chance by which each pause is shortened, by at most a half.
    Pauses(std::chrono::milliseconds first, std::chrono::milliseconds most, std::uint64_t seed)
        : first_(first), most_(most), random_(seed) {}

    [[nodiscard]] std::chrono::milliseconds next() {
        constexpr unsigned kMostDoublings = 20;
        const auto full = std::min(most_, first_ * (std::int64_t{1} << failures_));
        failures_ = std::min(failures_ + 1, kMostDoublings);
        std::uniform_int_distribution<std::int64_t> part(full.count() / 2, full.count());
        return std::chrono::milliseconds{part(random_)};
    }
    /// The same where somebody wants to be left alone for so long; the bound holds.
    [[nodiscard]] std::chrono::milliseconds next(std::chrono::milliseconds rest) {
        return std::max(next(), std::min(rest, most_));
    }
    void reset() noexcept { failures_ = 0; }

private:
    const std::chrono::milliseconds first_;
    const std::chrono::milliseconds most_;
    std::mt19937_64 random_;
    unsigned failures_ = 0;
};

}  // namespace heddle::consensus_adapter::follow
