// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "optimistic/optimistic_scheduler.hpp"

#include "stream/recall.hpp"
#include "stream/window.hpp"

namespace heddle::executor {
namespace {

/// Attempts that a worker looks at before it runs something again.
constexpr unsigned kMaxLooks = 16;

}  // namespace

OptimisticScheduler::OptimisticScheduler(const SchedulerContext& context)
    : window_(context.window),
      recall_(context.recall),
      incarnations_(context.window.capacity()),
      // Each queue holds a whole window.
      ready_(context.workers, context.window.capacity(), context.parking) {}

Placement OptimisticScheduler::arrive(Task& task, std::uint64_t /*watermark*/) {
    // Those who still wait here have come too late: see BasicIncarnations.
    incarnations_.arrive(task.position, [this](std::uint64_t position) {
        ready_.push_dispatched({position, window_.at(position).tx->gas_limit});
    });
    return Placement::ahead;
}

void OptimisticScheduler::release(Task& task) {
    incarnations_.release(task.position);
    ready_.push_dispatched({task.position, task.tx->gas_limit});
}

ReadyBundle OptimisticScheduler::take(unsigned worker, std::span<ReadyItem> items) {
    unsigned looks = 0;
    while (looks < kMaxLooks) {
        const std::uint64_t position = incarnations_.take_look(window_.committed());
        if (position == 0) break;
        ++looks;
        look_at(worker, position);
        // Its turn has come meanwhile: whoever commits may have left it for that.
        if (window_.committed() >= position) return {.has_worked = true};
    }
    ReadyBundle taken = ready_.take(worker, items, kMaxTakenGas, window_.committed());
    for (const ReadyItem& item : items.first(taken.count))
        incarnations_.begin(item.position);
    taken.has_worked = looks != 0;
    return taken;
}

bool OptimisticScheduler::has_ready() const noexcept {
    return ready_.has_ready() || incarnations_.has_look(window_.committed());
}

void OptimisticScheduler::push(unsigned worker, std::uint64_t position) noexcept {
    ready_.push(worker, {position, window_.at(position).tx->gas_limit});
}

void OptimisticScheduler::make_ready(unsigned worker, Task& task) {
    incarnations_.retry(task.position);
    push(worker, task.position);
}

Task* OptimisticScheduler::attempted(unsigned worker, Task& task, bool may_continue) {
    Task* next = nullptr;
    incarnations_.executed(task.position, [&](std::uint64_t position) {
        if (!may_continue || next != nullptr || position >= window_.committed() + kMaxAhead)
            return push(worker, position);
        next = &window_.at(position);
        incarnations_.begin(position);
    });
    return next;
}

void OptimisticScheduler::suspended(unsigned worker, Task& task, Stamp on) {
    if (on == 0) return make_ready(worker, task);
    incarnations_.suspend(task.position, position_of(on),
                          [&](std::uint64_t position) { push(worker, position); });
}

void OptimisticScheduler::handed_over(unsigned worker, std::uint64_t position, Left left) {
    if (left == Left::nothing) return incarnations_.stopped(position);
    if (incarnations_.handed_over(position, left == Left::new_places)) look_at(worker, position);
}

void OptimisticScheduler::look_at(unsigned worker, std::uint64_t position) {
    Task& task = window_.at(position);
    if (!recall_.check(worker, task, *this)) return;
    // Where the place is another position's by now, that one was looked at.
    incarnations_.taken_back(task.position);
    push(worker, task.position);
}

/// Its turn has come and nothing can be faster.
Repair OptimisticScheduler::overtaken(const Task& task) {
    overtaken_ = task.position;
    return Repair::in_order;
}

/// Nobody waits for the commit of one that stands.
bool OptimisticScheduler::is_commit_awaited(const Task& /*task*/) {
    return false;
}

void OptimisticScheduler::committed(unsigned worker, Task& task) {
    const bool stands = has_attempt(task.state.load(std::memory_order_relaxed));
    const bool has_changed = !stands || overtaken_ == task.position;
    incarnations_.commit(task.position, has_changed && task.kind == TaskKind::transaction,
                         [&](std::uint64_t position) { push(worker, position); });
}

std::unique_ptr<Scheduler> make_optimistic_scheduler(const SchedulerContext& context) {
    return std::make_unique<OptimisticScheduler>(context);
}

}  // namespace heddle::executor
