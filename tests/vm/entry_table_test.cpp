// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "entry_table.hpp"

#include <gtest/gtest.h>

namespace heddle::vm {
namespace {

struct Entry {
    std::uint64_t key = 0;
};

class EntryTables : public testing::Test {
protected:
    Entry* find(std::uint64_t key, std::size_t hash) {
        return table.find(hash, [&](const Entry& entry) { return entry.key == key; });
    }
    Entry& insert(std::uint64_t key, std::size_t hash) {
        Entry& entry = table.insert(hash);
        entry.key = key;
        return entry;
    }

public:
    EntryTable<Entry> table;
};

TEST_F(EntryTables, entries_are_found_by_hash_and_key) {
    insert(1, 100);
    insert(2, 100);        // the same hash
    insert(3, 100 + 256);  // the same slot of a fresh table

    EXPECT_EQ(find(1, 100)->key, 1u);
    EXPECT_EQ(find(2, 100)->key, 2u);
    EXPECT_EQ(find(3, 356)->key, 3u);
    EXPECT_EQ(find(4, 100), nullptr);
    EXPECT_EQ(table.size(), 3u);
}

TEST_F(EntryTables, addresses_stay_while_the_table_grows) {
    std::vector<Entry*> entries;
    entries.reserve(10'000);
    for (std::uint64_t key = 0; key < 10'000; ++key)
        entries.push_back(&insert(key, key * 0x9e3779b97f4a7c15));

    for (std::uint64_t key = 0; key < 10'000; ++key) {
        EXPECT_EQ(find(key, key * 0x9e3779b97f4a7c15), entries[key]);
        EXPECT_EQ(&table[key], entries[key]);
    }
}

TEST_F(EntryTables, clearing_forgets_everything) {
    insert(1, 100);
    table.clear();

    EXPECT_EQ(find(1, 100), nullptr);
    EXPECT_EQ(table.size(), 0u);
    insert(2, 100);
    EXPECT_EQ(find(1, 100), nullptr);
    EXPECT_EQ(find(2, 100)->key, 2u);
}

TEST_F(EntryTables, order_is_that_of_insertion) {
    for (std::uint64_t key = 50; key > 0; --key)
        insert(key, key);

    for (std::size_t i = 0; i < 50; ++i)
        EXPECT_EQ(table[i].key, 50 - i);
}

}  // namespace
}  // namespace heddle::vm
