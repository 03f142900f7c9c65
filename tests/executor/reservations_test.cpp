// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "aria/reservations.hpp"

#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::executor {
namespace {

constexpr std::uint32_t kNobody = Reservations::kNobody;

TEST(Reservations, are_the_smallest_indexs_whatever_the_order) {
    Reservations table;
    table.begin_batch();
    table.reserve(7, 5);
    table.reserve(7, 2);
    table.reserve(7, 9);
    table.reserve(8, 0);

    EXPECT_EQ(table.first(7), 2u);
    EXPECT_EQ(table.first(8), 0u);
    EXPECT_EQ(table.first(9), kNobody);
}

TEST(Reservations, of_an_earlier_batch_count_for_nothing) {
    Reservations table;
    table.begin_batch();
    table.reserve(3, 0);
    table.begin_batch();
    EXPECT_EQ(table.first(3), kNobody);

    table.reserve(3, 4'000'000);

    EXPECT_EQ(table.first(3), 4'000'000u);
}

TEST(Reservations, of_the_last_epoch_are_not_taken_for_those_of_the_first) {
    Reservations table(std::numeric_limits<std::uint32_t>::max() - 1);
    table.begin_batch();  // the last epoch there is
    table.reserve(3, 1);
    table.reserve(5, 2);
    ASSERT_EQ(table.first(3), 1u);

    table.begin_batch();  // the first once more

    EXPECT_EQ(table.first(3), kNobody);
    table.reserve(3, 9);
    EXPECT_EQ(table.first(3), 9u);
    EXPECT_EQ(table.first(5), kNobody);
}

TEST(Reservations, find_their_place_for_any_object_number) {
    Reservations table;
    table.begin_batch();
    const std::vector<std::uint32_t> objects = {0, 4095, 4096, 8191, 8192, 1'000'000};
    for (std::uint32_t i = 0; i < objects.size(); ++i)
        table.reserve(objects[i], i);

    for (std::uint32_t i = 0; i < objects.size(); ++i)
        EXPECT_EQ(table.first(objects[i]), i) << objects[i];
    EXPECT_EQ(table.first(~std::uint32_t{0}), kNobody);
}

TEST(Reservations, give_back_memory_of_objects_that_are_forgotten) {
    Reservations table;
    table.begin_batch();
    table.reserve(1, 1);
    table.reserve(1'000'000, 1);
    const std::size_t full = table.memory_bytes();

    table.shrink(4096);

    EXPECT_LT(table.memory_bytes(), full);
    EXPECT_EQ(table.memory_bytes(), 4096 * sizeof(std::uint64_t));
    table.begin_batch();
    table.reserve(1'000'000, 3);
    EXPECT_EQ(table.first(1'000'000), 3u);
}

TEST(Reservations, of_many_threads_are_those_of_one) {
    constexpr std::uint32_t kThreads = 4;
    constexpr std::uint32_t kObjects = 20'000;
    Reservations table;
    table.begin_batch();
    std::vector<std::thread> threads;
    for (std::uint32_t thread = 0; thread < kThreads; ++thread)
        threads.emplace_back([&, thread] {
            for (std::uint32_t object = 0; object < kObjects; ++object)
                table.reserve(object, (object + thread) % kThreads + object);
        });
    for (std::thread& thread : threads)
        thread.join();

    for (std::uint32_t object = 0; object < kObjects; ++object)
        ASSERT_EQ(table.first(object), object);
}

}  // namespace
}  // namespace heddle::executor
