// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "late/late_scheduler.hpp"

#include <types/assert.hpp>

#include "stream/window.hpp"

namespace heddle::executor {
namespace {

std::unique_ptr<SharedGraph> make_graph(const SchedulerContext& context) {
    const std::size_t window = context.window.capacity();
    if (context.settings.value("lock") == "coarse")
        return std::make_unique<LockedGraph>(window, context.parking);
    return std::make_unique<LockFreeGraph>(context.workers, window, context.parking);
}

}  // namespace

LateScheduler::LateScheduler(const SchedulerContext& context)
    : index_(context.window.capacity()), graph_(make_graph(context)) {}

Placement LateScheduler::arrive(Task& task, std::uint64_t watermark) {
    graph_->enter(task.position, task.tx != nullptr ? task.tx->gas_limit : 0);
    waits_ = index_.order(task, watermark);
    return Placement::ahead;
}

void LateScheduler::release(Task& task) {
    const std::size_t edges = graph_->connect(task.position, waits_);
    edges_.add(edges);
    if (edges != 0) waited_.add();
}

/// Nothing is attempted again.
void LateScheduler::make_ready(unsigned /*worker*/, Task& /*task*/) {
    HEDDLE_ASSERT(false);
}

Task* LateScheduler::attempted(unsigned worker, Task& task, bool /*may_continue*/) {
    graph_->pass(worker, task.position, DagNode::Event::complete);
    return nullptr;
}

/// Its turn has come and nothing can be faster.
Repair LateScheduler::overtaken(const Task& /*task*/) {
    return Repair::in_order;
}

bool LateScheduler::is_commit_awaited(const Task& task) {
    return graph_->is_awaited(task.position, DagNode::Event::commit);
}

void LateScheduler::committed(unsigned worker, Task& task) {
    // Of what was attempted its worker has told.
    if (task.state.load(std::memory_order_relaxed) != TaskState::attempted)
        graph_->pass(worker, task.position, DagNode::Event::complete);
    graph_->pass(worker, task.position, DagNode::Event::commit);
}

void LateScheduler::add_counts(ParallelStats& stats) const {
    stats.waited += waited_.get();
    stats.edges += edges_.get();
}

std::unique_ptr<Scheduler> make_late_scheduler(const SchedulerContext& context) {
    return std::make_unique<LateScheduler>(context);
}

}  // namespace heddle::executor
