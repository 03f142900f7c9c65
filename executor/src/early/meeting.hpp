// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How the lanes of a sequential class meet for each of its requests, so that one of them runs it
// while the others wait: by a barrier (Early Scheduling, algorithm 2) or by marks of two cycles
// (algorithms 3 and 4). The protocol and nothing else; nobody is held here: a lane asks whether it
// can go on, and whoever lets others go on is told to wake them.
//
//   phase of a lane  event                                                 next       wakes
//   outside          marks: counts itself in its cycle; it is the last     executing
//   outside          marks: the same; it is not                            gathering
//   outside          barrier: arrives                                      gathering  the last: all
//   gathering        barrier is open; it is the first lane: sets the mark  executing
//   gathering        barrier is open, it is another; or the mark is 0      leaving
//   executing        the mark is 0: the request was executed               leaving
//   leaving          barrier: arrives                                      leaving    the last: all
//   leaving          barrier is open; without one at once                  outside
//
// and whoever has executed the request sets the mark to 0 (done()) and wakes all lanes.
//
// Two cycles: a lane that leaves may come to the next request of the class while others have not
// yet seen that the last one is over. It counts itself in the other cycle then; to come back to the
// first it has to meet all lanes there, and these have left the first.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include <types/assert.hpp>

#include "early/class_mapping.hpp"
#include "workers/atomics.hpp"

namespace heddle::executor {

/// Which of the two ways is taken, before and after the request.
struct MeetingRules {
    bool gathers_at_barrier = false;
    bool leaves_at_barrier = false;
};

/// A lane's part in a meeting; its own.
struct Visit {
    enum class Phase : std::uint8_t { outside, gathering, executing, leaving };

    Phase phase = Phase::outside;
    bool cycle = false;
    bool is_first = false;     // of the lanes of the class
    ThreadSet lanes = 0;       // that meet
    std::uint32_t ticket = 0;  // generation of the barrier that it has arrived at
};

/// What a lane does next.
enum class Advance : std::uint8_t {
    wait,     // look again when woken
    execute,  // the request, on behalf of all
    leave,    // on to its next request
};

/// Opens when `count` have arrived, and is used again and again.
/// Thread safety: any.
template <typename Atomics>
class BasicBarrier {
public:
    /// `open()` is called by the last one, after the others can go on.
    /// @return the ticket to ask is_open() with.
    template <typename Open>
    [[nodiscard]] std::uint32_t arrive(unsigned count, Open&& open) noexcept {
        // Before arriving: it does not move until this one has arrived.
        const std::uint32_t ticket = generation_.load(std::memory_order_acquire);
        if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == count) {
            arrived_.store(0, std::memory_order_relaxed);
            // Release publishes what all that have arrived did before; sequentially consistent for
            // those that park, see ParkingLot.
            generation_.store(ticket + 1, std::memory_order_seq_cst);
            open();
        }
        return ticket;
    }
    [[nodiscard]] bool is_open(std::uint32_t ticket) const noexcept {
        return generation_.load(std::memory_order_seq_cst) != ticket;
    }

private:
    typename Atomics::template Atomic<std::uint32_t> arrived_{0};
    typename Atomics::template Atomic<std::uint32_t> generation_{0};
};

/// Of one class. Which lanes meet may change while none is inside.
///
/// Thread safety: each lane's visit by one thread at a time; done() by whoever has executed.
template <typename Atomics>
class BasicMeeting {
public:
    using Phase = Visit::Phase;

    /// Goes on as far as it can. `wake()` is called where others can go on now.
    template <typename Wake>
    [[nodiscard]] Advance step(MeetingRules rules, Visit& visit, Wake&& wake) noexcept {
        for (;;) {
            switch (visit.phase) {
                case Phase::outside:
                    if (enter(rules, visit, wake)) return Advance::execute;
                    break;
                case Phase::gathering:
                    if (!can_step(rules, visit)) return Advance::wait;
                    if (rules.gathers_at_barrier && visit.is_first) {
                        mark(visit).store(1, std::memory_order_relaxed);
                        visit.phase = Phase::executing;
                        return Advance::execute;
                    }
                    begin_leaving(rules, visit, wake);
                    break;
                case Phase::executing:
                    if (!can_step(rules, visit)) return Advance::wait;
                    begin_leaving(rules, visit, wake);
                    break;
                case Phase::leaving:
                    if (!can_step(rules, visit)) return Advance::wait;
                    visit.phase = Phase::outside;
                    return Advance::leave;
            }
        }
    }

    /// Whether step() would do anything; sequentially consistent, see ParkingLot.
    [[nodiscard]] bool can_step(MeetingRules rules, const Visit& visit) const noexcept {
        switch (visit.phase) {
            case Phase::outside:
                return true;
            case Phase::gathering:
                return rules.gathers_at_barrier ? barrier_.is_open(visit.ticket) : is_over(visit);
            case Phase::executing:
                return is_over(visit);
            case Phase::leaving:
                return !rules.leaves_at_barrier || barrier_.is_open(visit.ticket);
        }
        return false;
    }

    /// The request of the cycle has been executed. All its lanes are to be woken after this.
    void done(bool cycle) noexcept {
        // Release publishes what was done; sequentially consistent for those that park.
        marks_[cycle].store(0, std::memory_order_seq_cst);
    }

private:
    [[nodiscard]] auto& mark(const Visit& visit) noexcept { return marks_[visit.cycle]; }
    [[nodiscard]] bool is_over(const Visit& visit) const noexcept {
        return marks_[visit.cycle].load(std::memory_order_seq_cst) == 0;
    }

    /// @return whether this lane executes.
    template <typename Wake>
    [[nodiscard]] bool enter(MeetingRules rules, Visit& visit, Wake&& wake) noexcept {
        const unsigned count = count_of(visit.lanes);
        visit.phase = Phase::gathering;
        if (rules.gathers_at_barrier) {
            visit.ticket = barrier_.arrive(count, wake);
            return false;
        }
        // Acquire and release: whoever executes sees what all lanes have done before.
        const std::uint32_t inside = mark(visit).fetch_add(1, std::memory_order_acq_rel) + 1;
        HEDDLE_DASSERT(inside <= count);
        if (inside != count) return false;
        visit.phase = Phase::executing;
        return true;
    }
    template <typename Wake>
    void begin_leaving(MeetingRules rules, Visit& visit, Wake&& wake) noexcept {
        if (rules.leaves_at_barrier) visit.ticket = barrier_.arrive(count_of(visit.lanes), wake);
        visit.phase = Phase::leaving;
    }

    std::array<typename Atomics::template Atomic<std::uint32_t>, 2> marks_{};
    BasicBarrier<Atomics> barrier_;
};

}  // namespace heddle::executor
