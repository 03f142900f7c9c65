// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Many transactions of many blocks at once, scheduled by a policy: what all policies share, behind
// the executor's face. Owns the parts and connects them. What each part does is told where it
// lives: Scheduler, WorkerPool, Committer, VersionedState.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <types/block_error.hpp>
#include <types/object.hpp>

#include <executor/executor.hpp>
#include <executor/schedule_observer.hpp>

#include "pace_judge.hpp"
#include "scheduler.hpp"
#include "state/read_ahead.hpp"
#include "state/versioned_state.hpp"
#include "stream/block_finisher.hpp"
#include "stream/block_run.hpp"
#include "stream/chain_tip.hpp"
#include "stream/committer.hpp"
#include "stream/dispatch_pipeline.hpp"
#include "stream/in_flight_hashes.hpp"
#include "stream/indexer.hpp"
#include "stream/leaf_hasher.hpp"
#include "stream/recall.hpp"
#include "stream/set_credit.hpp"
#include "stream/signer_recovery.hpp"
#include "stream/speculation.hpp"
#include "stream/window.hpp"
#include "stream/worker.hpp"
#include "workers/worker_parking.hpp"
#include "workers/worker_pool.hpp"

namespace heddle::executor {

using MakeScheduler = std::unique_ptr<Scheduler> (*)(const SchedulerContext& context);

/// What is decided of whole blocks, before the policy has them (MixedExecutor).
struct BlockUse {
    bool takes_lists = false;  // blocks that come with access lists run from these
    bool judges_pace = false;  // blocks run in order where that is faster (PaceJudge)
};

/// What makes a policy, and how it is set.
struct PolicyChoice {
    MakeScheduler make;
    SchedulerSettings settings = {};
    ScheduleObserver* observer = nullptr;  // null: nobody watches
    BlockUse use = {};
};

class ParallelExecutor final : public Executor, private Work, private DispatchWork {
public:
    /// `options.tracer` must be null.
    ParallelExecutor(Options options, PolicyChoice policy);
    ~ParallelExecutor() override;

    /// How the next block is run. The submitting thread, before begin_block().
    void set_pace(Pace pace) noexcept { pace_ = pace; }

    using Executor::submit;
    void start(const World& world, ChainHead head) override;
    /// The stream goes on at `head`, after blocks that others have executed: start() on the same
    /// world, with nothing in flight, but what is known of its state stays where it can.
    /// @param missed  What these blocks have changed, in their order.
    void go_on(ChainHead head, std::span<const StateDiff> missed);
    /// Drops what is unfinished; nothing of the world is used any more.
    void abandon();
    [[nodiscard]] std::expected<void, BlockError> begin_block(BlockStart block) override;
    void recover_signers(std::span<Transaction> transactions) override;
    void submit(Transaction tx, std::optional<ObjectSet> objects) override;
    void end_block() override;
    [[nodiscard]] std::expected<Summary, BlockError> drain() override;
    void stop() noexcept override;
    [[nodiscard]] MemoryUse memory() const override;

    /// The last block accepted, or the one that the stream started on. After drain().
    [[nodiscard]] const ChainTip& tip() const noexcept { return finisher_.tip(); }
    /// What its workers do beside any stream.
    [[nodiscard]] SignerRecovery& signers() noexcept { return signers_; }
    [[nodiscard]] LeafHasher& leaves() noexcept { return leaves_; }
    [[nodiscard]] ReadAhead& read_ahead() noexcept { return read_ahead_; }

private:
    // --- The submitting thread -------------------------------------------------------------------
    /// Nothing of the stream has been executed here yet.
    void stand_on(ChainHead head);
    /// Nothing of the state is known.
    void forget_state();
    /// Nothing is in flight: what is known of the state beyond what is to be kept goes.
    void trim_state();
    /// Checks the header and fills in what follows from it.
    void prepare(BlockRun& block);
    void submit_boundary(TaskKind kind);
    void submit_transaction(Transaction&& tx, std::optional<ObjectSet>&& objects);
    [[nodiscard]] Task& make_task(TaskKind kind);
    class Relieved;
    void make_room(std::uint64_t gas, std::size_t bytes);
    [[nodiscard]] bool has_room_for_bytes(std::size_t bytes) const noexcept;
    /// Of the block that is being submitted, see BlockBytes.
    void count_submitted(std::size_t bytes) noexcept;
    /// Of all blocks that are not finished, see BlockBytes; out of date at once. Any thread.
    [[nodiscard]] std::size_t unfinished_bytes() const noexcept;
    void make_room_in_block();
    void publish_transactions(bool is_last);
    [[nodiscard]] bool is_idle() const noexcept;
    void wait_until_idle();
    void help_if_ahead();
    [[nodiscard]] ParallelStats parallel_stats() const;
    [[nodiscard]] Worker& owner() noexcept { return *workers_.front(); }

