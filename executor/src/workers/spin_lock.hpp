// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Mutual exclusion for a few dozen instructions; one byte. Not for anything that takes longer.
#pragma once

#include <atomic>
#include <thread>

#include "workers/parking_lot.hpp"

namespace heddle::executor {

class SpinLock {
public:
    void lock() noexcept {
        // Acquire pairs with unlock().
        while (is_held_.exchange(true, std::memory_order_acquire)) {
            // The holder may have lost its processor: after a while it gets ours.
            for (unsigned i = 0; is_held_.load(std::memory_order_relaxed); ++i) {
                if (i < kSpins)
                    pause_briefly();
                else
                    std::this_thread::yield();
            }
        }
    }
    void unlock() noexcept { is_held_.store(false, std::memory_order_release); }

private:
    static constexpr unsigned kSpins = 100;

    std::atomic<bool> is_held_{false};
};

}  // namespace heddle::executor
