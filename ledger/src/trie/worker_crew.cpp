// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "trie/worker_crew.hpp"

#include <algorithm>

namespace heddle::ledger {

unsigned thread_count(unsigned option) noexcept {
    return option != 0 ? option : std::max(std::thread::hardware_concurrency(), 1U);
}

WorkerCrew::WorkerCrew(unsigned thread_count) {
    for (unsigned i = 1; i < thread_count; ++i)
        threads_.emplace_back([this] { serve(); });
}

WorkerCrew::~WorkerCrew() {
    {
        const std::lock_guard lock(mutex_);
        is_stopping_ = true;
    }
    started_.notify_all();
    for (std::thread& thread : threads_)
        thread.join();
}

void WorkerCrew::for_each(std::size_t count, const std::function<void(std::size_t)>& body) {
    if (threads_.empty() || count < 2) {
        for (std::size_t i = 0; i < count; ++i)
            body(i);
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        body_ = &body;
        count_ = count;
        next_.store(0, std::memory_order_relaxed);
        busy_ = threads_.size();
        ++loop_;
    }
    started_.notify_all();
    work();
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [this] { return busy_ == 0; });
}

void WorkerCrew::work() {
    for (;;) {
        const std::size_t i = next_.fetch_add(1, std::memory_order_relaxed);
        if (i >= count_) return;
        (*body_)(i);
    }
}

void WorkerCrew::serve() {
    std::size_t seen = 0;
    std::unique_lock lock(mutex_);
    for (;;) {
        started_.wait(lock, [&] { return is_stopping_ || loop_ != seen; });
        if (is_stopping_) return;
        seen = loop_;
        lock.unlock();
        work();
        lock.lock();
        if (--busy_ == 0) finished_.notify_one();
    }
}

}  // namespace heddle::ledger
