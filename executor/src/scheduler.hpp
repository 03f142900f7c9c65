// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The seam between the stream and the policies by which its transactions are scheduled. The stream
// (submitting, window, attempts, committer, finisher) is the same for all of them and decides what
// is true; a policy decides what is attempted when, and nothing that it decides changes a result.
//
//   event of a task                        the policy is asked or told       by
//   it arrives, in stream order            arrive()                          the dispatching thread
//   others may know of it                  release()                         the dispatching thread
//   a worker looks for work                take()                            that worker
//   an attempt begins                      sight()        (keeps_back())     its worker
//   an attempt is published                attempted()                       its worker
//   the same, or the task has no attempt   settle()       (keeps_back())     its worker
//   its turn                               its_turn()     (keeps_back())     whoever commits
//   its turn: the attempt was overtaken    overtaken()                       whoever commits
//   the same, to be attempted again        make_ready()                      whoever commits
//   its turn: it is committed              committed()                       whoever commits
//
// A policy that looks at attempts ahead of their turn, in take(), takes them back through Recall
// and names the values that are going to be replaced (estimates()). It is told of two more:
//
//   an attempt has read such a value       suspended()                       its worker
//   a task is the committer's now          handed_over()                     its worker
//
// Of one task these happen in this order, each before the next one is visible to anybody. A task
// that is not placed ahead() is neither released nor attempted, and one whose attempt fails is not
// attempted(); both are committed(). The stream may run in order what the policy has placed ahead,
// or end an attempt: what attempts may cost is not the policy's business (see Speculation).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <executor/options.hpp>
#include <executor/stats.hpp>

#include "scheduler_settings.hpp"
#include "state/attempt.hpp"
#include "state/version_list.hpp"
#include "workers/ready_queue.hpp"
#include "workers/ready_queues.hpp"

namespace heddle::executor {

struct Task;
class Estimates;
class Recall;
class VersionedState;
class Window;
class WorkerParking;
enum class TaskState : std::uint8_t;

/// How a transaction is run the first time.
enum class Placement : std::uint8_t {
    ahead,     // ahead of its turn, as soon as the policy has it ready
    in_order,  // at its turn, by whoever commits
};

/// What follows when a transaction's turn has come and its attempt does not hold.
enum class Repair : std::uint8_t {
    in_order,  // it is run at once, by whoever commits
    again,     // it is attempted once more, and its turn waits for that
};

/// What an attempt has left to be read, against the one before it at the same position.
enum class Left : std::uint8_t {
    nothing,      // it has failed, or was not made
    same_places,  // what that one has changed, or part of it
    new_places,   // more; or it is the first one
};

/// What a policy works with. Borrowed: everything outlives the policy.
struct SchedulerContext {
    const ParallelOptions& options;
    unsigned workers;  // at least one; worker 0 is the submitting thread
    Window& window;
    VersionedState& state;
    WorkerParking& parking;  // whoever makes a task ready wakes somebody
    const SchedulerSettings& settings;
    Recall& recall;
};

/// For a policy that keeps tasks back, at the turn of the first of them.
class KeptBack {
public:
    virtual ~KeptBack() = default;
    /// Takes back what the task's attempt has published. The task is `attempted` but for being
    /// kept back.
    /// @return whether it may be attempted again, as far as attempts and budget go. If not, it is
    /// to be handed over as `unattempted`.
    [[nodiscard]] virtual bool take_back(Task& task) = 0;
};

/// Progress: of the tasks placed ahead, the first one that is not committed must become ready
/// without anybody waiting for a later one. Everything else about the order is the policy's.
class Scheduler {
public:
    virtual ~Scheduler() = default;

    /// Whether a task waits for those before it that touch what it does, as far as its requests
    /// say. Then it is given more of them where attempts were overtaken without.
    [[nodiscard]] virtual bool orders_by_objects() const noexcept { return false; }

    // --- The dispatching thread, in stream order -------------------------------------------------
    /// A task, with its object requests, has arrived. Also what begins and ends a block, and what
    /// the stream runs in order whatever the answer is.
    /// @param watermark  All positions below are committed; until the end of release(), tasks from
    ///                   there on may be looked up in the window.
    [[nodiscard]] virtual Placement arrive(Task& task, std::uint64_t watermark) = 0;
    /// A task that was placed ahead may be run from now on, as far as the stream is concerned. It
    /// may be committed when this returns.
    virtual void release(Task& task) = 0;

    // --- The submitting thread -------------------------------------------------------------------
    /// It waits for tasks to be committed, and submits nothing until it goes on.
    /// @param end  All positions below have been submitted, and are dispatched by and by.
    virtual void stream_waits(std::uint64_t end) { static_cast<void>(end); }
    virtual void stream_goes_on() {}

