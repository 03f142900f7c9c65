// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How long ticks are.
#pragma once

#include <cstdint>

#include <types/uint256.hpp>

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
        const uint128 product =
            uint128{static_cast<std::uint64_t>(ticks)} * Stopwatch{watch_}.lap();
        return static_cast<std::uint64_t>(product / static_cast<std::uint64_t>(passed));
    }

private:
    const Stopwatch watch_;
    const std::int64_t began_ = StreamAtomics::ticks();
};

}  // namespace heddle::executor
