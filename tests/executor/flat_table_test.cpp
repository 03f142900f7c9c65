// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "flat_table.hpp"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::executor {
namespace {

/// Entries are numbers; their hash is chosen by the test.
class FlatTableTest : public testing::Test {
protected:
    FlatTable table_;
    std::vector<std::uint64_t> keys_;
    std::uint64_t (*hash_)(std::uint64_t) = [](std::uint64_t key) {
        return key * 0x9e3779b97f4a7c15;
    };

    void insert(std::uint64_t key) {
        keys_.push_back(key);
        table_.insert(hash_(key), static_cast<std::uint32_t>(keys_.size() - 1),
                      [&](std::uint32_t i) { return hash_(keys_[i]); });
    }
    std::uint32_t find(std::uint64_t key) const {
        return table_.find(hash_(key), [&](std::uint32_t i) { return keys_[i] == key; });
    }
};

TEST_F(FlatTableTest, finds_what_was_inserted_and_nothing_else) {
    for (std::uint64_t key = 0; key < 10'000; ++key)
        insert(key);

    for (std::uint64_t key = 0; key < 10'000; ++key)
        ASSERT_EQ(find(key), key);
    EXPECT_EQ(find(10'000), FlatTable::kAbsent);
    EXPECT_EQ(table_.size(), 10'000u);
}

TEST_F(FlatTableTest, keeps_entries_of_one_hash_apart) {
    hash_ = [](std::uint64_t) { return std::uint64_t{0xffff'ffff'ffff'ffff}; };
    for (std::uint64_t key = 0; key < 500; ++key)
        insert(key);

    for (std::uint64_t key = 0; key < 500; ++key)
        ASSERT_EQ(find(key), key);
    EXPECT_EQ(find(500), FlatTable::kAbsent);
}

TEST_F(FlatTableTest, is_empty_after_clear) {
    for (std::uint64_t key = 0; key < 10'000; ++key)
        insert(key);
    table_.clear();
    keys_.clear();
    EXPECT_EQ(table_.size(), 0u);

    insert(7);
    EXPECT_EQ(find(7), 0u);
    table_.clear();
    table_.clear();
    EXPECT_EQ(table_.size(), 0u);
}

}  // namespace
}  // namespace heddle::executor