    // --- The ready set ---------------------------------------------------------------------------
    /// What the worker runs next, in this order. Any worker.
    [[nodiscard]] virtual ReadyBundle take(unsigned worker, std::span<ReadyItem> items) = 0;
    /// Ready tasks that nobody has taken; out of date at once. Any thread.
    [[nodiscard]] virtual std::size_t backlog() const noexcept = 0;
    /// Whether there are any; sequentially consistent, see ParkingLot. Any thread.
    [[nodiscard]] virtual bool has_ready() const noexcept = 0;
    /// Whether take() would give the worker one of them, where that depends on the worker; the
    /// same.
    [[nodiscard]] virtual bool has_ready_for(unsigned worker) const noexcept {
        static_cast<void>(worker);
        return has_ready();
    }
    /// Puts a task that was released before into the ready set. Any worker.
    virtual void make_ready(unsigned worker, Task& task) = 0;

    // --- What becomes of a task ------------------------------------------------------------------
    /// Whether tasks that have been attempted are kept from the committer for a while; always the
    /// same. Only then sight(), settle() and its_turn() are called.
    [[nodiscard]] virtual bool keeps_back() const noexcept { return false; }
    /// What an attempt of the task may see. Its worker.
    [[nodiscard]] virtual Sight sight(const Task& task) const noexcept {
        static_cast<void>(task);
        return {};
    }
    /// There is an attempt, of which attempted() has told, or none is made. The policy hands the
    /// task over by storing `state` in it with release, here or later, and by nothing but this: it
    /// may be committed at once then. Any worker.
    virtual void settle(unsigned worker, Task& task, TaskState state) {
        static_cast<void>(worker);
        static_cast<void>(task);
        static_cast<void>(state);
    }
    /// The task, placed ahead or in order, is the next one to be committed; all before it are.
    /// Whoever commits.
    virtual void its_turn(unsigned worker, Task& task, KeptBack& kept) {
        static_cast<void>(worker);
        static_cast<void>(task);
        static_cast<void>(kept);
    }
    /// An attempt has ended and its values can be read by later ones; the task is not the
    /// committer's yet. Any worker.
    /// @param may_continue  Whether the worker can run another task at once.
    /// @return a released task that is now ready, for that purpose; or null.
    [[nodiscard]] virtual Task* attempted(unsigned worker, Task& task, bool may_continue) = 0;
    /// The attempt does not hold; its values have been withdrawn. Asked of every attempt; whether
    /// there may be another one and budget for it is looked at after that. Whoever commits.
    [[nodiscard]] virtual Repair overtaken(const Task& task) = 0;
    /// Whether anybody waits for the task's commit, and may read what is added up on the way to it.
    /// Whoever commits.
    [[nodiscard]] virtual bool is_commit_awaited(const Task& task) = 0;
    /// The task and all before it are final. Its state tells whether its last attempt was
    /// attempted(). Its slot is used again after this. Whoever commits.
    virtual void committed(unsigned worker, Task& task) = 0;

    // --- Policies that look at attempts ahead of their turn --------------------------------------
    /// Which values are going to be replaced. Null: nothing is looked at before its turn, and what
    /// follows is never called. Asked once.
    [[nodiscard]] virtual const Estimates* estimates() const noexcept { return nullptr; }
    /// An attempt has ended because it read the value with the stamp `on`, which is going to be
    /// replaced; 0: which has been replaced. The task is the policy's: it is to be made ready when
    /// that has happened, or is committed. The task's worker.
    virtual void suspended(unsigned worker, Task& task, Stamp on) {
        static_cast<void>(worker);
        static_cast<void>(task);
        static_cast<void>(on);
    }
    /// After an attempt at this position: it is the committer's now, may be committed, and its slot
    /// used again. The task's worker.
    virtual void handed_over(unsigned worker, std::uint64_t position, Left left) {
        static_cast<void>(worker);
        static_cast<void>(position);
        static_cast<void>(left);
    }

    // --- Memory ----------------------------------------------------------------------------------
    /// All accounts and slots have been forgotten, so that their numbers begin anew from 0. Nothing
    /// is in flight. Memory for more than these is to be given back. The dispatching thread, or
    /// the submitting one while that has nothing to do.
    virtual void forget_objects(std::size_t kept_accounts, std::size_t kept_slots) {
        static_cast<void>(kept_accounts);
        static_cast<void>(kept_slots);
    }
    /// Held for what the policy remembers of accounts and slots, used or not. Any thread.
    [[nodiscard]] virtual std::size_t memory_bytes() const noexcept { return 0; }

    /// Adds the policy's own counts, since it was made. Any thread.
    virtual void add_counts(ParallelStats& stats) const = 0;
};

}  // namespace heddle::executor