    // --- The dispatcher's stages, on the threads of the pipeline ---------------------------------
    void run_stages(StageRange stages, PositionRange positions) override;
    void index(Task& task);
    void fetch_indexed(std::uint64_t position, std::uint64_t end) const noexcept;
    void prefetch(const Task& task);
    void spawn(Task& task);

    // --- Any worker ------------------------------------------------------------------------------
    bool run_once(unsigned worker) override;
    [[nodiscard]] bool has_work(unsigned worker) const noexcept override;
    void run(Worker& worker, std::span<const ReadyItem> items);
    void fetch(std::span<const ReadyItem> items, std::size_t next) const noexcept;
    /// Something to do beside the stream. @return whether there was anything.
    bool run_aside(Worker& worker);
    /// Where the submitting thread dispatches, it also runs what has to run in order, and it may
    /// have left the committer's role when nobody was there to take it.
    [[nodiscard]] bool may_look_for_commits(unsigned worker) const noexcept {
        return !is_fused_ || worker == 0;
    }
    /// Commits, where nobody is there to do it. @return whether there was anything.
    bool run_committer(Worker& worker);
    /// Runs the task ahead of its turn. @return a task that this released, to be run next.
    Task* execute(Worker& worker, Task& task, bool may_continue);
    [[nodiscard]] bool suspend(Worker& worker, Task& task);
    Task* hand_over(Worker& worker, Task& task, Attempt* made, bool may_continue);
    [[nodiscard]] bool may_attempt(Worker& worker, Task& task);
    [[nodiscard]] bool attempt(Worker& worker, Task& task, Attempt& attempt);

    // Immutable after construction.
    const Options options_;
    const bool is_fused_;  // the submitting thread runs all stages of the dispatcher
    const std::size_t window_capacity_;
    const SchedulerSettings settings_;
    ScheduleObserver* const observer_;

    std::vector<std::unique_ptr<Worker>> workers_;  // the submitting thread's first

    WorkerParking parking_;
    Window window_;
    VersionedState state_;
    Speculation speculation_;
    SetCredit set_credit_;
    AttemptPool attempts_;
    Recall recall_;
    const std::unique_ptr<Scheduler> scheduler_;
    const Estimates* const estimates_;  // the policy's; null: it makes none
    const bool keeps_back_;             // the policy does, see Scheduler
    Pace pace_ = Pace::ahead;           // of the next block
    InFlightHashes hashes_;
    SignerRecovery signers_;
    LeafHasher leaves_;
    ReadAhead read_ahead_;
    BlockFinisher finisher_;
    Committer committer_;

    // The pipeline's.
    Indexer indexer_;
    std::vector<ObjectRequest> requests_;
    Counter indexed_objects_;
    Counter held_;  // by the last stage

    // The submitting thread's.
    ChainTip tip_;  // as it will be when everything submitted is accepted
    bool is_tip_known_ = false;
    bool is_alone_ = true;  // no block has begun since start() or drain()
    std::optional<World> world_;
    std::shared_ptr<BlockRun> block_;  // between begin_block() and end_block()
    std::uint64_t next_position_ = 1;
    std::uint64_t first_position_ = 1;  // of the last block that began
    std::uint64_t next_block_ = 1;
    std::uint64_t submitted_gas_ = 0;
    Counter submitted_bytes_;  // read by any thread
    struct Pending {
        Transaction tx;
        std::optional<ObjectSet> objects;
    };
    std::vector<Pending> pending_;  // of a block whose header is being made
    ParallelStats stats_;           // as far as the submitting thread counts
    ParallelStats at_start_;        // of what counts on and on

    // Last, so that the threads end before what they use.
    WorkerPool pool_;
    DispatchPipeline pipeline_;
};

}  // namespace heddle::executor
