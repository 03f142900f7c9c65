// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where threads wait for work: they spin briefly, yield while nobody else wants the processor, then
// sleep. Waking costs nothing while nobody sleeps.
#pragma once

#include <cstdint>
#include <thread>

#include "workers/atomics.hpp"

namespace heddle::executor {

/// Tells the processor that the thread is spinning.
inline void pause_briefly() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

/// Protocol (a semaphore that knows whether anybody waits): a sleeper counts itself, looks once
/// more for work, and then takes a permit, sleeping until there is one; a waker makes work visible,
/// then takes one off the count if there is any and leaves a permit for it. Counting, the last
/// look, making visible and looking at the count are all sequentially consistent, so that of a
/// sleeper and a waker at least one sees the other.
///
///   (sleepers, permits)   event                                        next          who
///   (n, p)                announce itself                              (n+1, p)      a sleeper
///   (n > 0, p)            claim, and leave a permit: it will be woken  (n-1, p+1)    a waker
///   (n > 0, p)            leave, as work was seen after announcing     (n-1, p)      a sleeper
///   (n, p > 0)            take a permit and leave                      (n, p-1)      a sleeper
///
/// Sleepers, permits and permits on their way add up to the threads between announcing and leaving;
/// none of them is anybody's in particular, so it does not matter who takes which: a sleeper that
/// saw work and finds the count at zero has a permit coming. As the waker claims, the many
/// notifications that come while a thread is on its way out of sleep cost no system call.
///
/// Thread safety: any number of sleepers and wakers.
template <typename Atomics>
class BasicParkingLot {
public:
    /// Sleeps until notify(), unless `has_work()` is true after the announcement.
    template <typename HasWork>
    void park(HasWork&& has_work) noexcept {
        sleepers_.fetch_add(1, std::memory_order_seq_cst);
        if (has_work() && claim()) return;
        for (;;) {
            std::uint32_t permits = permits_.load(std::memory_order_seq_cst);
            while (permits != 0)
                if (permits_.compare_exchange_weak(permits, permits - 1, std::memory_order_seq_cst))
                    return;
            permits_.wait(0, std::memory_order_seq_cst);
        }
    }

    /// Spins, yields and then parks until `has_work()`.
    template <typename HasWork>
    void wait(HasWork&& has_work) noexcept {
        for (unsigned i = 0; i < kSpins; ++i) {
            if (has_work()) return;
            pause_briefly();
        }
        std::int64_t before = Atomics::ticks();
        for (unsigned i = 0; i < kYields; ++i) {
            if (has_work()) return;
            std::this_thread::yield();
            const std::int64_t now = Atomics::ticks();
            // Somebody else had the processor. Whoever yields again waits for that one's next time
            // slice, and work that comes meanwhile waits, too; a sleeper is woken before it.
            if (now - before > kSharedTicks) break;
            before = now;
        }
        while (!has_work())
            park(has_work);
    }

    /// Wakes one sleeper, after work was made visible with sequential consistency.
    /// @return whether there was one.
    bool notify() noexcept {
        if (!claim()) return false;
        permits_.fetch_add(1, std::memory_order_seq_cst);
        permits_.notify_one();
        return true;
    }

private:
    /// Takes one off the count of sleepers. @return whether there was any.
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
    static constexpr unsigned kSpins = 1000 * Atomics::kPatience;
    static constexpr unsigned kYields = 5000 * Atomics::kPatience;
    // Some fifty microseconds: a hundred times what yielding takes when nobody else wants the
    // processor, a tenth of the shortest time slice.
    static constexpr std::int64_t kSharedTicks = 150'000;

    alignas(64) typename Atomics::template Atomic<std::uint32_t> sleepers_{0};
    typename Atomics::template Atomic<std::uint32_t> permits_{0};
};

using ParkingLot = BasicParkingLot<StreamAtomics>;

}  // namespace heddle::executor
