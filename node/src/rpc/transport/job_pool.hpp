// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Threads for calls that take their time, behind a bounded queue. Clients share both fairly.
//
// Threads. Jobs are not interrupted, and one may run as long as a call may. So some of the threads
// are spare: only a client none of whose jobs runs is given one, and only while all the others are
// busy. Whoever fills the ordinary threads therefore keeps nobody else waiting: where a client's
// first job has to wait, as many other clients as there are spare threads, and one more, have jobs
// running. Among the clients with jobs that wait, those go first of whose jobs the fewest run;
// among these they take turns, so that nobody waits behind all the jobs of another. While an
// ordinary thread is idle spare ones take nothing, for each thread that works keeps memory.
//
// Queue. A client may have no more jobs in it than there is room left in it: alone it can fill
// half of it, the second client then a quarter, and the first job of one more still finds room.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>
#include <vector>

namespace heddle::node::rpc {

struct JobPoolSize {
    std::size_t threads = 1;        // for the jobs of all
    std::size_t spare_threads = 0;  // for clients of which no job runs
    std::size_t max_queued = 0;     // jobs that wait, of all clients
};

/// Thread safety: any, but stop() is not called by a worker.
class JobPool {
public:
    using Job = std::function<void()>;  // must not throw

    /// Errors: std::system_error where the machine does not give it so many threads.
    explicit JobPool(const JobPoolSize& size);
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
    using Key = std::uint64_t;
    struct ClientJobs {
        std::deque<Job> waiting{};
        std::size_t running = 0;
        std::uint64_t turn = 0;  // when its first job came or its last one began; no two are equal
    };
    /// Whose next job goes first: by jobs that run, then by turn.
    using Rank = std::tuple<std::size_t, std::uint64_t, Key>;

    void run(bool is_spare) noexcept;
    // The rest is called with the lock.
    [[nodiscard]] bool may_begin() const;
    /// A job may begin: some thread has to look for it.
    void wake_one();
    /// Until the thread may take one, or the pool stops.
    void wait_for_job(bool is_spare, std::unique_lock<std::mutex>& lock);
    /// Where may_begin(). @return  Whose job it is.
    Key take_next(Job& job);
    void finish(Key client);
    [[nodiscard]] static Rank rank_of(Key client, const ClientJobs& jobs) noexcept {
        return {jobs.running, jobs.turn, client};
    }

    const JobPoolSize size_;
    mutable std::mutex mutex_;           // guards what follows
    std::condition_variable ordinary_;   // what the threads wait for that are not spare
    std::condition_variable spare_;      // and those that are
    std::map<Key, ClientJobs> clients_;  // those with jobs that wait or run
    std::set<Rank> ranks_;               // of those with jobs that wait
    std::size_t queued_ = 0;             // jobs that wait, of all
    std::size_t running_ = 0;            // of all
    std::size_t idle_ordinary_ = 0;      // threads that wait, not of the spare ones
    std::uint64_t turns_ = 0;            // given so far
    bool is_stopping_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace heddle::node::rpc
