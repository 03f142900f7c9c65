// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a thread does between two looks for something that nobody tells it of. Who is told of what
// it waits for sleeps in a ParkingLot.
#pragma once

#include <thread>

#include "workers/atomics.hpp"
#include "workers/parking_lot.hpp"

namespace heddle::executor {

/// Spins, and where that was for nothing lets others have the processor, each time.
/// Thread safety: none, its thread's.
class LookPause {
public:
    /// Some dozens of microseconds; hardly any where schedules are explored.
    static constexpr unsigned kSpins = 999 * StreamAtomics::kPatience + 1;

    void take() noexcept {
        if (yields()) return std::this_thread::yield();
        ++spins_;
        pause_briefly();
    }
    [[nodiscard]] bool yields() const noexcept { return spins_ == kSpins; }

private:
    unsigned spins_ = 0;
};

}  // namespace heddle::executor
