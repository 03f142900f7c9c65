// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "dag/dag_scheduler.hpp"

#include "stream/window.hpp"

namespace heddle::executor {

DagScheduler::DagScheduler(const SchedulerContext& context)
    : window_(context.window),
      links_(context.window.capacity()),
      dispatcher_(context.options, links_, context.state),
      // Each queue holds a whole window.
      ready_(context.workers, context.window.capacity(), context.parking) {}

Placement DagScheduler::arrive(Task& task, std::uint64_t watermark) {
    DagLinks& links = links_.make(task.position);
    links.reset();
    links.position = task.position;
    links.gas = task.tx != nullptr ? task.tx->gas_limit : 0;
    return dispatcher_.order(task, watermark) ? Placement::in_order : Placement::ahead;
}

void DagScheduler::release(Task& task) {
    DagLinks& links = links_.at(task.position);
    const ReadyItem item{links.position, links.gas};
    if (dispatcher_.release(links))
        ready_.push_dispatched(item);
    else
        waited_.add();
}

ReadyBundle DagScheduler::take(unsigned worker, std::span<ReadyItem> items) {
    return ready_.take(worker, items, kMaxTakenGas, window_.committed());
}

void DagScheduler::make_ready(unsigned worker, Task& task) {
    ready_.push(worker, {task.position, task.tx->gas_limit});
}

Task* DagScheduler::attempted(unsigned worker, Task& task, bool may_continue) {
    Task* next = nullptr;
    links_.at(task.position).close(DagNode::Event::complete, [&](DagNode& node) {
        const auto& successor = static_cast<DagLinks&>(node);
        if (may_continue && next == nullptr && successor.position < window_.committed() + kMaxAhead)
            next = &window_.at(successor.position);
        else
            ready_.push(worker, {successor.position, successor.gas});
    });
    return next;
}

/// Its turn has come and nothing can be faster.
Repair DagScheduler::overtaken(const Task& /*task*/) {
    return Repair::in_order;
}

bool DagScheduler::is_commit_awaited(const Task& task) {
    return links_.at(task.position).is_awaited(DagNode::Event::commit);
}

void DagScheduler::committed(unsigned worker, Task& task) {
    DagLinks& links = links_.at(task.position);
    const auto make_ready = [&](DagNode& node) {
        const auto& successor = static_cast<DagLinks&>(node);
        ready_.push(worker, {successor.position, successor.gas});
    };
    // Who attempted the task has closed the first stack already.
    if (task.state.load(std::memory_order_relaxed) != TaskState::attempted)
        links.close(DagNode::Event::complete, make_ready);
    links.close(DagNode::Event::commit, make_ready);
}

void DagScheduler::add_counts(ParallelStats& stats) const {
    stats.waited += waited_.get();
    stats.edges += dispatcher_.edge_count();
}

std::unique_ptr<Scheduler> make_dag_scheduler(const SchedulerContext& context) {
    return std::make_unique<DagScheduler>(context);
}

}  // namespace heddle::executor
