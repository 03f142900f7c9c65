// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A lock for many short reads and rare writes. Not for reads that call out: a reader must not take
// it twice.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <shared_mutex>

namespace heddle::ledger {

/// A readers-writer lock in stripes. A reader locks the stripe of its thread only, so that readers
/// of different threads do not fight over one cache line and do not starve the writer; a writer
/// locks all stripes, in order.
///
/// Meets the requirements of std::shared_lock and std::unique_lock. A shared lock belongs to the
/// thread that took it.
class StripedMutex {
public:
    void lock() {
        for (Stripe& stripe : stripes_)
            stripe.mutex.lock();
    }
    void unlock() {
        for (Stripe& stripe : stripes_)
            stripe.mutex.unlock();
    }
    void lock_shared() { own_stripe().mutex.lock_shared(); }
    void unlock_shared() { own_stripe().mutex.unlock_shared(); }

private:
    static constexpr std::size_t kStripes = 16;
    static constexpr std::size_t kCacheLine = 64;
    struct alignas(kCacheLine) Stripe {
        std::shared_mutex mutex;
    };

    Stripe& own_stripe() noexcept {
        // Dealt out in turn; only the number itself matters, so no order is needed.
        static std::atomic<std::size_t> next = 0;
        thread_local const std::size_t index =
            next.fetch_add(1, std::memory_order_relaxed) % kStripes;
        return stripes_[index];
    }

    std::array<Stripe, kStripes> stripes_;
};

}  // namespace heddle::ledger
