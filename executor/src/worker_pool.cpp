// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "worker_pool.hpp"

#include <algorithm>
#include <array>

#include <types/assert.hpp>

#include <executor/executor.hpp>

namespace heddle::executor {
namespace {

/// What one worker takes at once: about as much as 16 plain transfers (21,000 gas each).
constexpr std::uint64_t kMaxTakenGas = 400'000;

}  // namespace

WorkerPool::WorkerPool(unsigned count, bool pins_threads, const vm::EvmOptions& options,
                       std::size_t queue_capacity, Work& work)
    : work_(work), pins_threads_(pins_threads), dispatched_(queue_capacity) {
    HEDDLE_ASSERT(count > 0);
    for (unsigned i = 0; i < count; ++i)
        workers_.push_back(std::make_unique<Worker>(i, options, queue_capacity));
    for (unsigned i = 1; i < count; ++i)
        threads_.emplace_back([this, i] { run(*workers_[i]); });
}

WorkerPool::~WorkerPool() {
    is_stopping_.store(true, std::memory_order_seq_cst);
    while (parking_.notify()) {
    }
    for (std::thread& thread : threads_)
        thread.join();
}

void WorkerPool::push(ReadyQueue& queue, ReadyItem item) noexcept {
    // A queue holds a whole window.
    const bool has_room = queue.push(item);
    HEDDLE_ASSERT(has_room);
    notify_any();
}

std::size_t WorkerPool::backlog() const noexcept {
    std::size_t count = dispatched_.size();
    for (const auto& worker : workers_)
        count += worker->queue.size();
    return count;
}

bool WorkerPool::has_work() const noexcept {
    return dispatched_.size() != 0 || work_.has_other() ||
           std::ranges::any_of(workers_,
                               [](const auto& worker) { return worker->queue.size() != 0; });
}

bool WorkerPool::work_once(Worker& worker) {
    if (worker.index != 0 && work_.run_aside(worker)) return true;
    std::array<ReadyItem, ReadyQueue::kMaxTaken> items;
    const auto run_from = [&](ReadyQueue& queue, unsigned from) {
        const std::size_t count = queue.take(items, kMaxTakenGas);
        if (count != 0) work_.run(worker, std::span{items}.first(count), from);
        return count != 0;
    };
    // The older of the two: the committer waits for the oldest of all.
    const bool own_first = worker.queue.oldest() < dispatched_.oldest();
    if (run_from(own_first ? worker.queue : dispatched_, worker.index)) return true;
    if (run_from(own_first ? dispatched_ : worker.queue, worker.index)) return true;
    for (unsigned i = 1; i < workers_.size(); ++i) {
        const unsigned from = (worker.index + i) % static_cast<unsigned>(workers_.size());
        if (run_from(workers_[from]->queue, from)) return true;
    }
    return work_.run_other(worker) || (worker.index == 0 && work_.run_aside(worker));
}

bool WorkerPool::help_once() {
    return work_once(owner());
}

void WorkerPool::run(Worker& worker) {
    if (pins_threads_) bind_this_thread(worker.index);
    while (!is_stopping_.load(std::memory_order_relaxed)) {
        if (work_once(worker)) continue;
        parking_.wait(
            [this] { return is_stopping_.load(std::memory_order_seq_cst) || has_work(); });
    }
}

}  // namespace heddle::executor
