// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <unordered_map>

#include <gtest/gtest.h>

#include <types/bytes.hpp>
#include <types/uint256.hpp>

#include "flat_map.hpp"
#include "random.hpp"

namespace heddle::ledger {
namespace {

/// Sends every key to the last places, so that probing wraps around and collides.
struct CrowdedHasher {
    std::size_t operator()(std::uint64_t key) const noexcept {
        return key % 3 == 0 ? ~std::size_t{0} : ~std::size_t{1};
    }
};
struct PlainHasher {
    std::size_t operator()(std::uint64_t key) const noexcept { return key; }
};

template <typename Map>
void expect_equal(const Map& map, const std::unordered_map<std::uint64_t, Bytes>& expected) {
    ASSERT_EQ(map.size(), expected.size());
    for (const auto& [key, value] : expected) {
        ASSERT_NE(map.find(key), nullptr) << key;
        ASSERT_EQ(*map.find(key), value) << key;
    }
    std::size_t visited = 0;
    map.for_each([&](std::uint64_t key, const Bytes& value) {
        EXPECT_EQ(expected.at(key), value);
        ++visited;
    });
    EXPECT_EQ(visited, expected.size());
}

template <typename Hasher>
void follow_random_changes(std::size_t key_count, std::size_t steps) {
    test::Random random(7);
    FlatMap<std::uint64_t, Bytes, Hasher> map;
    std::unordered_map<std::uint64_t, Bytes> expected;
    for (std::size_t step = 0; step < steps; ++step) {
        const std::uint64_t key = random.below(key_count);
        if (random.one_in(2)) {
            EXPECT_EQ(map.erase(key), expected.erase(key) == 1);
        } else {
            const Bytes value = random.bytes(random.below(40));
            map[key] = value;
            expected[key] = value;
        }
        EXPECT_EQ(map.find(key) != nullptr, expected.contains(key));
        if (step % 500 == 0) expect_equal(map, expected);
    }
    expect_equal(map, expected);
}

TEST(FlatMap, follows_random_changes) {
    follow_random_changes<PlainHasher>(3000, 40000);
}

TEST(FlatMap, erasing_keeps_colliding_entries_reachable) {
    follow_random_changes<CrowdedHasher>(40, 20000);
}

TEST(FlatMap, empty_map_finds_and_erases_nothing) {
    FlatMap<std::uint64_t, int, PlainHasher> map;
    EXPECT_EQ(map.find(1), nullptr);
    EXPECT_FALSE(map.erase(1));
    EXPECT_TRUE(map.empty());
    map.for_each([](std::uint64_t, int) { ADD_FAILURE(); });
}

TEST(FlatMap, erased_value_is_destroyed_at_once) {
    FlatMap<std::uint64_t, std::shared_ptr<int>, PlainHasher> map;
    const auto value = std::make_shared<int>(1);
    map[5] = value;
    EXPECT_EQ(value.use_count(), 2);
    map.erase(5);
    EXPECT_EQ(value.use_count(), 1);
}

TEST(FlatMap, copy_is_independent_and_move_leaves_nothing_behind) {
    FlatMap<std::uint64_t, int, PlainHasher> map;
    for (int i = 0; i < 100; ++i)
        map[static_cast<std::uint64_t>(i)] = i;
    FlatMap copy = map;
    map[3] = -1;
    map.erase(4);
    EXPECT_EQ(*copy.find(3), 3);
    EXPECT_EQ(*copy.find(4), 4);

    const FlatMap moved = std::move(copy);
    EXPECT_EQ(moved.size(), 100u);
    EXPECT_TRUE(copy.empty());  // NOLINT(bugprone-use-after-move): promised by the map
    copy[1] = 1;
    EXPECT_EQ(copy.size(), 1u);
}

TEST(FlatMap, reserved_room_keeps_what_is_there) {
    FlatMap<std::uint64_t, std::uint64_t, PlainHasher> map;
    map.reserve(0);
    for (std::uint64_t i = 0; i < 100; ++i)
        map[i] = i;

    map.reserve(10'000);
    map.reserve(5);

    EXPECT_EQ(map.size(), 100u);
    for (std::uint64_t i = 0; i < 100; ++i)
        EXPECT_EQ(*map.find(i), i);
    EXPECT_EQ(map.find(100), nullptr);
}

/// Counts how often keys are compared.
struct CountedKey {
    Uint256 value;
    static inline std::size_t comparisons = 0;
    friend bool operator==(const CountedKey& a, const CountedKey& b) {
        ++comparisons;
        return a.value == b.value;
    }
};
struct CountedKeyHasher {
    std::size_t operator()(const CountedKey& key) const noexcept {
        return Uint256Hasher{}(key.value);
    }
};

TEST(FlatMap, neighbouring_words_are_compared_about_once_each) {
    constexpr std::uint64_t kWords = 10'000;
    FlatMap<CountedKey, std::uint64_t, CountedKeyHasher> map;
    for (std::uint64_t i = 0; i < kWords; ++i)
        map[{Uint256{i}}] = i;
    CountedKey::comparisons = 0;

    for (std::uint64_t i = 0; i < kWords; ++i)
        ASSERT_EQ(*map.find({Uint256{i}}), i);

    // Seven bits of the hash spare most other comparisons.
    EXPECT_LE(CountedKey::comparisons, kWords + kWords / 20);
}

}  // namespace
}  // namespace heddle::ledger
