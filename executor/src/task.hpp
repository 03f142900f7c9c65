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
#include <optional>
#include <vector>

#include <types/object.hpp>
#include <types/transaction.hpp>
#include <types/uint256.hpp>

#include <vm/transition.hpp>

#include "dag_node.hpp"
#include "versioned_state.hpp"

namespace heddle::executor {

struct BlockRun;

enum class TaskKind : std::uint8_t { begin_block, transaction, end_block };

/// What has become of a task.
///
///   state        event                                                  next         who
///   free         dispatched                                             waiting      dispatcher
///   free         dispatched, to run in stream order only                in_order     dispatcher
///   waiting      attempted: it ran, its writes are published            attempted    a worker
///   waiting      it could not be validated at its place, or was dropped unattempted  a worker
///   attempted    its turn: what it read still holds, it is applied      free         committer
///   attempted    its turn: overtaken; withdrawn and run again           free         committer
///   unattempted, its turn: run for the first time                       free         committer
///   in_order
///
/// Each state is entered with release and read with acquire: what the dispatcher and the attempt
/// have left is visible to the committer. Somebody who looks at a place that was committed and is
/// being used again may see any state, and must not believe it without the committer's role.
enum class TaskState : std::uint8_t { waiting, in_order, attempted, unattempted };

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
};

/// One access by object number; the numbers of accounts' objects and of slots are apart.
struct ObjectRequest {
    std::uint32_t number = 0;
    ObjectKind kind = ObjectKind::balance;
    AccessMode mode = AccessMode::read;
    AccountCell* account = nullptr;
    SlotCell* slot = nullptr;  // of storage slots only
};

struct alignas(64) Task : DagNode {
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
    std::vector<Edge> edges;           // owned by this task, in the stacks of those before it

    std::atomic<TaskState> state{TaskState::waiting};
    /// While `attempted`: from the pool, to be given back by the committer.
    Attempt* attempt = nullptr;
};

/// Attempts not in use, for all workers. Each worker keeps some at hand, see Worker.
///
/// Thread safety: any.
class AttemptPool {
public:
    static constexpr std::size_t kBatch = 32;

    /// Moves a batch to `attempts`.
    void take(std::vector<Attempt*>& attempts) {
        const std::lock_guard guard(lock_);
        for (std::size_t i = 0; i < kBatch; ++i) {
            if (free_.empty()) {
                all_.push_back(std::make_unique<Attempt>());
                free_.push_back(all_.back().get());
            }
            attempts.push_back(free_.back());
            free_.pop_back();
        }
    }
    /// Moves the oldest batch of `attempts` here.
    void give_back(std::vector<Attempt*>& attempts) {
        const std::lock_guard guard(lock_);
        free_.insert(free_.end(), attempts.begin(), attempts.begin() + kBatch);
        attempts.erase(attempts.begin(), attempts.begin() + kBatch);
    }

private:
    std::mutex lock_;
    std::vector<std::unique_ptr<Attempt>> all_;
    std::vector<Attempt*> free_;
};

}  // namespace heddle::executor
