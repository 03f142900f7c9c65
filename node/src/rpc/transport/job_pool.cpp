// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Ranks change by taking their nodes out and putting them back, so that threads of the pool, which
// nobody catches exceptions of, allocate nothing.
#include "rpc/transport/job_pool.hpp"

#include <utility>

namespace heddle::node::rpc {

JobPool::JobPool(const JobPoolSize& size) : size_(size) {
    const std::size_t threads = size.threads + size.spare_threads;
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
        const auto known = clients_.find(client);
        const std::size_t count = known == clients_.end() ? 0 : known->second.waiting.size();
        if (is_stopping_ || queued_ + count >= size_.max_queued) return false;
        ClientJobs& mine = known == clients_.end() ? clients_[client] : known->second;
        if (known == clients_.end()) mine.turn = ++turns_;
        mine.waiting.push_back(std::move(job));
        if (count == 0) ranks_.insert(rank_of(client, mine));
        ++queued_;
    }
    changed_.notify_one();
    return true;
}

void JobPool::stop() {
    std::map<Key, ClientJobs> dropped;
    {
        const std::scoped_lock lock(mutex_);
        is_stopping_ = true;
        dropped.swap(clients_);
        ranks_.clear();
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

bool JobPool::may_begin() const {
    if (ranks_.empty()) return false;
    const std::size_t running_of_first = std::get<0>(*ranks_.begin());
    return running_ < size_.threads || running_of_first == 0;
}

JobPool::Key JobPool::take_next(Job& job) {
    const Key client = std::get<2>(*ranks_.begin());
    ClientJobs& jobs = clients_.at(client);
    auto rank = ranks_.extract(ranks_.begin());
    job = std::move(jobs.waiting.front());
    jobs.waiting.pop_front();
    ++jobs.running;
    jobs.turn = ++turns_;
    if (!jobs.waiting.empty()) {
        rank.value() = rank_of(client, jobs);
        ranks_.insert(std::move(rank));
    }
    --queued_;
    ++running_;
    return client;
}

void JobPool::finish(Key client) {
    --running_;
    const auto found = clients_.find(client);
    if (found == clients_.end()) return;  // the pool is stopping
    ClientJobs& jobs = found->second;
    auto rank = ranks_.extract(rank_of(client, jobs));
    --jobs.running;
    if (!jobs.waiting.empty()) {
        rank.value() = rank_of(client, jobs);
        ranks_.insert(std::move(rank));
    } else if (jobs.running == 0) {
        clients_.erase(found);
    }
}

void JobPool::run() noexcept {
    std::unique_lock lock(mutex_);
    while (true) {
        // Whoever ends a job looks here for the next one, and whoever brings one wakes a thread:
        // each makes room for one job at most, so that none waits that might begin.
        changed_.wait(lock, [this] { return is_stopping_ || may_begin(); });
        if (is_stopping_) return;
        Job job;
        const Key client = take_next(job);
        lock.unlock();
        job();
        job = nullptr;  // what it kept alive ends without the lock
        lock.lock();
        finish(client);
    }
}

}  // namespace heddle::node::rpc
