// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How long things took, for LedgerStats. Decides nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <utility>

namespace heddle::ledger {

/// Divides passing time among counters. Thread safety: one thread at a time.
class Stopwatch {
public:
    /// @return nanoseconds since the last lap, or since the watch was made.
    std::uint64_t lap() noexcept {
        const auto now = std::chrono::steady_clock::now();
        const auto passed = now - std::exchange(last_, now);
        return static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count());
    }

private:
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace heddle::ledger
