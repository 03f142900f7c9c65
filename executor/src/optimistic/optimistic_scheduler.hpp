// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Block-STM as a policy: nothing is known of transactions beforehand. All are ready when they
// arrive and run in order of arrival, on the newest values before their place. Idle workers look at
// attempts ahead of their turn; one that was overtaken is taken back and made again, and who reads
// what it has written waits for that. What is found to be overtaken only at its turn runs in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "optimistic/incarnations.hpp"
#include "scheduler.hpp"
#include "state/estimates.hpp"
#include "workers/ready_queues.hpp"

namespace heddle::executor {

/// Thread safety: as Scheduler says.
class OptimisticScheduler final : public Scheduler, private Estimates {
public:
    explicit OptimisticScheduler(const SchedulerContext& context);

    [[nodiscard]] Placement arrive(Task& task, std::uint64_t watermark) override;
    void release(Task& task) override;

    [[nodiscard]] ReadyBundle take(unsigned worker, std::span<ReadyItem> items) override;
    [[nodiscard]] std::size_t backlog() const noexcept override { return ready_.backlog(); }
    [[nodiscard]] bool has_ready() const noexcept override;
    void make_ready(unsigned worker, Task& task) override;

    [[nodiscard]] Task* attempted(unsigned worker, Task& task, bool may_continue) override;
    [[nodiscard]] Repair overtaken(const Task& task) override;
    [[nodiscard]] bool is_commit_awaited(const Task& task) override;
    void committed(unsigned worker, Task& task) override;

    [[nodiscard]] const Estimates* estimates() const noexcept override { return this; }
    void suspended(unsigned worker, Task& task, Stamp on) override;
    void handed_over(unsigned worker, std::uint64_t position, Left left) override;

    void add_counts(ParallelStats& stats) const override { static_cast<void>(stats); }

private:
    [[nodiscard]] bool is_estimate(Stamp stamp) const noexcept override {
        return incarnations_.is_estimate(stamp);
    }
    void push(unsigned worker, std::uint64_t position) noexcept;
    /// Looks whether the attempt at the position holds; if not, it is ready to be made again.
    void look_at(unsigned worker, std::uint64_t position);

    Window& window_;
    Recall& recall_;
    Incarnations incarnations_;
    ReadyQueues ready_;
    std::uint64_t overtaken_ = 0;  // position that was last; whoever commits
};

[[nodiscard]] std::unique_ptr<Scheduler> make_optimistic_scheduler(const SchedulerContext& context);

}  // namespace heddle::executor
