// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// One place in the stream: a transaction, or the begin or the end of a block, on its way from the
// dispatcher through a worker to the committer. What it waits for is noted by the scheduler, beside
// it.
#pragma once

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
/// Each state is entered with release and read with acquire: what the dispatcher and the attempt
/// have left is visible to the committer. Somebody who looks at a place that was committed and is
/// being used again may see any state, and must not believe it without the committer's role.
enum class TaskState : std::uint8_t { waiting, in_order, attempted, unattempted };

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
    AccountCell* sender = nullptr;     // null: not found on the way
    AccountCell* recipient = nullptr;  // null: not found on the way

    // The policy's, before the task is ready.
    /// See AttemptPlace: its attempts see nothing of positions from here on, but of its unit.
    std::uint64_t sees_before = 0;
    std::uint64_t unit = 0;

    /// Attempts that were withdrawn. Whoever runs the task.
    unsigned withdrawn = 0;
    /// Gas that attempts of the task have drawn from the budget. Whoever runs the task.
    std::int64_t drawn_gas = 0;
    /// Gas that an attempt has used that was ended. Whoever runs the task.
    std::uint64_t lost_gas = 0;
    /// While `unattempted`: whose change has overtaken an attempt, which was ended for it; or null.
    AccountCell* overtaken_by = nullptr;
    /// While `attempted`: from the pool, to be given back by the committer.
    Attempt* attempt = nullptr;

    /// Of the attempt that is made, or stands.
    [[nodiscard]] Stamp stamp() const noexcept { return make_stamp(position, withdrawn); }
};

}  // namespace heddle::executor
