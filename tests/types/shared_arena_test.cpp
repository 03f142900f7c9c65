// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/shared_arena.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace heddle {
namespace {

/// Memory of an arena, with what was written to it.
struct Taken {
    std::span<std::uint8_t> bytes;
    std::uint8_t mark;
};

Taken take(SharedArena& arena, std::size_t size, std::uint8_t mark) {
    auto* const memory = static_cast<std::uint8_t*>(arena.take(size));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % SharedArena::kAlignment, 0u);
    std::memset(memory, mark, size);
    return {{memory, size}, mark};
}

void expect_untouched(const std::vector<Taken>& all) {
    for (const Taken& taken : all)
        for (const std::uint8_t byte : taken.bytes)
            ASSERT_EQ(byte, taken.mark);
}

TEST(SharedArena, nothing_taken_overlaps_whatever_its_size) {
    SharedArena arena;
    std::mt19937_64 random(3);  // NOLINT(bugprone-random-generator-seed): the same sizes each time
    std::vector<Taken> all;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < 3'000; ++i) {
        const std::size_t size = random() % (i % 100 == 0 ? 50'000 : 400);
        all.push_back(take(arena, size, static_cast<std::uint8_t>(i)));
        bytes += size;
    }
    expect_untouched(all);
    EXPECT_GE(arena.size_bytes(), bytes);
}

TEST(SharedArena, an_arena_of_which_little_is_taken_is_small) {
    SharedArena arena;
    EXPECT_EQ(arena.size_bytes(), 0u);
    take(arena, 100, 1);
    EXPECT_LE(arena.size_bytes(), 1'024u);
    for (std::size_t i = 0; i < 10'000; ++i)
        take(arena, 64, 1);
    EXPECT_LE(arena.size_bytes(), 700'000u) << "one that grows wastes a chunk at most";
}

TEST(SharedArena, threads_take_from_it_at_the_same_time) {
    for (std::uint64_t round = 0; round < 20; ++round) {
        SharedArena arena;
        std::vector<std::vector<Taken>> of_threads(3);
        {
            std::vector<std::jthread> threads;
            for (std::uint64_t thread = 0; thread < of_threads.size(); ++thread)
                threads.emplace_back([&arena, &all = of_threads[thread], thread, round] {
                    std::mt19937_64 random(10 * round + thread);
                    for (std::size_t i = 0; i < 300; ++i) {
                        const std::size_t size = random() % 2'000;
                        all.push_back(take(arena, size, static_cast<std::uint8_t>(random())));
                    }
                });
        }
        for (const std::vector<Taken>& all : of_threads)
            expect_untouched(all);
    }
}

}  // namespace
}  // namespace heddle
