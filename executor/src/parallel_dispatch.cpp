// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// The dispatcher's stages: what is done with each task between the submitting thread and the
// policy, on the threads of the pipeline.
#include <vm/validate.hpp>

#include "parallel_executor.hpp"
#include "workers/prefetch.hpp"

namespace heddle::executor {
namespace {

constexpr std::size_t kAhead = 2;  // tasks ahead for which memory is fetched

}  // namespace

void ParallelExecutor::run_stages(StageRange stages, PositionRange positions) {
    for (unsigned stage = stages.begin; stage < stages.end; ++stage) {
        switch (static_cast<DispatchStage>(stage)) {
            case DispatchStage::index:
                for (std::uint64_t at = positions.begin; at < positions.end; ++at)
                    index(window_.at(at));
                break;
            case DispatchStage::prefetch:
                // Without a thread for it, cold state is read by whoever needs it first.
                if (is_fused_) break;
                for (std::uint64_t at = positions.begin; at < positions.end; ++at) {
                    fetch_indexed(at, positions.end);
                    prefetch(window_.at(at));
                }
                break;
            case DispatchStage::spawn:
                // Where another thread fills in tasks, no slot is used again meanwhile.
                if (!is_fused_) static_cast<void>(window_.begin_lookup());
                for (std::uint64_t at = positions.begin; at < positions.end; ++at)
                    spawn(window_.at(at));
                if (is_fused_) break;
                window_.end_lookup();
                parking_.notify_owner();
                break;
        }
    }
}

/// What another thread has just filled in: tasks, then their requests.
void ParallelExecutor::fetch_indexed(std::uint64_t position, std::uint64_t end) const noexcept {
    if (position + 2 * kAhead < end) prefetch_for_write(&window_.at(position + 2 * kAhead));
    if (position + kAhead >= end) return;
    for (const ObjectRequest& request : window_.at(position + kAhead).requests)
        prefetch_for_read(&request);
}

void ParallelExecutor::index(Task& task) {
    if (task.tx != nullptr) {
        task.upfront_cost.reset();
        if (const auto cost = vm::upfront_cost(*task.tx)) task.upfront_cost = *cost;
    }
    // Where one thread runs all stages, one buffer does, and stays in the caches.
    if (is_fused_) task.requests.swap(requests_);
    indexer_.index(task);
    task.object_count = static_cast<std::uint32_t>(task.requests.size());
    indexed_objects_.add(task.object_count);
}

/// Cold state is read here, so that no worker has to wait for it.
void ParallelExecutor::prefetch(const Task& task) {
    for (const ObjectRequest& request : task.requests) {
        if (request.slot != nullptr)
            state_.ensure_loaded(*request.slot);
        else
            state_.ensure_loaded(*request.account);
    }
}

void ParallelExecutor::spawn(Task& task) {
    const bool is_transaction = task.kind == TaskKind::transaction;
    if (is_transaction && scheduler_->orders_by_objects()) {
        task.is_behind_all = task.has_whole_set;
        task.is_behind = speculation_.is_restless(task);
        // A set says more exactly what it has to come behind.
        if (task.is_behind && !task.is_behind_all) Indexer::add_restless(task);
    }
    const Placement placement = scheduler_->arrive(task, window_.committed());
    const bool is_held = is_transaction && speculation_.is_held(task);
    const bool runs_in_order =
        placement == Placement::in_order || task.block->runs_in_order || is_held || !is_transaction;
    if (is_held) held_.add();
    if (is_fused_) task.requests.swap(requests_);
    if (runs_in_order) task.state.store(TaskState::in_order, std::memory_order_relaxed);
    window_.set_dispatched(task.position + 1, runs_in_order);
    if (!runs_in_order)
        scheduler_->release(task);
    else if (is_fused_)
        committer_.run_first(owner());
    else
        parking_.notify_any();
}

}  // namespace heddle::executor
