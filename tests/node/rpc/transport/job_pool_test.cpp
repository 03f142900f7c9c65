// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/transport/job_pool.hpp"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>

#include <gtest/gtest.h>

#include "few_threads.hpp"
#include "wire_methods.hpp"

namespace heddle::node::rpc {
namespace {

/// A pool of one thread, which waits until the test lets it go.
class HeldPool {
public:
    explicit HeldPool(std::size_t max_queued) : pool_({.threads = 1, .max_queued = max_queued}) {
        EXPECT_TRUE(pool_.submit(0, [this] { gate_.wait(); }));
        gate_.wait_for_arrivals(1);
    }

    bool submit(char client) {
        return pool_.submit(static_cast<std::uint64_t>(client), [this, client] {
            const std::scoped_lock lock(mutex_);
            order_ += client;
        });
    }
    [[nodiscard]] std::size_t fill(char client) {
        std::size_t count = 0;
        while (submit(client))
            ++count;
        return count;
    }
    [[nodiscard]] std::size_t queued() const { return pool_.queued(); }
    /// Clients in the order in which their jobs were run.
    std::string run_all() {
        gate_.open();
        while (true) {
            const std::size_t left = pool_.queued();
            const std::scoped_lock lock(mutex_);
            if (left == 0 && order_.size() == submitted_) return order_;
            std::this_thread::yield();
        }
    }
    void expect(std::size_t jobs) { submitted_ = jobs; }

private:
    Gate gate_;
    std::mutex mutex_;
    std::string order_;
    std::size_t submitted_ = 0;
    JobPool pool_;  // last: its jobs use the rest
};

/// Jobs that say that they have begun, and then wait until the test ends them one by one.
class SteppedJobs {
public:
    [[nodiscard]] bool submit(JobPool& pool, char client) {
        return pool.submit(static_cast<std::uint64_t>(client), [this, client] { run(client); });
    }
    /// Clients in the order in which their jobs began, once there are so many.
    std::string wait_for_begun(std::size_t jobs) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return begun_.size() >= jobs; });
        return begun_;
    }
    /// Ends one of the client's jobs that run, or the next one that begins.
    void end_one(char client) {
        const std::scoped_lock lock(mutex_);
        ++ends_[client];
        changed_.notify_all();
    }
    void end_all() {
        const std::scoped_lock lock(mutex_);
        is_over_ = true;
        changed_.notify_all();
    }

private:
    void run(char client) {
        std::unique_lock lock(mutex_);
        begun_ += client;
        changed_.notify_all();
        changed_.wait(lock, [&] { return is_over_ || ends_[client] > 0; });
        if (!is_over_) --ends_[client];
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::string begun_;
    std::map<char, int> ends_;
    bool is_over_ = false;
};

TEST(JobPool, runs_the_jobs_of_clients_in_turn) {
    HeldPool pool{100};
    for (int i = 0; i < 4; ++i)
        EXPECT_TRUE(pool.submit('a'));
    for (int i = 0; i < 2; ++i)
        EXPECT_TRUE(pool.submit('b'));
    EXPECT_TRUE(pool.submit('c'));
    pool.expect(7);
    EXPECT_EQ(pool.run_all(), "abcabaa") << "who came late waits behind one job of each other";
}

TEST(JobPool, always_has_room_for_the_first_job_of_another_client) {
    HeldPool pool{64};
    EXPECT_EQ(pool.fill('a'), 32u);
    EXPECT_EQ(pool.fill('b'), 16u);
    EXPECT_EQ(pool.fill('c'), 8u);
    std::size_t clients = 3;
    for (char client = 'd'; client <= 'f'; ++client, ++clients)
        EXPECT_TRUE(pool.submit(client)) << "client " << client;
    EXPECT_LE(pool.queued(), 64u);
    EXPECT_FALSE(pool.submit('a'));
    pool.expect(pool.queued());
    (void)pool.run_all();
    EXPECT_TRUE(pool.submit('a')) << "there is room again";
}

