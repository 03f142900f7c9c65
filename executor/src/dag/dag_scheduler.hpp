// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The streaming DAG as a policy (DORADD): a transaction becomes ready when those before it that
// touch what it touches have; the oldest that is ready runs first. What is overtaken all the same
// runs in order.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "dag/dag_links.hpp"
#include "dag/dispatcher.hpp"
#include "scheduler.hpp"
#include "workers/counter.hpp"
#include "workers/ready_queues.hpp"

namespace heddle::executor {

/// Thread safety: as Scheduler says.
class DagScheduler final : public Scheduler {
public:
    explicit DagScheduler(const SchedulerContext& context);

    [[nodiscard]] bool orders_by_objects() const noexcept override { return true; }
    [[nodiscard]] Placement arrive(Task& task, std::uint64_t watermark) override;
    void release(Task& task) override;

    [[nodiscard]] ReadyBundle take(unsigned worker, std::span<ReadyItem> items) override;
    [[nodiscard]] std::size_t backlog() const noexcept override { return ready_.backlog(); }
    [[nodiscard]] bool has_ready() const noexcept override { return ready_.has_ready(); }
    void make_ready(unsigned worker, Task& task) override;

    [[nodiscard]] Task* attempted(unsigned worker, Task& task, bool may_continue) override;
    [[nodiscard]] Repair overtaken(const Task& task) override;
    [[nodiscard]] bool is_commit_awaited(const Task& task) override;
    void committed(unsigned worker, Task& task) override;

    void forget_objects(std::size_t kept_accounts, std::size_t kept_slots) override {
        dispatcher_.forget_objects(kept_accounts, kept_slots);
    }
    [[nodiscard]] std::size_t memory_bytes() const noexcept override {
        return dispatcher_.memory_bytes();
    }
    void add_counts(ParallelStats& stats) const override;

private:
    Window& window_;
    DagLinkRing links_;
    Dispatcher dispatcher_;
    ReadyQueues ready_;
    Counter waited_;  // the dispatching thread's
};

[[nodiscard]] std::unique_ptr<Scheduler> make_dag_scheduler(const SchedulerContext& context);

}  // namespace heddle::executor
