// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Late scheduling as a policy (CBASE): one graph of what is in flight and conflicts, into which the
// dispatching thread puts transactions and from which workers take what waits for nobody. The
// baseline of early scheduling.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include <executor/schedulers.hpp>

#include "late/conflict_index.hpp"
#include "late/shared_graph.hpp"
#include "scheduler.hpp"
#include "workers/counter.hpp"

namespace heddle::executor {

inline constexpr std::array<std::string_view, 2> kLockWords = {"coarse", "free"};
inline constexpr std::array kLateSettings = {
    SettingInfo{.name = "lock",
                .description = "one around the graph, or none",
                .initial = "free",
                .words = kLockWords},
};

/// Thread safety: as Scheduler says.
class LateScheduler final : public Scheduler {
public:
    explicit LateScheduler(const SchedulerContext& context);

    [[nodiscard]] Placement arrive(Task& task, std::uint64_t watermark) override;
    void release(Task& task) override;

    [[nodiscard]] ReadyBundle take(unsigned worker, std::span<ReadyItem> items) override {
        return graph_->take(worker, items);
    }
    [[nodiscard]] std::size_t backlog() const noexcept override { return graph_->ready_count(); }
    [[nodiscard]] bool has_ready() const noexcept override { return graph_->ready_count() != 0; }
    void make_ready(unsigned worker, Task& task) override;

    [[nodiscard]] Task* attempted(unsigned worker, Task& task, bool may_continue) override;
    [[nodiscard]] Repair overtaken(const Task& task) override;
    [[nodiscard]] bool is_commit_awaited(const Task& task) override;
    void committed(unsigned worker, Task& task) override;

    void forget_objects(std::size_t kept_accounts, std::size_t kept_slots) override {
        index_.forget_objects(kept_accounts, kept_slots);
    }
    [[nodiscard]] std::size_t memory_bytes() const noexcept override {
        return index_.memory_bytes();
    }
    void add_counts(ParallelStats& stats) const override;

private:
    // The dispatching thread's.
    ConflictIndex index_;
    std::span<const GraphWait> waits_;  // of the task that has arrived last
    Counter waited_;
    Counter edges_;

    const std::unique_ptr<SharedGraph> graph_;
};

[[nodiscard]] std::unique_ptr<Scheduler> make_late_scheduler(const SchedulerContext& context);

}  // namespace heddle::executor
