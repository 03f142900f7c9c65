// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "early/early_scheduler.hpp"

#include <algorithm>
#include <utility>

#include <types/assert.hpp>

#include <vm/validate.hpp>

#include "stream/block_run.hpp"
#include "stream/window.hpp"

namespace heddle::executor {
namespace {

unsigned lanes_for(const EarlySettings& settings, unsigned workers) noexcept {
    return std::min(settings.threads != 0 ? settings.threads : workers, kMaxThreads);
}

WorkerParking& separated(const SchedulerContext& context) {
    context.parking.separate(context.workers);
    return context.parking;
}

/// Whether nothing else can be touched than what is requested.
bool is_known(const Task& task) noexcept {
    if (task.has_whole_set) return true;
    // A plain transfer that leaves no gas for whatever code its recipient has.
    const Transaction& tx = *task.tx;
    return tx.to.has_value() && tx.sender.has_value() && tx.data.empty() &&
           tx.access_list.empty() && tx.authorization_list.empty() &&
           tx.gas_limit <= vm::intrinsic_gas(tx, task.block->env.revision).gas;
}

}  // namespace

EarlyScheduler::EarlyScheduler(const SchedulerContext& context, EarlySettings settings)
    : shards_(std::move(settings.shards)),
      learner_(shards_.classes(), lanes_for(settings, context.workers),
               std::move(settings.mapping)),
      lanes_({.lanes = lanes_for(settings, context.workers),
              .workers = context.workers,
              .window = context.window.capacity(),
              .model = settings.model},
             shards_.classes(), separated(context)) {}

Placement EarlyScheduler::arrive(Task& task, std::uint64_t /*watermark*/) {
    if (task.kind == TaskKind::end_block) end_block();
    if (task.kind != TaskKind::transaction) return Placement::in_order;
    class_id_ = shards_.class_of(task.requests, is_known(task));
    learner_.count(class_id_);
    return Placement::ahead;
}

void EarlyScheduler::release(Task& task) {
    const ClassPlace& place = learner_.mapping().places[class_id_];
    if (place.is_sequential && count_of(place.threads) > 1) meetings_.add();
    lanes_.add(task.position, task.tx->gas_limit, class_id_, place);
}

/// Where the lanes have not yet left the last fence, the next look is soon enough.
void EarlyScheduler::end_block() {
    if (learner_.end_block() == nullptr || !lanes_.has_passed_fence()) return;
    lanes_.fence();
    learner_.change();
}

ReadyBundle EarlyScheduler::take(unsigned worker, std::span<ReadyItem> items) {
    return lanes_.take(worker, items);
}

/// Nothing is attempted again.
void EarlyScheduler::make_ready(unsigned /*worker*/, Task& /*task*/) {
    HEDDLE_ASSERT(false);
}

Task* EarlyScheduler::attempted(unsigned /*worker*/, Task& task, bool /*may_continue*/) {
    lanes_.done(task.position);
    return nullptr;
}

/// Its turn has come and nothing can be faster.
Repair EarlyScheduler::overtaken(const Task& /*task*/) {
    return Repair::in_order;
}

/// Nobody waits for a commit by name, but whoever is behind may read what was added up.
bool EarlyScheduler::is_commit_awaited(const Task& /*task*/) {
    return false;
}

void EarlyScheduler::committed(unsigned /*worker*/, Task& task) {
    // Of what was attempted its worker has told.
    if (task.state.load(std::memory_order_relaxed) == TaskState::unattempted)
        lanes_.done(task.position);
}

void EarlyScheduler::add_counts(ParallelStats& stats) const {
    stats.meetings += meetings_.get();
    stats.waited_ns += lanes_.waited_ns();
}

std::unique_ptr<Scheduler> make_early_scheduler(const SchedulerContext& context) {
    // It was there when the settings were checked; if it has gone since, its place is taken by what
    // is usual.
    return std::make_unique<EarlyScheduler>(
        context, read_early_settings(context.settings).value_or(EarlySettings{}));
}

}  // namespace heddle::executor
