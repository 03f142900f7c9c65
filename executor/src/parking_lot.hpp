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

/// Protocol (a futex with a ticket): a sleeper announces itself, takes the ticket, looks once more
/// for work and sleeps only while the ticket is the same; a waker makes work visible, then looks
/// for sleepers and changes the ticket. Announcing, the last look, making visible and looking for
/// sleepers are all sequentially consistent, so that of a sleeper and a waker at least one sees the
/// other.
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
        if (!has_work()) ticket_.wait(ticket, std::memory_order_seq_cst);
        sleepers_.fetch_sub(1, std::memory_order_seq_cst);
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
        }
        while (!has_work())
            park(has_work);
    }

    /// After work was made visible with sequential consistency.
    void notify() noexcept {
        if (sleepers_.load(std::memory_order_seq_cst) == 0) return;
        ticket_.fetch_add(1, std::memory_order_seq_cst);
        ticket_.notify_all();
    }

    [[nodiscard]] bool has_sleepers() const noexcept {
        return sleepers_.load(std::memory_order_seq_cst) != 0;
    }

private:
    // About 30 µs on today's machines: less than waking a thread takes.
    static constexpr unsigned kSpins = 1000;
    static constexpr unsigned kYields = 50;

    alignas(64) typename Atomics::template Atomic<std::uint32_t> sleepers_{0};
    typename Atomics::template Atomic<std::uint32_t> ticket_{0};
};

using ParkingLot = BasicParkingLot<StandardAtomics>;

}  // namespace heddle::executor
