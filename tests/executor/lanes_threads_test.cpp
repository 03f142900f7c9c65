// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Lanes with real threads and plain data: what conflicts is ordered, and what one request has left
// is visible to the next. ThreadSanitizer sees what the schedules of tests/schedule cannot: memory
// orders.
#include <array>
#include <atomic>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "early/lanes.hpp"
#include "early/mapping_optimizer.hpp"
#include "workers/worker_parking.hpp"

namespace heddle::executor {
namespace {

constexpr unsigned kWorkers = 3;
constexpr std::uint64_t kRequests = 3'000;
constexpr std::size_t kWindow = 256;
const RequestClasses kClasses{2};

/// A number for each shard, which its writers count up and its readers compare with what it is when
/// everything before them is done.
class SharedNumbers {
public:
    explicit SharedNumbers(ThreadModel model)
        : lanes_({.lanes = 4, .workers = kWorkers, .window = kWindow, .model = model}, kClasses,
                 separated()) {}

    void run() {
        std::vector<std::thread> threads;
        for (unsigned worker = 1; worker < kWorkers; ++worker)
            threads.emplace_back([this, worker] { work(worker); });
        dispatch();
        work(0);
        for (std::thread& thread : threads)
            thread.join();
    }
    [[nodiscard]] std::uint64_t wrong() const { return wrong_.load(); }
    [[nodiscard]] std::uint64_t done() const { return done_.load(); }

private:
    struct Request {
        ClassId id = 0;
        std::array<std::uint64_t, 2> before{};  // the numbers that it finds
        std::atomic<bool> is_done{false};
    };

    WorkerParking& separated() {
        parking_.separate(kWorkers);
        return parking_;
    }
    [[nodiscard]] static bool writes(ClassId id, unsigned shard) {
        return id == kClasses.global_write() || id == kClasses.local_write(shard);
    }
    [[nodiscard]] static bool reads(ClassId id, unsigned shard) {
        return writes(id, shard) || id == kClasses.global_read() ||
               id == kClasses.local_read(shard);
    }

    void dispatch() {
        std::mt19937_64 random{41};  // NOLINT(bugprone-random-generator-seed)
        ClassWeights weights(kClasses.count(), 1);
        ClassMapping mapping = map_greedily(kClasses, 4, weights);
        std::array<std::uint64_t, 2> now{};
        for (std::uint64_t position = 1; position <= kRequests; ++position) {
            // What is in flight is within the window.
            while (position > kWindow / 2 && !requests_[position - kWindow / 2].is_done.load())
                help();
            const auto id = static_cast<ClassId>(random() % kClasses.count());
            requests_[position].id = id;
            requests_[position].before = now;
            for (unsigned shard = 0; shard < 2; ++shard)
                now[shard] += writes(id, shard) ? 1 : 0;
            if (position % 500 == 0 && lanes_.has_passed_fence()) {
                weights[random() % weights.size()] += 1'000;
                mapping = map_greedily(kClasses, 4, weights);
                lanes_.fence();
            }
            lanes_.add(position, 21'000, id, mapping.places[id]);
        }
    }
    bool help_once(unsigned worker) {
        std::array<ReadyItem, 8> items;
        const ReadyBundle taken = lanes_.take(worker, items);
        for (std::size_t i = 0; i < taken.count; ++i)
            execute(items[i].position);
        return taken.count != 0;
    }
    void help() {
        if (!help_once(0)) std::this_thread::yield();
    }
    void execute(std::uint64_t position) {
        Request& request = requests_[position];
        for (unsigned shard = 0; shard < 2; ++shard) {
            if (reads(request.id, shard) && numbers_[shard] != request.before[shard])
                wrong_.fetch_add(1);
            if (writes(request.id, shard)) ++numbers_[shard];
        }
        lanes_.done(position);
        request.is_done.store(true);
        if (done_.fetch_add(1) + 1 == kRequests) {
            parking_.notify_others();
            parking_.notify_owner();
        }
    }
    void work(unsigned worker) {
        const auto is_over = [this] { return done_.load() == kRequests; };
        while (!is_over()) {
            if (help_once(worker)) continue;
            const auto has_work = [&] { return is_over() || lanes_.has_ready(worker); };
            if (worker == 0)
                parking_.wait_as_owner(has_work);
            else
                parking_.wait(worker, has_work);
        }
    }

    WorkerParking parking_;
    BasicLanes<StandardAtomics, WorkerParking> lanes_;
    std::vector<Request> requests_{kRequests + 1};
    std::array<std::uint64_t, 2> numbers_{};  // plain
    std::atomic<std::uint64_t> done_{0};
    std::atomic<std::uint64_t> wrong_{0};
};

class LanesWithThreads : public testing::TestWithParam<ThreadModel> {};

TEST_P(LanesWithThreads, order_what_conflicts_and_hand_over_what_it_left) {
    SharedNumbers numbers{GetParam()};

    numbers.run();

    EXPECT_EQ(numbers.done(), kRequests);
    EXPECT_EQ(numbers.wrong(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Models, LanesWithThreads,
                         testing::Values(ThreadModel::barrier, ThreadModel::busy_wait,
                                         ThreadModel::conservative, ThreadModel::moderate,
                                         ThreadModel::aggressive, ThreadModel::optimistic));

}  // namespace
}  // namespace heddle::executor
