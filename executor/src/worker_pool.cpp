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
    : work_(work), pins_threads_(pins_threads) {
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

void WorkerPool::push(Worker& worker, ReadyItem item) noexcept {
    // A queue holds a whole window.
    const bool has_room = worker.queue.push(item);
    HEDDLE_ASSERT(has_room);
    if (!parking_.notify()) owner_parking_.notify();
}

std::size_t WorkerPool::backlog() const noexcept {
    std::size_t count = 0;
    for (const auto& worker : workers_)
        count += worker->queue.size();
    return count;
}

bool WorkerPool::has_work() const noexcept {
    return std::ranges::any_of(workers_,
                               [](const auto& worker) { return worker->queue.size() != 0; });
}

bool WorkerPool::work_once(Worker& worker) {
    std::array<ReadyItem, ReadyQueue::kMaxTaken> items;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        const std::size_t from = (worker.index + i) % workers_.size();
        if (const std::size_t count = workers_[from]->queue.take(items, kMaxTakenGas)) {
            work_.run(worker, std::span{items}.first(count), static_cast<unsigned>(from));
            return true;
        }
    }
    return false;
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
