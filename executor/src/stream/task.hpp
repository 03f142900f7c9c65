// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// One place in the stream: a transaction, or the begin or the end of a block, on its way from the
// dispatcher through a worker to the committer. What it waits for is noted by the scheduler, beside
// it.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include <types/object.hpp>
#include <types/transaction.hpp>
#include <types/uint256.hpp>

#include "state/attempt.hpp"
#include "state/versioned_state.hpp"
#include "workers/atomics.hpp"

namespace heddle::executor {

struct BlockRun;

enum class TaskKind : std::uint8_t { begin_block, transaction, end_block };

/// What has become of a task.
///
///   state        event                                                  next         who
///   free         dispatched                                             waiting      dispatcher
///   free         dispatched, to run in stream order only                in_order     dispatcher
///   waiting      attempted: it ran, its writes are published            attempted    a worker
///   waiting      it could not be validated at its place, was ended      unattempted  a worker
///                before its end, or was not attempted at all
///   waiting      one of these two, and the policy keeps it back         waiting      a worker
///   waiting      the policy hands over what it has kept back            the above    the policy
///   attempted    its turn: what it read still holds, it is applied      free         committer
///   attempted    its turn: overtaken; withdrawn and run again           free         committer
///   attempted    its turn: overtaken; withdrawn, to be attempted again  waiting      committer
///   unattempted  its turn: run for the first time                       free         committer
///   in_order     its turn: run for the first time                       free         committer
///
/// Where the policy looks at attempts ahead of their turn (Scheduler::estimates()), whoever does
/// anything with one that is `attempted` has to take it first, see try_take():
///
///   attempted    somebody looks whether it still holds                  checked      a worker
///   checked      it does, or is not worth another attempt               attempted    that worker
///   checked      overtaken; its values are estimates, to be attempted   waiting      that worker
///                again
///   attempted    its turn                                               closing      committer
///   closing      as from `attempted` above                              free         committer
///
/// Each state is entered with release and read with acquire: what the dispatcher and the attempt
/// have left is visible to the committer. Somebody who looks at a place that was committed and is
/// being used again may see any state, and must not believe it without the committer's role. One
/// that was taken is in flight: a place that was committed is not `attempted` again before that.
enum class TaskState : std::uint8_t {
    waiting,
    checked,
    // From here on the committer can go on with it.
    in_order,
    unattempted,
    attempted,
    closing,
};

/// Nobody else works on it.
[[nodiscard]] constexpr bool is_settled(TaskState state) noexcept {
    return state > TaskState::checked;
}
/// An attempt stands, whose buffers are the task's.
[[nodiscard]] constexpr bool has_attempt(TaskState state) noexcept {
    return state >= TaskState::attempted;
}

/// Takes what is `attempted`, for itself alone. Of two that try, one gets it: whoever reads
/// `attempted` first changes it. Acquire pairs with whoever handed it over.
/// @return false: it is in another state.
template <typename AtomicState>
[[nodiscard]] bool try_take(AtomicState& state, TaskState next) noexcept {
    TaskState seen = TaskState::attempted;
    do {
        if (state.compare_exchange_weak(seen, next, std::memory_order_acq_rel,
                                        std::memory_order_relaxed))
            return true;
    } while (seen == TaskState::attempted);
    return false;
}

/// An account's objects have so many numbers, beginning with its own times this.
inline constexpr std::uint32_t kKindsPerAccount = 4;

/// One access by object number; the numbers of accounts' objects and of slots are apart.
struct ObjectRequest {
    std::uint32_t number = 0;
    ObjectKind kind = ObjectKind::balance;
    AccessMode mode = AccessMode::read;
    AccountCell* account = nullptr;
    SlotCell* slot = nullptr;  // of storage slots only
};

struct alignas(64) Task {
    StreamAtomics::Atomic<TaskState> state{TaskState::waiting};

    /// Whether the attempt that stands may have changed what the one before it had not. Whoever
    /// runs the task.
    bool has_new_places = true;
    /// Whether `requests` are from an object set that came with it. The dispatcher's stages.
    bool has_whole_set = false;

    // Set by the submitting thread.
    TaskKind kind = TaskKind::transaction;
    std::uint32_t index = 0;  // in the block
    std::uint64_t position = 0;
    BlockRun* block = nullptr;
    Transaction* tx = nullptr;  // in `block`
    /// The most that the transaction can cost its sender, in wei; absent: more than anybody can
    /// own.
    std::optional<Uint256> upfront_cost;
    std::optional<ObjectSet> declared;

    // Set by the dispatcher's stages.
    std::vector<ObjectRequest> requests;
    std::uint32_t object_count = 0;
    /// Attempts that were withdrawn. Whoever runs the task.
    std::uint16_t withdrawn = 0;
    /// Whether it was made to wait for what touches a restless account that it names, see
    /// Speculation.
    bool is_behind : 1 = false;
    /// Whether it was made to wait for all that its object set says it has to come behind.
    bool is_behind_all : 1 = false;
    /// How many transactions could have been executed in the time that lost attempts of the task
    /// have taken; see Speculation::note_lost(). Whoever runs the task.
    std::uint8_t lost_turns = 0;
    AccountCell* sender = nullptr;     // null: not found on the way
    AccountCell* recipient = nullptr;  // null: not found on the way

    /// Gas that attempts of the task have drawn from the budget; below zero: that the one which is
    /// under way and holds for good lends to others. Whoever runs the task.
    std::int64_t drawn_gas = 0;
    /// Gas that attempts have used that were ended or taken back. Whoever runs the task.
    std::uint64_t lost_gas = 0;
    /// While `unattempted`: whose change has overtaken an attempt, which was ended for it; or null.
    AccountCell* overtaken_by = nullptr;
    /// From the pool. While `attempted`: to be given back by the committer. While `waiting`: one
    /// that was taken back, whose published values stand as estimates until the next one is
    /// published or there is none any more; or null.
    Attempt* attempt = nullptr;
    /// Gas drawn from the budget by attempts that are lost, to be settled at its turn. Whoever runs
    /// the task.
    std::int64_t forfeited_gas = 0;

    /// The place is used for another one. The submitting thread.
    void begin(TaskKind what, std::uint64_t where, BlockRun* of) noexcept {
        state.store(TaskState::waiting, std::memory_order_relaxed);
        kind = what;
        position = where;
        block = of;
        tx = nullptr;
        attempt = nullptr;
        withdrawn = 0;
        drawn_gas = 0;
        lost_gas = 0;
        lost_turns = 0;
        forfeited_gas = 0;
        has_new_places = true;
        is_behind = false;
        is_behind_all = false;
    }

    /// Of the attempt that is made, or stands.
    [[nodiscard]] Stamp stamp() const noexcept { return make_stamp(position, withdrawn); }
};

static_assert(sizeof(Task) == 192 || sizeof(StreamAtomics::Atomic<TaskState>) != sizeof(TaskState),
              "three lines, of real atomics");

}  // namespace heddle::executor
