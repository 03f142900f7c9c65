// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Threads for calls that take their time, behind a bounded queue.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace heddle::node::rpc {

/// Thread safety: any, but stop() is not called by a worker.
class JobPool {
public:
    using Job = std::function<void()>;  // must not throw

    JobPool(std::size_t threads, std::size_t max_queued);
    /// Stops.
    ~JobPool();
    JobPool(const JobPool&) = delete;
    JobPool& operator=(const JobPool&) = delete;

    /// @return false: the queue is full, or the pool is stopping; the job is not run.
    [[nodiscard]] bool submit(Job job);
    /// Waits for the jobs that run; those that wait are dropped.
    void stop();
    [[nodiscard]] std::size_t queued() const;

private:
    void run() noexcept;

    const std::size_t max_queued_;
    mutable std::mutex mutex_;  // guards the next three
    std::condition_variable changed_;
    std::deque<Job> queue_;
    bool is_stopping_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace heddle::node::rpc
