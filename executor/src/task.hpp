// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// One place in the stream: a transaction, or the begin or the end of a block, on its way from the
// dispatcher through a worker to the committer.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <types/transaction.hpp>
#include <types/uint256.hpp>

#include <vm/transition.hpp>

#include "dag_node.hpp"
#include "spin_lock.hpp"
#include "versioned_state.hpp"

namespace heddle::executor {

struct BlockRun;

enum class TaskKind : std::uint8_t { begin_block, transaction, end_block };

/// What has become of a task.
///
///   state       event                                                    next        who
///   free        dispatched                                               waiting     dispatcher
///   waiting     attempted: it ran, its writes are published              attempted   a worker
///   waiting     it could not be validated at its place, or was dropped   unattempted a worker
///   waiting     its turn has come and it runs in stream order            free        committer
///   attempted   its turn: what it read still holds; changes are applied  free        committer
///   attempted   its turn: it was overtaken; withdrawn and run again      free        committer
///   unattempted its turn: run for the first time                         free        committer
///
/// `waiting` is left with release and read with acquire: what the attempt left is visible to the
/// committer.
enum class TaskState : std::uint8_t { waiting, attempted, unattempted };

/// An account or slot that an attempt has read, and whose values it saw.
struct AccountRead {
    AccountCell* cell = nullptr;
    AccountStamps stamps;
};
struct SlotRead {
    SlotCell* cell = nullptr;
    Stamp stamp = 0;
};

/// What one execution of a transaction ahead of its turn has left. Buffers are kept from use to
/// use. Invariants: accounts[i] and slots[i] belong to outcome.accesses' entries of the same index.
struct Attempt {
    vm::Outcome outcome;
    std::vector<AccountRead> accounts;
    std::vector<SlotRead> slots;
    /// Cells of the slots that the diff changes, in its order.
    std::vector<SlotCell*> changed_slots;
    /// What the sender had to own, in wei (YP 6.2, v_0).
    Uint256 upfront_cost;
};

struct Task : DagNode {
    // Set by the dispatcher.
    TaskKind kind = TaskKind::transaction;
    /// Runs at its turn, by the committer, and not before.
    bool runs_in_order = false;
    std::uint64_t position = 0;
    BlockRun* block = nullptr;
    Transaction* tx = nullptr;  // in `block`
    std::uint32_t index = 0;    // in the block
    std::uint32_t object_count = 0;
    std::vector<Edge> edges;  // owned by this task, in the stacks of those before it

    std::atomic<TaskState> state{TaskState::waiting};
    /// While `attempted`: from the pool, to be given back by the committer.
    Attempt* attempt = nullptr;
};

/// Attempts not in use, the last one given back first: its memory is still in the caches.
///
/// Thread safety: any.
class AttemptPool {
public:
    [[nodiscard]] Attempt& take() {
        const std::lock_guard guard(lock_);
        if (free_.empty()) {
            attempts_.push_back(std::make_unique<Attempt>());
            free_.reserve(attempts_.size());
            return *attempts_.back();
        }
        Attempt& attempt = *free_.back();
        free_.pop_back();
        return attempt;
    }
    void give_back(Attempt& attempt) noexcept {
        const std::lock_guard guard(lock_);
        free_.push_back(&attempt);
    }

private:
    SpinLock lock_;
    std::vector<std::unique_ptr<Attempt>> attempts_;  // all of them
    std::vector<Attempt*> free_;
};

}  // namespace heddle::executor
