// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Restores stream order: takes the tasks as they stand in the stream, checks that what each attempt
// saw still holds, applies it or runs it again, and finishes blocks. The only place where results
// become final.
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
#pragma once

#include <atomic>
#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <types/block_error.hpp>
#include <types/ordered_root.hpp>

#include <executor/executor.hpp>

#include "block_run.hpp"
#include "chain_tip.hpp"
#include "committed_state.hpp"
#include "in_flight_hashes.hpp"
#include "stopwatch.hpp"
#include "window.hpp"
#include "worker.hpp"

namespace heddle::executor {

/// Hashes the transaction's leaf of the trie of transactions ahead. Whoever runs it does it.
void hash_leaf(Task& task, OrderedLeaf& leaf);

/// Whom the committer tells what has become possible.
class CommitListener {
public:
    virtual ~CommitListener() = default;
    /// The task waited for a commit and waits no more.
    virtual void make_ready(Worker& worker, Task& task) = 0;
    /// The window has moved.
    virtual void on_progress() noexcept = 0;
};

/// Thread safety: run() from any worker; attach(), summary() and error() while nothing is in
/// flight; the rest says so.
class Committer {
public:
    Committer(const Options& options, Window& window, VersionedState& state, InFlightHashes& hashes,
              AttemptPool& attempts, CommitListener& listener);

    void attach(const World& world, ChainHead head);

    /// Commits what can be committed, unless somebody else does.
    void run(Worker& worker);
    /// Whether there is something for run(); out of date at once.
    [[nodiscard]] bool has_work() const noexcept {
        return !is_taken_.load(std::memory_order_seq_cst) && is_committable();
    }

    /// A rejected block or stop(): what is in flight is dropped. Any thread.
    [[nodiscard]] bool is_halted() const noexcept {
        return is_halted_.load(std::memory_order_relaxed);
    }
    void halt() noexcept { is_halted_.store(true, std::memory_order_relaxed); }

    /// The cells have been forgotten.
    void forget_cells() noexcept { committed_.forget(); }

    [[nodiscard]] const ChainTip& tip() const noexcept { return tip_; }
    [[nodiscard]] const Summary& summary() const noexcept { return summary_; }
    [[nodiscard]] const std::optional<BlockError>& error() const noexcept { return error_; }
    /// Gas limits and objects of all tasks committed so far. Any thread.
    [[nodiscard]] std::uint64_t committed_gas() const noexcept { return gas_.get(); }
    [[nodiscard]] std::uint64_t committed_objects() const noexcept { return objects_.get(); }

    /// Blocks in flight, in stream order: added by the dispatcher, removed here. Any thread.
    void add_block(std::shared_ptr<BlockRun> block);

private:
    [[nodiscard]] bool is_committable() const noexcept;
    void commit(Worker& worker, Task& task);
    void commit_transaction(Worker& worker, Task& task);
    void begin_block(Worker& worker, Task& task);
    void end_block(Worker& worker, Task& task);
    void run_in_order(Worker& worker, Task& task);
    void accept(BlockRun& block, vm::Outcome& outcome);
    [[nodiscard]] std::expected<void, BlockError> check_body(const BlockRun& block) const;
    /// What the header claims, compared in the order in which the serial executor does.
    [[nodiscard]] std::expected<void, BlockError> conclude(BlockRun& block,
                                                           const std::vector<Bytes>& requests);
    [[nodiscard]] std::expected<void, BlockError> hand_over(BlockRun& block, StateDiff diff);
    void reject(BlockError error);

    // Immutable after construction.
    const Options& options_;
    Window& window_;
    InFlightHashes& hashes_;
    AttemptPool& attempts_;
    CommitListener& listener_;

    std::atomic<bool> is_taken_{false};
    std::atomic<bool> is_halted_{false};
    Counter gas_;
    Counter objects_;

    std::mutex blocks_mutex_;
    std::vector<std::shared_ptr<BlockRun>> blocks_;  // in flight, in order

    // Whoever has the role.
    std::optional<World> world_;
    CommittedState committed_;
    ChainTip tip_;
    Summary summary_;
    std::optional<BlockError> error_;
    OrderedLeaf leaf_;
    Stopwatch watch_;  // since the last block was accepted
};

}  // namespace heddle::executor
