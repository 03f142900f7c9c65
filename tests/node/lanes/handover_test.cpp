// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Under ThreadSanitizer, too (`make tsan`).
#include "lanes/handover.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "announced_seed.hpp"

namespace heddle::node::lanes {
namespace {

/// Lets the other thread go on, or not.
void maybe_yield(std::mt19937_64& random) {
    for (std::uint64_t i = random() % 3; i > 0; --i)
        std::this_thread::yield();
}

TEST(Handover, gives_everything_once_in_order_then_nothing) {
    const std::uint64_t seed = heddle::test::announced_seed();
    for (std::uint64_t schedule = 0; schedule < 500; ++schedule) {
        Handover<std::unique_ptr<std::uint64_t>> handover{schedule % 5};
        const std::uint64_t count = schedule % 20;
        std::jthread giver{[&] {
            std::mt19937_64 random{seed + 2 * schedule};
            for (std::uint64_t i = 0; i < count; ++i) {
                maybe_yield(random);
                EXPECT_TRUE(handover.give(std::make_unique<std::uint64_t>(i), i % 4));
            }
            maybe_yield(random);
            handover.close();
        }};
        std::mt19937_64 random{seed + 2 * schedule + 1};
        std::uint64_t taken = 0;
        while (const auto thing = handover.take()) {
            EXPECT_EQ(**thing, taken++);
            maybe_yield(random);
        }
        EXPECT_EQ(taken, count);
    }
}

TEST(Handover, holds_no_more_than_its_bound_or_one_thing) {
    const std::uint64_t seed = heddle::test::announced_seed();
    constexpr std::uint64_t kMostWeight = 5;
    for (std::uint64_t schedule = 0; schedule < 200; ++schedule) {
        const std::uint64_t weight = 1 + schedule % 7;
        const std::uint64_t most = std::max<std::uint64_t>(1, kMostWeight / weight);
        Handover<std::uint64_t> handover{kMostWeight};
        std::atomic<std::uint64_t> given = 0;
        std::jthread giver{[&] {
            std::mt19937_64 random{seed + 2 * schedule};
            for (std::uint64_t i = 0; i < 20; ++i) {
                maybe_yield(random);
                EXPECT_TRUE(handover.give(i, weight));
                given.fetch_add(1);
            }
            handover.close();
        }};
        std::mt19937_64 random{seed + 2 * schedule + 1};
        std::uint64_t taken = 0;
        while (handover.take().has_value()) {
            ++taken;
            maybe_yield(random);
            EXPECT_LE(given.load(), taken + most);
        }
        EXPECT_EQ(taken, 20u);
    }
}

TEST(Handover, lets_go_of_who_gives_when_nothing_is_taken_any_more) {
    const std::uint64_t seed = heddle::test::announced_seed();
    for (std::uint64_t schedule = 0; schedule < 500; ++schedule) {
        Handover<std::shared_ptr<int>> handover{schedule % 3};
        const auto thing = std::make_shared<int>(1);
        std::jthread giver{[&] {
            std::mt19937_64 random{seed + 2 * schedule};
            while (handover.give(thing, 1))
                maybe_yield(random);
            handover.close();
        }};
        std::mt19937_64 random{seed + 2 * schedule + 1};
        for (std::uint64_t i = schedule % 4; i > 0; --i)
            EXPECT_TRUE(handover.take().has_value());
        maybe_yield(random);
        handover.refuse();
        giver.join();
        EXPECT_EQ(thing.use_count(), 1) << "what nobody takes is dropped";
    }
}

}  // namespace
}  // namespace heddle::node::lanes