TEST(JobPool, never_holds_more_than_it_may) {
    HeldPool pool{10};
    for (int client = 1; client < 100; ++client)
        (void)pool.submit(static_cast<char>(client));
    EXPECT_EQ(pool.queued(), 10u);
    pool.expect(10);
    EXPECT_EQ(pool.run_all().size(), 10u);
}

TEST(JobPool, keeps_a_thread_for_a_client_of_which_no_job_runs) {
    SteppedJobs jobs;
    JobPool pool{{.threads = 2, .spare_threads = 1, .max_queued = 100}};
    for (int i = 0; i < 40; ++i)
        EXPECT_TRUE(jobs.submit(pool, 'a'));
    EXPECT_EQ(jobs.wait_for_begun(2), "aa");
    for (int i = 0; i < 3; ++i)
        EXPECT_TRUE(jobs.submit(pool, 'b'));
    EXPECT_EQ(jobs.wait_for_begun(3), "aab") << "none of the first client's jobs has ended";
    EXPECT_TRUE(jobs.submit(pool, 'c'));
    jobs.end_one('b');
    EXPECT_EQ(jobs.wait_for_begun(4), "aabb") << "its turn was before the third client came";
    jobs.end_one('b');
    EXPECT_EQ(jobs.wait_for_begun(5), "aabbc");
    jobs.end_one('c');
    EXPECT_EQ(jobs.wait_for_begun(6), "aabbcb");
    jobs.end_one('a');
    jobs.end_one('a');
    EXPECT_EQ(jobs.wait_for_begun(7), "aabbcba")
        << "two threads are for all, and the other client has one of them";
    EXPECT_EQ(pool.queued(), 37u);
    jobs.end_all();
}

TEST(JobPool, begins_jobs_of_those_first_of_whom_the_fewest_run) {
    SteppedJobs jobs;
    JobPool pool{{.threads = 3, .max_queued = 100}};
    for (int i = 0; i < 3; ++i)
        EXPECT_TRUE(jobs.submit(pool, 'a'));
    EXPECT_EQ(jobs.wait_for_begun(3), "aaa");
    for (const char client : {'a', 'a', 'b', 'b', 'b', 'c'})
        EXPECT_TRUE(jobs.submit(pool, client));
    jobs.end_one('a');
    EXPECT_EQ(jobs.wait_for_begun(4), "aaab");
    jobs.end_one('b');
    EXPECT_EQ(jobs.wait_for_begun(5), "aaabc");
    jobs.end_one('c');
    EXPECT_EQ(jobs.wait_for_begun(6), "aaabcb") << "two of the first client's jobs still run";
    jobs.end_one('a');
    EXPECT_EQ(jobs.wait_for_begun(7), "aaabcba") << "one of each runs: they take turns";
    jobs.end_all();
}

TEST(JobPool, drops_what_waits_when_it_stops) {
    std::atomic<int> run = 0;
    Gate gate;
    JobPool pool{{.threads = 1, .max_queued = 10}};
    ASSERT_TRUE(pool.submit(1, [&] { gate.wait(); }));
    gate.wait_for_arrivals(1);
    ASSERT_TRUE(pool.submit(1, [&] { ++run; }));
    ASSERT_TRUE(pool.submit(2, [&] { ++run; }));
    std::jthread stopping{[&] { pool.stop(); }};
    while (pool.queued() != 0)
        std::this_thread::yield();
    gate.open();
    stopping.join();
    EXPECT_EQ(run, 0);
    EXPECT_FALSE(pool.submit(1, [&] { ++run; }));
}

// In a process of its own, which has room for a few stacks more.
TEST(JobPool, that_gets_too_few_threads_says_so_and_leaves_none) {
    if (!test::can_have_few_threads()) GTEST_SKIP() << "sanitizers lay out terabytes";
    const auto make_too_many = [] {
        test::have_few_threads();
        try {
            const JobPool pool{{.threads = 1'000, .max_queued = 1}};
        } catch (const std::system_error&) {
            std::exit(7);
        }
        std::exit(1);
    };
    EXPECT_EXIT(make_too_many(), testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace heddle::node::rpc
