// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A role that whoever comes by takes when it is free, instead of a thread of its own: that of the
// committer, that of the finisher.
//
//   state of the role   event                              next state   who
//   free                take, by exchange                  taken        a thread that made work
//   taken               take fails                         taken        a thread that made work
//   taken               nothing to do: give back           free         the one that has it
//   taken               wanted by another: give back       free         the one that has it
//
// Work may appear between the last look of the one who has the role and its giving it back, while
// the one who made the work finds the role still taken. Both taking and giving back are exchanges
// (acquire and release): of two exchanges the later reads what the earlier wrote, so either the
// maker takes the role, or whoever gives it back sees all that the maker did before it tried, the
// work among it, and looks again.
//
// The thread that attempts the task whose turn it is may look something up in the role
// (try_once()). While it does nothing can be committed before that task is, and only that thread
// can settle it: so nobody makes work that could be left behind.
//
// A thread may announce that it wants the role. Whoever has it then stops where it is, and does not
// look again after giving it back. The announcement is taken back before the announcing thread
// tries for the role, so whoever has seen it gives the role back before that exchange, by the
// argument above: had the exchange been the earlier one, it would have told that the announcement
// is over.
#pragma once

#include <atomic>

#include "workers/atomics.hpp"
#include "workers/parking_lot.hpp"

namespace heddle::executor {

/// Duty, what the role is for:
///
///   bool has_work()             whether there is something to do; asked without the role too
///   void run_once()             does some of it; in the role
///   void before_giving_back()   after one or more of these, still in the role
///   void after_giving_back()    the same, without the role
///
/// Thread safety: any; run_first() by one thread at a time.
template <typename Atomics>
class BasicRole {
public:
    /// Does what there is to do, unless somebody else does.
    template <typename Duty>
    void run(Duty&& duty) {
        do {
            if (is_taken_.exchange(true, std::memory_order_acq_rel)) return;
            bool has_worked = false;
            while (duty.has_work() && !is_wanted()) {
                duty.run_once();
                has_worked = true;
            }
            if (has_worked) duty.before_giving_back();
            is_taken_.exchange(false, std::memory_order_acq_rel);
            if (has_worked) duty.after_giving_back();
        } while (duty.has_work() && !is_wanted());
    }

    /// The same, and asks whoever has the role to leave it to this thread.
    /// @param patience  So many looks it waits for that.
    template <typename Duty>
    void run_first(Duty&& duty, unsigned patience) {
        if (is_taken_.load(std::memory_order_relaxed)) {
            is_wanted_.store(true, std::memory_order_relaxed);
            for (unsigned i = 0; i < patience && is_taken_.load(std::memory_order_relaxed); ++i)
                pause_briefly();
            is_wanted_.store(false, std::memory_order_relaxed);
        }
        run(duty);
    }

    /// Does this in the role, if nobody has it. Only while there is nothing for the role to do and
    /// nobody but the caller can make any: the role is given back without another look.
    /// @return whether it was done.
    template <typename Action>
    [[nodiscard]] bool try_once(Action&& action) {
        if (is_taken_.exchange(true, std::memory_order_acq_rel)) return false;
        action();
        is_taken_.exchange(false, std::memory_order_acq_rel);
        return true;
    }

    /// Out of date at once; sequentially consistent, see ParkingLot.
    [[nodiscard]] bool is_taken() const noexcept {
        return is_taken_.load(std::memory_order_seq_cst);
    }

private:
    [[nodiscard]] bool is_wanted() const noexcept {
        return is_wanted_.load(std::memory_order_relaxed);
    }

    alignas(64) typename Atomics::template Atomic<bool> is_taken_{false};
    alignas(64) typename Atomics::template Atomic<bool> is_wanted_{false};
};

using Role = BasicRole<StreamAtomics>;

}  // namespace heddle::executor
