// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How long ticks are.
#pragma once

#include <cstdint>

#include "workers/atomics.hpp"
#include "workers/stopwatch.hpp"

namespace heddle::executor {

/// Measured since construction: the first milliseconds are a guess. Thread safety: any.
class TickRate {
public:
    /// @param ticks  Of StreamAtomics::ticks().
    [[nodiscard]] std::uint64_t ns(std::int64_t ticks) const noexcept {
        const std::int64_t passed = StreamAtomics::ticks() - began_;
        if (ticks <= 0 || passed <= 0) return 0;
        const auto passed_ns = static_cast<double>(Stopwatch{watch_}.lap());
        return static_cast<std::uint64_t>(static_cast<double>(ticks) * passed_ns /
                                          static_cast<double>(passed));
    }

private:
    const Stopwatch watch_;
    const std::int64_t began_ = StreamAtomics::ticks();
};

}  // namespace heddle::executor
