// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/transport/job_pool.hpp"

#include <utility>

namespace heddle::node::rpc {

JobPool::JobPool(std::size_t threads, std::size_t max_queued) : max_queued_(max_queued) {
    threads_.reserve(threads);
    try {
        for (std::size_t i = 0; i < threads; ++i)
            threads_.emplace_back([this] { run(); });
    } catch (...) {
        stop();  // the machine has no room for all of them
        throw;
    }
}

JobPool::~JobPool() {
    stop();
}

bool JobPool::submit(std::uint64_t client, Job job) {
    {
        const std::scoped_lock lock(mutex_);
        const auto mine = by_client_.find(client);
        const std::size_t count = mine == by_client_.end() ? 0 : mine->second.size();
        if (is_stopping_ || queued_ + count >= max_queued_) return false;
        Jobs& jobs = mine == by_client_.end() ? by_client_[client] : mine->second;
        jobs.push_back(std::move(job));
        ++queued_;
    }
    changed_.notify_one();
    return true;
}

void JobPool::stop() {
    std::map<std::uint64_t, Jobs> dropped;
    {
        const std::scoped_lock lock(mutex_);
        is_stopping_ = true;
        dropped.swap(by_client_);
        queued_ = 0;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_)
        thread.join();
    threads_.clear();
}

std::size_t JobPool::queued() const {
    const std::scoped_lock lock(mutex_);
    return queued_;
}

JobPool::Job JobPool::take_next() {
    auto next = by_client_.upper_bound(last_client_);
    if (next == by_client_.end()) next = by_client_.begin();
    last_client_ = next->first;
    Job job = std::move(next->second.front());
    next->second.pop_front();
    if (next->second.empty()) by_client_.erase(next);
    --queued_;
    return job;
}

void JobPool::run() noexcept {
    while (true) {
        Job job;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return is_stopping_ || queued_ != 0; });
            if (is_stopping_) return;
            job = take_next();
        }
        job();
    }
}

}  // namespace heddle::node::rpc
