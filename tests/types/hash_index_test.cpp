// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/hash_index.hpp>

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace heddle {
namespace {

/// Entries are numbers; their hash is chosen by the test.
template <typename Index>
struct Numbers {
    Index index;
    std::vector<std::uint64_t> keys;
    std::uint64_t (*hash)(std::uint64_t) = [](std::uint64_t key) {
        return key * 0x9e3779b97f4a7c15;
    };

    void insert(std::uint64_t key) {
        index.insert(hash(key), [&](std::uint32_t i) { return hash(keys[i]); });
        keys.push_back(key);
    }
    std::uint32_t find(std::uint64_t key) const {
        return index.find(hash(key), [&](std::uint32_t i) { return keys[i] == key; });
    }
    void clear() {
        index.clear();
        keys.clear();
    }
};

using Wide = HashIndex<>;
/// 255 generations can be told apart.
using Narrow = HashIndex<std::uint8_t>;

TEST(HashIndex, finds_what_was_inserted_and_nothing_else) {
    Numbers<Wide> numbers;
    for (std::uint64_t key = 0; key < 10'000; ++key)
        numbers.insert(key);

    for (std::uint64_t key = 0; key < 10'000; ++key)
        ASSERT_EQ(numbers.find(key), key);
    EXPECT_EQ(numbers.find(10'000), Wide::kAbsent);
    EXPECT_EQ(numbers.index.size(), 10'000u);
}

TEST(HashIndex, keeps_entries_of_one_hash_apart) {
    Numbers<Wide> numbers;
    numbers.hash = [](std::uint64_t) { return std::uint64_t{0xffff'ffff'ffff'ffff}; };
    for (std::uint64_t key = 0; key < 500; ++key)
        numbers.insert(key);

    for (std::uint64_t key = 0; key < 500; ++key)
        ASSERT_EQ(numbers.find(key), key);
    EXPECT_EQ(numbers.find(500), Wide::kAbsent);
}

TEST(HashIndex, is_empty_after_clear) {
    Numbers<Wide> numbers;
    for (std::uint64_t key = 0; key < 10'000; ++key)
        numbers.insert(key);
    numbers.clear();
    EXPECT_EQ(numbers.index.size(), 0u);

    numbers.insert(7);
    EXPECT_EQ(numbers.find(7), 0u);
    EXPECT_EQ(numbers.find(8), Wide::kAbsent);
}

TEST(HashIndex, shrinks_to_what_was_needed) {
    Numbers<Wide> numbers;
    for (std::uint64_t key = 0; key < 10'000; ++key)
        numbers.insert(key);
    numbers.clear();
    numbers.insert(7);
    numbers.index.clear_and_shrink();
    numbers.keys.clear();
    EXPECT_EQ(numbers.find(7), Wide::kAbsent);

    for (std::uint64_t key = 0; key < 2'000; ++key)
        numbers.insert(key);
    for (std::uint64_t key = 0; key < 2'000; ++key)
        ASSERT_EQ(numbers.find(key), key);
}

TEST(HashIndex, entries_of_an_old_generation_never_come_back) {
    // The counter passes its starting point.
    Numbers<Narrow> numbers;
    numbers.insert(1);
    for (int i = 0; i < 300; ++i) {
        numbers.index.clear();
        EXPECT_EQ(numbers.find(1), Narrow::kAbsent);
    }
    numbers.keys.clear();
    numbers.insert(2);
    EXPECT_EQ(numbers.find(2), 0u);
}

}  // namespace
}  // namespace heddle
