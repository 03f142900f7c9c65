// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A benchmark against a wrong rival says nothing: both dispatchers must give every object to its
// transactions in stream order, whatever the order of completion and however many threads complete.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "access_stream.hpp"
#include "dag_dispatcher.hpp"
#include "dispatch_flow.hpp"
#include "doradd_dispatcher.hpp"
#include "pipeline.hpp"

namespace heddle::bench {
namespace {

std::uint64_t test_seed() {
    const char* given = std::getenv("HEDDLE_TEST_SEED");
    const std::uint64_t seed = given == nullptr ? 1 : std::strtoull(given, nullptr, 10);
    std::printf("HEDDLE_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
    return seed;
}

/// By object, the positions (from 1) that access it, in stream order.
std::vector<std::vector<std::uint64_t>> expected_order(const AccessStream& stream,
                                                       std::size_t objects) {
    std::vector<std::vector<std::uint64_t>> order(objects);
    for (std::size_t i = 0; i < stream.size(); ++i)
        for (const std::uint32_t object : stream[i])
            order[object].push_back(i + 1);
    return order;
}

/// Hands out what is ready, one at random, and keeps the committed prefix.
class Board {
public:
    explicit Board(std::uint64_t seed) : random_(seed) {}

    void add_ready(std::uint64_t position) {
        const std::lock_guard lock(mutex_);
        ready_.push_back(position);
    }
    /// 0: nothing is ready.
    std::uint64_t take() {
        const std::lock_guard lock(mutex_);
        if (ready_.empty()) return 0;
        std::swap(ready_[random_.below(static_cast<std::uint32_t>(ready_.size()))], ready_.back());
        const std::uint64_t position = ready_.back();
        ready_.pop_back();
        return position;
    }
    template <typename Dispatcher>
    void finish(Dispatcher& dispatcher, std::uint64_t position) {
        const std::lock_guard lock(mutex_);
        finished_.push_back(position);
        for (;;) {
            const auto next = std::ranges::find(finished_, watermark_);
            if (next == finished_.end()) return;
            finished_.erase(next);
            dispatcher.commit(watermark_++);
        }
    }
    std::uint64_t watermark() {
        const std::lock_guard lock(mutex_);
        return watermark_;
    }

private:
    std::mutex mutex_;
    workload::Random random_;
    std::vector<std::uint64_t> ready_;
    std::vector<std::uint64_t> finished_;
    std::uint64_t watermark_ = 1;
};

constexpr std::size_t kWindow = 64;

template <typename Dispatcher>
void dispatch_all(Dispatcher& dispatcher, const AccessStream& stream, Board& board,
                  const std::function<void()>& wait) {
    for (std::uint64_t position = 1; position <= stream.size(); ++position) {
        while (position - board.watermark() >= kWindow)
            wait();
        if (dispatcher.dispatch(position, stream[position - 1], board.watermark()))
            board.add_ready(position);
    }
}

template <typename Dispatcher>
class DispatcherOf : public testing::Test {};
using Dispatchers = testing::Types<AllEdgesDispatcher, DagDispatcher, DoraddDispatcher>;
TYPED_TEST_SUITE(DispatcherOf, Dispatchers);

TYPED_TEST(DispatcherOf, gives_each_object_in_stream_order_to_one_thread) {
    constexpr std::uint32_t kObjects = 300;
    const std::uint64_t seed = test_seed();
    for (const std::uint32_t hot : {0U, 3U, 5U}) {
        const AccessStream stream({kObjects, 5, hot, 8, 10, seed}, 5'000);
        TypeParam dispatcher(kObjects, kWindow, 5);
        Board board(seed);
        std::vector<std::vector<std::uint64_t>> order(kObjects);
        const auto complete_one = [&] {
            const std::uint64_t position = board.take();
            ASSERT_NE(position, 0U) << "nothing is ready";
            for (const std::uint32_t object : stream[position - 1])
                order[object].push_back(position);
            dispatcher.complete(position, [&](std::uint64_t woken) { board.add_ready(woken); });
            board.finish(dispatcher, position);
        };

        dispatch_all(dispatcher, stream, board, complete_one);
        while (board.watermark() <= stream.size())
            ASSERT_NO_FATAL_FAILURE(complete_one());

        EXPECT_EQ(order, expected_order(stream, kObjects));
    }
}

TYPED_TEST(DispatcherOf, gives_each_object_in_stream_order_to_many_threads) {
    constexpr std::uint32_t kObjects = 300;
    const std::uint64_t seed = test_seed();
    const AccessStream stream({kObjects, 5, 2, 8, 10, seed}, 5'000);
    TypeParam dispatcher(kObjects, kWindow, 5);
    Board board(seed);
    std::vector<std::vector<std::uint64_t>> order(kObjects);
    const auto work = [&] {
        while (board.watermark() <= stream.size()) {
            const std::uint64_t position = board.take();
            if (position == 0) {
                std::this_thread::yield();
                continue;
            }
            // Not protected: nobody else may be here.
            for (const std::uint32_t object : stream[position - 1])
                order[object].push_back(position);
            dispatcher.complete(position, [&](std::uint64_t woken) { board.add_ready(woken); });
            board.finish(dispatcher, position);
        }
    };

    std::vector<std::thread> workers;
    workers.reserve(3);
    for (int i = 0; i < 3; ++i)
        workers.emplace_back(work);
    dispatch_all(dispatcher, stream, board, [] { std::this_thread::yield(); });
    for (std::thread& worker : workers)
        worker.join();

    EXPECT_EQ(order, expected_order(stream, kObjects));
}

TYPED_TEST(DispatcherOf, flows_through_one_thread_two_threads_and_every_pipeline) {
    constexpr std::uint32_t kObjects = 2'000;
    const AccessStream stream({kObjects, 10, 7, 77, 25, test_seed()}, 20'000);
    TypeParam dispatcher(kObjects, kFlowWindow, 10);
    std::uint64_t position = 1;

    run_in_one_thread(dispatcher, stream, {}, position);
    run_in_two_threads(dispatcher, stream, {}, position);
    NameIndex index(kObjects);
    for (const unsigned stages : {1U, 2U, 3U})
        Pipeline<TypeParam>(dispatcher, index, stream, {.stages = stages}).run(position);

    EXPECT_EQ(position, 1 + 5 * stream.size());
}

TEST(AccessStream, takes_different_objects_and_the_wanted_number_of_hot_ones) {
    const AccessPattern pattern{.objects = 1'000'000, .hot_per_tx = 3, .seed = test_seed()};

    const AccessStream stream(pattern, 100);

    for (std::size_t i = 0; i < stream.size(); ++i) {
        std::vector<std::uint32_t> objects(stream[i].begin(), stream[i].end());
        for (std::size_t hot = 0; hot < 3; ++hot)
            EXPECT_EQ(objects[hot] % (1'000'000 / 77), 0U);
        std::ranges::sort(objects);
        EXPECT_EQ(objects.size(), 10U);
        EXPECT_EQ(std::ranges::adjacent_find(objects), objects.end());
        EXPECT_LT(objects.back(), pattern.objects);
    }
}

TEST(NameIndex, finds_every_object_by_its_name) {
    NameIndex index(1'000);

    for (std::uint32_t id = 0; id < 1'000; ++id)
        EXPECT_EQ(index.find(NameIndex::name_of(id)), id);
}

}  // namespace
}  // namespace heddle::bench
