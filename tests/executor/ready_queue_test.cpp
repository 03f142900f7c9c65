// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "workers/ready_queue.hpp"

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::executor {
namespace {

constexpr std::uint64_t kUnit = ReadyQueue::kGasUnit;
constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

void push_all(ReadyQueue& queue, std::uint64_t count, std::uint64_t gas = kUnit) {
    for (std::uint64_t i = 1; i <= count; ++i)
        ASSERT_TRUE(queue.push({i, gas}));
}

TEST(ReadyQueue, gives_nothing_when_empty) {
    ReadyQueue queue(4);
    std::array<ReadyItem, 4> items;
    EXPECT_EQ(queue.take(items, kNoLimit), 0u);
    EXPECT_EQ(queue.size(), 0u);
}

TEST(ReadyQueue, gives_the_oldest_first) {
    ReadyQueue queue(4);
    push_all(queue, 3);
    std::array<ReadyItem, 1> item;
    for (std::uint64_t i = 1; i <= 3; ++i) {
        ASSERT_EQ(queue.take(item, kNoLimit), 1u);
        EXPECT_EQ(item[0].position, i);
    }
}

TEST(ReadyQueue, refuses_what_does_not_fit) {
    ReadyQueue queue(3);  // rounded up to 4
    push_all(queue, 4);
    EXPECT_FALSE(queue.push({5, 0}));
    std::array<ReadyItem, 1> item;
    ASSERT_EQ(queue.take(item, kNoLimit), 1u);
    EXPECT_TRUE(queue.push({5, 0}));
}

TEST(ReadyQueue, gives_at_most_half_of_what_is_there) {
    ReadyQueue queue(16);
    push_all(queue, 9);
    std::array<ReadyItem, 16> items;
    EXPECT_EQ(queue.take(items, kNoLimit), 5u);
    EXPECT_EQ(queue.take(items, kNoLimit), 2u);
    EXPECT_EQ(queue.take(items, kNoLimit), 1u);
    EXPECT_EQ(queue.take(items, kNoLimit), 1u);
    EXPECT_EQ(queue.take(items, kNoLimit), 0u);
}

TEST(ReadyQueue, gives_no_more_gas_than_asked_for_but_always_one) {
    ReadyQueue queue(16);
    push_all(queue, 16, 10 * kUnit);
    std::array<ReadyItem, 16> items;
    EXPECT_EQ(queue.take(items, 30 * kUnit), 3u);
    EXPECT_EQ(queue.take(items, 5 * kUnit), 1u);
}

TEST(ReadyQueue, rounds_gas_up_and_caps_it) {
    ReadyQueue queue(4);
    ASSERT_TRUE(queue.push({1, 1}));
    ASSERT_TRUE(queue.push({2, kNoLimit / 2}));
    std::array<ReadyItem, 1> item;
    ASSERT_EQ(queue.take(item, 0), 1u);
    EXPECT_EQ(item[0].gas, kUnit);
    ASSERT_EQ(queue.take(item, 0), 1u);
    EXPECT_EQ(item[0].position, 2u);
    EXPECT_GE(item[0].gas, 1'000'000'000u);
}

TEST(ReadyQueue, gives_each_item_to_one_of_many_takers_in_order) {
    constexpr std::uint64_t kItems = 50'000;
    ReadyQueue queue(64);
    std::vector<std::atomic<unsigned>> times(kItems + 1);
    std::atomic<std::uint64_t> taken{0};
    std::atomic<bool> is_in_order{true};
    const auto take_all = [&] {
        std::array<ReadyItem, 4> items;
        std::uint64_t last = 0;
        while (taken.load() != kItems) {
            const std::size_t count = queue.take(items, kNoLimit);
            if (count == 0) std::this_thread::yield();
            for (std::size_t i = 0; i < count; ++i) {
                if (items[i].position <= last) is_in_order = false;
                last = items[i].position;
                times[last].fetch_add(1);
            }
            taken.fetch_add(count);
        }
    };

    std::vector<std::thread> takers;
    takers.reserve(3);
    for (int i = 0; i < 3; ++i)
        takers.emplace_back(take_all);
    for (std::uint64_t i = 1; i <= kItems; ++i)
        while (!queue.push({i, kUnit}))
            std::this_thread::yield();
    for (std::thread& taker : takers)
        taker.join();

    EXPECT_TRUE(is_in_order);
    for (std::uint64_t i = 1; i <= kItems; ++i)
        ASSERT_EQ(times[i].load(), 1u) << i;
}

}  // namespace
}  // namespace heddle::executor
