// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where threads wait for work: they spin briefly, yield, then sleep. Waking costs nothing while
// nobody sleeps.
#pragma once

#include <cstdint>
#include <thread>

#include "dag_node.hpp"

namespace heddle::executor {

/// Tells the processor that the thread is spinning.
inline void pause_briefly() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

/// Protocol (a futex with a ticket): a sleeper counts itself, takes the ticket, looks once more for
/// work and sleeps only while the ticket is the same; a waker makes work visible, then takes one
/// off the count of sleepers if there is any, changes the ticket and wakes one. Counting, the last
/// look, making visible and looking at the count are all sequentially consistent, so that of a
/// sleeper and a waker at least one sees the other.
///
///   sleepers   event                                         next   who
///   n          announce itself                               n+1    a thread that found nothing
///   n > 0      claim: it will be woken, nobody else need do  n-1    a waker
///   n > 0      leave, as work was seen after the announcement n-1   that thread
///   0          leave: somebody has claimed it already        0      that thread
///
/// The count never falls below the number of sleepers that nobody has claimed. It may be above for
/// a while, where a thread saw the new ticket before it slept and the waker woke another one: that
/// costs a wake-up for nothing. As the waker claims, the many notifications that come while a
/// thread is on its way out of sleep cost no system call.
///
/// Thread safety: any number of sleepers and wakers.
template <typename Atomics>
class BasicParkingLot {
public:
    /// Sleeps until notify(), unless `has_work()` is true after the announcement.
    template <typename HasWork>
    void park(HasWork&& has_work) noexcept {
        sleepers_.fetch_add(1, std::memory_order_seq_cst);
        const std::uint32_t ticket = ticket_.load(std::memory_order_seq_cst);
        if (has_work())
            (void)claim();
        else
            ticket_.wait(ticket, std::memory_order_seq_cst);
    }

    /// Spins, yields and then parks until `has_work()`.
    template <typename HasWork>
    void wait(HasWork&& has_work) noexcept {
        for (unsigned i = 0; i < kSpins; ++i) {
            if (has_work()) return;
            pause_briefly();
        }
        for (unsigned i = 0; i < kYields; ++i) {
            if (has_work()) return;
            std::this_thread::yield();
            for (unsigned j = 0; j < kPausesPerYield; ++j)
                pause_briefly();
        }
        while (!has_work())
            park(has_work);
    }

    /// Wakes one sleeper, after work was made visible with sequential consistency.
    /// @return whether there was one.
    bool notify() noexcept {
        if (!claim()) return false;
        ticket_.fetch_add(1, std::memory_order_seq_cst);
        ticket_.notify_one();
        return true;
    }

private:
    [[nodiscard]] bool claim() noexcept {
        std::uint32_t count = sleepers_.load(std::memory_order_seq_cst);
        while (count != 0)
            if (sleepers_.compare_exchange_weak(count, count - 1, std::memory_order_seq_cst))
                return true;
        return false;
    }

    // A few dozen microseconds, about what waking a thread takes; then a millisecond or two in
    // which anybody else may have the processor. A thread that is woken may be put behind the one
    // that woke it and wait for the rest of its time slice (3.6 ms have been measured), so between
    // two blocks that come at once nobody should go to sleep. Pauses, because a system call after
    // the other would slow down whoever shares the core.
    static constexpr unsigned kSpins = 1000;
    static constexpr unsigned kYields = 1000;
    static constexpr unsigned kPausesPerYield = 32;

    alignas(64) typename Atomics::template Atomic<std::uint32_t> sleepers_{0};
    typename Atomics::template Atomic<std::uint32_t> ticket_{0};
};

using ParkingLot = BasicParkingLot<StandardAtomics>;

}  // namespace heddle::executor
