// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Restores stream order: takes the tasks as they stand in the stream, checks that what each attempt
// saw still holds, applies it or runs it again. The only place where results become final; what is
// left of a block when all of it is committed is BlockFinisher's.
//
// There is no committing thread: whoever has finished a task takes the role if it is free.
//
//   state of the role   event                              next state   who
//   free                take, by exchange                  taken        a thread that made a task
//   taken               take fails                         taken        committable, or may have
//   taken               nothing committable: give back     free         the one that has it
//
// A task may become committable between the last look of the one who has the role and its giving it
// back, while its finisher finds the role still taken. Both taking and giving back are exchanges
// (acquire and release): of two exchanges the later reads what the earlier wrote, so either the
// finisher takes the role, or whoever gives it back sees all that the finisher did before it tried,
// the task's state among it, and looks again.
//
// The thread that dispatches announces that it wants the role for a task that runs in stream order.
// Whoever has the role then stops where it is, and does not look again after giving it back. The
// announcement is taken back before the dispatching thread tries for the role, so whoever has seen
// it gives the role back before that exchange, by the argument above: had the exchange been the
// earlier one, it would have told that the announcement is over.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include <executor/executor.hpp>

#include "block_finisher.hpp"
#include "block_run.hpp"
#include "committed_state.hpp"
#include "in_flight_hashes.hpp"
#include "leaf_hasher.hpp"
#include "window.hpp"
#include "worker.hpp"

namespace heddle::executor {

/// Whom the committer tells what has become possible.
class CommitListener {
public:
    virtual ~CommitListener() = default;
    /// The task waited for a commit and waits no more.
    virtual void make_ready(Worker& worker, Task& task) = 0;
    /// The window has moved.
    virtual void on_progress() noexcept = 0;
    /// There are leaves to hash or blocks to finish.
    virtual void on_work_aside() noexcept = 0;
};

/// Thread safety: run() from any worker, run_first() from the one that dispatches; attach() while
/// nothing is in flight; the rest says so.
class Committer {
public:
    Committer(const Options& options, Window& window, VersionedState& state, InFlightHashes& hashes,
              AttemptPool& attempts, LeafHasher& leaves, BlockFinisher& finisher,
              CommitListener& listener);

    void attach(const World& world);

    /// Commits what can be committed, unless somebody else does.
    void run(Worker& worker);
    /// The same, and asks whoever does to leave it to this thread.
    void run_first(Worker& worker);
    /// Whether there is something for run(); out of date at once.
    [[nodiscard]] bool has_work() const noexcept {
        return !is_taken_.load(std::memory_order_seq_cst) && is_committable();
    }

    /// The cells have been forgotten.
    void forget_cells() noexcept { committed_.forget(); }

    /// Gas limits and objects of all tasks committed so far. Any thread.
    [[nodiscard]] std::uint64_t committed_gas() const noexcept { return gas_.get(); }
    [[nodiscard]] std::uint64_t committed_objects() const noexcept { return objects_.get(); }

private:
    [[nodiscard]] bool is_committable() const noexcept;
    /// Whether nothing is run any more: the stream is halted, or is going to be.
    [[nodiscard]] bool is_over() const noexcept { return has_failed_ || finisher_.is_halted(); }
    void commit(Worker& worker, Task& task);
    void commit_transaction(Worker& worker, Task& task);
    void begin_block(Worker& worker, Task& task);
    void end_block(Worker& worker, Task& task);
    void run_end(Worker& worker, Task& task);
    void run_in_order(Worker& worker, Task& task);
    void accept(Worker& worker, BlockRun& block, vm::Outcome& outcome);
    void publish_receipts(Worker& worker, BlockRun& block, bool is_last);

    // Immutable after construction.
    const Options& options_;
    Window& window_;
    InFlightHashes& hashes_;
    AttemptPool& attempts_;
    LeafHasher& leaves_;
    BlockFinisher& finisher_;
    CommitListener& listener_;

    alignas(64) std::atomic<bool> is_taken_{false};
    alignas(64) std::atomic<bool> is_wanted_{false};
    Counter gas_;
    Counter objects_;

    // Whoever has the role.
    std::optional<World> world_;
    CommittedState committed_;
    /// A block that is going to be rejected has ended: what follows has no state to run on.
    bool has_failed_ = false;
};

}  // namespace heddle::executor
