// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "trie/worker_crew.hpp"

#include <algorithm>

#include <types/processors.hpp>

namespace heddle::ledger {

unsigned thread_count(unsigned option) noexcept {
    return option != 0 ? option : processor_count();
}

WorkerCrew::WorkerCrew(unsigned thread_count) {
    // Where the machine has no room for all of them, those that there are end with the rest.
    struct Beginning {
        WorkerCrew& crew;
        bool is_over = false;
        ~Beginning() {
            if (!is_over) crew.stop();
        }
    } beginning{*this};
    for (unsigned i = 1; i < thread_count; ++i)
        threads_.emplace_back([this, i] { serve(i); });
    beginning.is_over = true;
}

WorkerCrew::~WorkerCrew() {
    stop();
}

void WorkerCrew::stop() {
    {
        const std::lock_guard lock(mutex_);
        is_stopping_ = true;
    }
    started_.notify_all();
    for (std::thread& thread : threads_)
        thread.join();
}

void WorkerCrew::for_each(std::size_t count, const std::function<void(std::size_t)>& body) {
    for_each_on_workers(count, [&](std::size_t i, unsigned) { body(i); });
}

void WorkerCrew::for_each_on_workers(std::size_t count, const Body& body) {
    if (threads_.empty() || count < 2) {
        for (std::size_t i = 0; i < count; ++i)
            body(i, 0);
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        body_ = &body;
        count_ = count;
        next_.store(0, std::memory_order_relaxed);
        is_open_ = true;
        ++loop_;
    }
    if (count > threads_.size()) {
        started_.notify_all();
    } else {
        for (std::size_t i = 1; i < count; ++i)
            started_.notify_one();
    }
    work(0);
    std::unique_lock lock(mutex_);
    is_open_ = false;
    finished_.wait(lock, [this] { return busy_ == 0; });
}

void WorkerCrew::for_pieces(WorkerCrew* crew, std::size_t count, std::size_t size,
                            const std::function<void(std::size_t, std::size_t)>& body) {
    if (crew == nullptr) {
        body(0, count);
        return;
    }
    crew->for_each((count + size - 1) / size,
                   [&](std::size_t i) { body(i * size, std::min(count, (i + 1) * size)); });
}

void WorkerCrew::work(unsigned worker) {
    for (;;) {
        const std::size_t i = next_.fetch_add(1, std::memory_order_relaxed);
        if (i >= count_) return;
        (*body_)(i, worker);
    }
}

void WorkerCrew::serve(unsigned worker) {
    std::size_t seen = 0;
    std::unique_lock lock(mutex_);
    for (;;) {
        started_.wait(lock, [&] { return is_stopping_ || (is_open_ && loop_ != seen); });
        if (is_stopping_) return;
        seen = loop_;
        ++busy_;
        lock.unlock();
        work(worker);
        lock.lock();
        if (--busy_ == 0 && !is_open_) finished_.notify_one();
    }
}

}  // namespace heddle::ledger
