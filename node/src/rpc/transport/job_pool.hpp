// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Threads for calls that take their time, behind a bounded queue that clients share fairly.
//
// Clients take turns: the next job is that of the next client that has any, so nobody waits behind
// all the jobs of another. And a client may have no more jobs in the queue than there is room left
// in it: alone it can fill half of it, the second client then a quarter, and the first job of one
// more still finds room.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace heddle::node::rpc {

/// Thread safety: any, but stop() is not called by a worker.
class JobPool {
public:
    using Job = std::function<void()>;  // must not throw

    /// Errors: std::system_error where the machine does not give it so many threads.
    JobPool(std::size_t threads, std::size_t max_queued);
    /// Stops.
    ~JobPool();
    JobPool(const JobPool&) = delete;
    JobPool& operator=(const JobPool&) = delete;

    /// @param client  Who asks (Client::key).
    /// @return false: there is no room for another of this client, or the pool is stopping; the job
    ///         is not run.
    [[nodiscard]] bool submit(std::uint64_t client, Job job);
    /// Waits for the jobs that run; those that wait are dropped.
    void stop();
    [[nodiscard]] std::size_t queued() const;

private:
    using Jobs = std::deque<Job>;

    void run() noexcept;
    /// With the lock, while there are jobs: the next client's first.
    [[nodiscard]] Job take_next();

    const std::size_t max_queued_;
    mutable std::mutex mutex_;  // guards what follows
    std::condition_variable changed_;
    std::map<std::uint64_t, Jobs> by_client_;  // none is empty
    std::size_t queued_ = 0;                   // all of them
    std::uint64_t last_client_ = 0;            // whose job was begun last
    bool is_stopping_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace heddle::node::rpc
