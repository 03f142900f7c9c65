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
            threads_.emplace_back([this, is_spare = i >= size.threads] { run(is_spare); });
    } catch (...) {
        stop();  // the machine has no room for all of them
        throw;
    }
}

JobPool::~JobPool() {
    stop();
}

bool JobPool::submit(std::uint64_t client, Job job) {
    const std::scoped_lock lock(mutex_);
    const auto known = clients_.find(client);
    const std::size_t count = known == clients_.end() ? 0 : known->second.waiting.size();
    if (is_stopping_ || queued_ + count >= size_.max_queued) return false;
    ClientJobs& mine = known == clients_.end() ? clients_[client] : known->second;
    if (known == clients_.end()) mine.turn = ++turns_;
    mine.waiting.push_back(std::move(job));
    if (count == 0) ranks_.insert(rank_of(client, mine));
    ++queued_;
    if (may_begin()) wake_one();
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
    ordinary_.notify_all();
    spare_.notify_all();
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

void JobPool::wake_one() {
    (idle_ordinary_ > 0 ? ordinary_ : spare_).notify_one();
}

void JobPool::wait_for_job(bool is_spare, std::unique_lock<std::mutex>& lock) {
    while (!is_stopping_) {
        const bool is_there = may_begin();
        if (is_there && (!is_spare || idle_ordinary_ == 0)) return;
        if (is_there) ordinary_.notify_one();  // it is for the one that is idle
        if (!is_spare) ++idle_ordinary_;
        (is_spare ? spare_ : ordinary_).wait(lock);
        if (!is_spare) --idle_ordinary_;
    }
}

void JobPool::run(bool is_spare) noexcept {
    std::unique_lock lock(mutex_);
    while (true) {
        wait_for_job(is_spare, lock);
        if (is_stopping_) return;
        Job job;
        const Key client = take_next(job);
        // Whoever brought another one may have woken this thread for it.
        if (may_begin()) wake_one();
        lock.unlock();
        job();
        job = nullptr;  // what it kept alive ends without the lock
        lock.lock();
        finish(client);
    }
}

}  // namespace heddle::node::rpc
