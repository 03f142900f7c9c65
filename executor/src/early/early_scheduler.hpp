// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Early scheduling as a policy: a transaction is put into a class by the shards that it touches,
// and into the lanes of the class at once, without looking at what else is in flight. What the
// classes do not see, the committer does: what is overtaken runs in order.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "early/class_learner.hpp"
#include "early/early_settings.hpp"
#include "early/lanes.hpp"
#include "early/shard_map.hpp"
#include "scheduler.hpp"
#include "workers/counter.hpp"
#include "workers/worker_parking.hpp"

namespace heddle::executor {

/// Thread safety: as Scheduler says.
class EarlyScheduler final : public Scheduler {
public:
    EarlyScheduler(const SchedulerContext& context, EarlySettings settings);

    [[nodiscard]] Placement arrive(Task& task, std::uint64_t watermark) override;
    void release(Task& task) override;

    [[nodiscard]] ReadyBundle take(unsigned worker, std::span<ReadyItem> items) override;
    [[nodiscard]] std::size_t backlog() const noexcept override { return lanes_.backlog(); }
    [[nodiscard]] bool has_ready() const noexcept override { return lanes_.backlog() != 0; }
    [[nodiscard]] bool has_ready_for(unsigned worker) const noexcept override {
        return lanes_.has_ready(worker);
    }
    void make_ready(unsigned worker, Task& task) override;

    [[nodiscard]] Task* attempted(unsigned worker, Task& task, bool may_continue) override;
    [[nodiscard]] Repair overtaken(const Task& task) override;
    [[nodiscard]] bool is_commit_awaited(const Task& task) override;
    void committed(unsigned worker, Task& task) override;

    void add_counts(ParallelStats& stats) const override;

private:
    /// A block has ended: classes may get other lanes.
    void end_block();

    const ShardMap shards_;

    // The dispatching thread's.
    ClassLearner learner_;
    ClassId class_id_ = 0;  // of the task that has arrived last
    Counter meetings_;

    BasicLanes<StreamAtomics, WorkerParking> lanes_;
};

[[nodiscard]] std::unique_ptr<Scheduler> make_early_scheduler(const SchedulerContext& context);

}  // namespace heddle::executor
