// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "durable/flat_cache.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <types/uint256.hpp>

#include "random.hpp"

namespace heddle::ledger {
namespace {

using Cache = FlatCache<Uint256, std::uint64_t, Uint256Hasher>;
constexpr std::size_t kSmallest = 0;  // few values for each shard
constexpr std::uint64_t kMany = 20'000;

std::optional<std::uint64_t> value_of(Cache& cache, std::uint64_t key) {
    return cache.find(key).value;
}

/// Makes every shard turn, several times.
void flood(Cache& cache) {
    for (std::uint64_t key = 1'000'000; key < 1'000'000 + kMany; ++key)
        cache.offer(key, 0, cache.find(key).ticket);
}

TEST(FlatCache, offered_value_is_found) {
    Cache cache(1000);
    const auto missing = cache.find(1);
    EXPECT_FALSE(missing.value.has_value());
    cache.offer(1, 7, missing.ticket);
    EXPECT_EQ(value_of(cache, 1), 7u);
}

TEST(FlatCache, written_value_is_found_and_not_replaced_by_an_offer) {
    Cache cache(1000);
    const auto before = cache.find(1);
    cache.write(1, 8, 1);
    cache.offer(1, 7, before.ticket);
    EXPECT_EQ(value_of(cache, 1), 8u);
    cache.write(1, 9, 2);
    EXPECT_EQ(value_of(cache, 1), 9u);
}

TEST(FlatCache, values_that_are_not_in_the_database_are_never_dropped) {
    Cache cache(kSmallest);
    for (std::uint64_t key = 0; key < kMany; ++key)
        cache.write(key, key + 1, 1 + key % 7);
    flood(cache);
    for (std::uint64_t key = 0; key < kMany; ++key)
        ASSERT_EQ(value_of(cache, key), key + 1);

    cache.set_persisted(3);
    flood(cache);
    flood(cache);
    std::size_t dropped = 0;
    for (std::uint64_t key = 0; key < kMany; ++key) {
        const auto value = value_of(cache, key);
        if (1 + key % 7 > 3) {
            ASSERT_EQ(value, key + 1);
        } else if (!value.has_value()) {
            ++dropped;
        }
    }
    EXPECT_GT(dropped, kMany / 3);
}

TEST(FlatCache, what_was_offered_is_bounded) {
    constexpr std::size_t kCapacity = 4096;
    Cache cache(kCapacity);
    for (std::uint64_t key = 0; key < kMany; ++key)
        cache.offer(key, key, cache.find(key).ticket);
    std::size_t held = 0;
    for (std::uint64_t key = 0; key < kMany; ++key)
        if (value_of(cache, key).has_value()) ++held;
    EXPECT_LE(held, kCapacity);
    EXPECT_GE(held, kCapacity / 4);
}

TEST(FlatCache, values_in_use_stay) {
    Cache cache(4096);
    for (std::uint64_t key = 0; key < kMany; ++key) {
        if (!value_of(cache, kMany).has_value())
            ASSERT_EQ(key, 0u);
        else
            ASSERT_EQ(value_of(cache, kMany), 5u);
        if (key == 0) cache.offer(kMany, 5, cache.find(kMany).ticket);
        cache.offer(key, key, cache.find(key).ticket);
    }
}

TEST(FlatCache, offer_older_than_what_was_dropped_is_ignored) {
    Cache cache(kSmallest);
    const auto before = cache.find(1);  // the database says 7 to this reader
    cache.write(1, 8, 1);               // a block writes,
    cache.set_persisted(1);             // the database has it,
    flood(cache);                       // and the cache forgets
    flood(cache);
    ASSERT_FALSE(value_of(cache, 1).has_value());

    cache.offer(1, 7, before.ticket);

    EXPECT_FALSE(value_of(cache, 1).has_value());
}

/// A database as slow as it likes to be, and a writer that persists, as the ledger does.
TEST(FlatCache, readers_never_see_a_value_older_than_one_committed_before) {
    constexpr std::uint64_t kKeys = 600;
    constexpr std::uint64_t kBlocks = 400;
    Cache cache(kSmallest);
    std::mutex mutex;
    std::map<std::uint64_t, std::uint64_t> database;
    std::vector<std::atomic<std::uint64_t>> committed(kKeys);  // last block that wrote the key
    std::atomic<bool> is_done = false;
    std::atomic<int> wrong = 0;
    std::vector<std::jthread> readers;
    for (std::uint64_t i = 0; i < 3; ++i)
        readers.emplace_back([&, i] {
            std::uint64_t state = i + 1;
            while (!is_done) {
                state = state * 6364136223846793005u + 1442695040888963407u;
                const std::uint64_t key = (state >> 33) % kKeys;
                // Acquire: pairs with the release after write(), so the cache has the value.
                const std::uint64_t least = committed[key].load(std::memory_order_acquire);
                auto found = cache.find(key);
                if (!found.value.has_value()) {
                    {
                        const std::lock_guard lock{mutex};
                        found.value = database[key];
                    }
                    if (state % 3 == 0) std::this_thread::yield();
                    cache.offer(key, *found.value, found.ticket);
                }
                if (*found.value < least) ++wrong;
            }
        });
    test::Random random(1);
    std::map<std::uint64_t, std::uint64_t> pending;
    for (std::uint64_t block = 1; block <= kBlocks; ++block) {
        for (int i = 0; i < 50; ++i) {
            const std::uint64_t key = random.below(kKeys);
            cache.write(key, block, block);
            committed[key].store(block, std::memory_order_release);
            pending[key] = block;
        }
        if (block % 3 != 0) continue;
        {
            const std::lock_guard lock{mutex};
            for (const auto& [key, value] : pending)
                database[key] = value;
        }
        pending.clear();
        cache.set_persisted(block);
    }
    is_done = true;
    readers.clear();
    EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace heddle::ledger
