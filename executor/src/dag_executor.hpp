// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The streaming DAG executor behind the executor's face: owns the parts and connects them. What
// each part does is told where it lives: Dispatcher, WorkerPool, Committer, VersionedState.
#pragma once

#include <atomic>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <types/block_error.hpp>
#include <types/object.hpp>

#include <executor/executor.hpp>

#include "block_finisher.hpp"
#include "block_run.hpp"
#include "chain_tip.hpp"
#include "committer.hpp"
#include "dispatch_pipeline.hpp"
#include "dispatcher.hpp"
#include "in_flight_hashes.hpp"
#include "indexer.hpp"
#include "leaf_hasher.hpp"
#include "versioned_state.hpp"
#include "window.hpp"
#include "worker_pool.hpp"

namespace heddle::executor {

class DagExecutor final : public Executor,
                          private Work,
                          private CommitListener,
                          private DispatchWork {
public:
    explicit DagExecutor(Options options);
    ~DagExecutor() override;

    using Executor::submit;
    void start(const World& world, ChainHead head) override;
    [[nodiscard]] std::expected<void, BlockError> begin_block(BlockStart block) override;
    void submit(Transaction tx, std::optional<ObjectSet> objects) override;
    void end_block() override;
    [[nodiscard]] std::expected<Summary, BlockError> drain() override;
    void stop() noexcept override;

private:
    // --- The submitting thread -------------------------------------------------------------------
    /// Checks the header and fills in what follows from it.
    void prepare(BlockRun& block);
    void submit_boundary(TaskKind kind);
    void submit_transaction(Transaction&& tx, std::optional<ObjectSet>&& objects);
    [[nodiscard]] Task& make_task(TaskKind kind);
    void make_room(std::uint64_t gas);
    void make_room_in_block();
    void publish_transactions(bool is_last);
    [[nodiscard]] bool is_idle() const noexcept;
    void wait_until_idle();
    void help_if_ahead();
    [[nodiscard]] DagStats dag_stats() const;

    // --- The dispatcher's stages, on the threads of the pipeline ---------------------------------
    void run_stage(DispatchStage stage, std::uint64_t position) override;
    void prefetch(const Task& task);
    void spawn(Task& task);

    // --- Any worker ------------------------------------------------------------------------------
    void run(Worker& worker, std::span<const ReadyItem> items, unsigned from) override;
    bool run_aside(Worker& worker) override;
    bool run_other(Worker& worker) override;
    [[nodiscard]] bool has_other() const noexcept override;
    void make_ready(Worker& worker, Task& task) override;
    void on_progress() noexcept override;
    void on_work_aside() noexcept override;
    /// Runs the task ahead of its turn. @return a task that this released, to be run next.
    Task* execute(Worker& worker, Task& task, bool may_continue);
    [[nodiscard]] bool attempt(Worker& worker, const Task& task, Attempt& attempt);

    // Immutable after construction.
    const Options options_;
    const bool is_fused_;  // the submitting thread runs all stages of the dispatcher
    const std::size_t window_capacity_;

    Window window_;
    VersionedState state_;
    InFlightHashes hashes_;
    AttemptPool attempts_;
    LeafHasher leaves_;
    BlockFinisher finisher_;
    Committer committer_;

    // The pipeline's.
    Indexer indexer_;
    Dispatcher dispatcher_;
    std::vector<ObjectRequest> requests_;
    Counter indexed_objects_;
    Counter waited_;

    // The submitting thread's.
    ChainTip tip_;  // as it will be when everything submitted is accepted
    bool is_tip_known_ = false;
    bool is_alone_ = true;  // no block has begun since start() or drain()
    std::optional<World> world_;
    std::shared_ptr<BlockRun> block_;  // between begin_block() and end_block()
    std::uint64_t next_position_ = 1;
    std::uint64_t next_block_ = 1;
    std::uint64_t submitted_gas_ = 0;
    struct Pending {
        Transaction tx;
        std::optional<ObjectSet> objects;
    };
    std::vector<Pending> pending_;  // of a block whose header is being made
    DagStats stats_;                // as far as the submitting thread counts
    DagStats at_start_;             // of what counts on and on

    // Last, so that the threads end before what they use.
    WorkerPool pool_;
    DispatchPipeline pipeline_;
};

}  // namespace heddle::executor
