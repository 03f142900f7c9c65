// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/transport/job_pool.hpp"

#include <utility>

namespace heddle::node::rpc {

JobPool::JobPool(std::size_t threads, std::size_t max_queued) : max_queued_(max_queued) {
    threads_.reserve(threads);
    for (std::size_t i = 0; i < threads; ++i)
        threads_.emplace_back([this] { run(); });
}

JobPool::~JobPool() {
    stop();
}

bool JobPool::submit(Job job) {
    {
        const std::scoped_lock lock(mutex_);
        if (is_stopping_ || queue_.size() >= max_queued_) return false;
        queue_.push_back(std::move(job));
    }
    changed_.notify_one();
    return true;
}

void JobPool::stop() {
    std::deque<Job> dropped;
    {
        const std::scoped_lock lock(mutex_);
        is_stopping_ = true;
        dropped.swap(queue_);
    }
    changed_.notify_all();
    for (std::thread& thread : threads_)
        thread.join();
    threads_.clear();
}

std::size_t JobPool::queued() const {
    const std::scoped_lock lock(mutex_);
    return queue_.size();
}

void JobPool::run() noexcept {
    while (true) {
        Job job;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return is_stopping_ || !queue_.empty(); });
            if (is_stopping_) return;
            job = std::move(queue_.front());
            queue_.pop_front();
        }
        job();
    }
}

}  // namespace heddle::node::rpc
