// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "entry_table.hpp"

#include <vector>

#include <gtest/gtest.h>

#include <types/uint256.hpp>

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

TEST_F(EntryTables, clearing_gives_back_what_few_transactions_need) {
    const auto use = [this](std::uint64_t entries) {
        for (std::uint64_t key = 0; key < entries; ++key)
            insert(key, key * 0x9e3779b97f4a7c15);
        table.clear();
        return table.capacity();
    };
    EXPECT_EQ(use(1'000), 1'024u);
    EXPECT_EQ(use(100'000), EntryTable<Entry>::kMostKept);
    EXPECT_EQ(use(10), EntryTable<Entry>::kMostKept) << "what is usual stays";

    EXPECT_EQ(find(5, 5 * 0x9e3779b97f4a7c15), nullptr);
    insert(5, 7);
    EXPECT_EQ(find(5, 7), &table[0]);
}

TEST_F(EntryTables, order_is_that_of_insertion) {
    for (std::uint64_t key = 50; key > 0; --key)
        insert(key, key);

    for (std::size_t i = 0; i < 50; ++i)
        EXPECT_EQ(table[i].key, 50 - i);
}

TEST_F(EntryTables, slots_made_to_meet_without_a_key_are_compared_once_each) {
    constexpr std::uint64_t kSlots = 4'096;
    // Of these the hash was once the same for all: what the first word gives is in the last one.
    const auto slot = [](std::uint64_t i) {
        std::uint64_t h = (i ^ 0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd;
        h = (h ^ h >> 32) * 0xc4ceb9fe1a85ec53;
        h = (h ^ h >> 32) * 0x9e3779b97f4a7c15;
        return Uint256{i, 0, 0, h ^ h >> 32};
    };
    std::size_t comparisons = 0;
    const auto find_slot = [&](std::uint64_t i) {
        return table.find(Uint256Hasher{}(slot(i)), [&](const Entry& entry) {
            ++comparisons;
            return entry.key == i;
        });
    };

    for (std::uint64_t i = 0; i < kSlots; ++i) {
        ASSERT_EQ(find_slot(i), nullptr);
        insert(i, Uint256Hasher{}(slot(i)));
        ASSERT_EQ(find_slot(i)->key, i);
    }

    // Two different slots have the same tag once in 2^32.
    EXPECT_LE(comparisons, kSlots + 10);
}

}  // namespace
}  // namespace heddle::vm
