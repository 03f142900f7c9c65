// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Mutual exclusion for a few dozen instructions; one byte. Not for anything that takes longer.
#pragma once

#include <atomic>
#include <thread>

#include "workers/atomics.hpp"
#include "workers/parking_lot.hpp"

namespace heddle::executor {

template <typename Atomics>
class BasicSpinLock {
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

    typename Atomics::template Atomic<bool> is_held_{false};
};

using SpinLock = BasicSpinLock<StandardAtomics>;

}  // namespace heddle::executor
