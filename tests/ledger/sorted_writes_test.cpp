// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "storage/sorted_writes.hpp"

#include <map>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "random.hpp"
#include "temporary_folder.hpp"

namespace heddle::ledger {
namespace {

TEST(SortedWrites, database_holds_what_was_put_and_not_what_was_erased) {
    test::Random random(1);
    const test::TemporaryFolder folder;
    const auto database = *Database::open({.directory = folder / "db", .create = true});
    std::map<std::pair<Table, Bytes>, Bytes> expected;
    for (int round = 0; round < 20; ++round) {
        std::map<std::pair<Table, Bytes>, std::optional<Bytes>> changes;
        for (int i = 0; i < 100; ++i) {
            // Short keys meet again, long ones differ at their end only.
            Bytes key = random.bytes(random.below(3));
            if (random.one_in(2)) key.resize(40, 7);
            const Table table = random.one_in(2) ? Table::accounts : Table::slots;
            changes[{table, key}] =
                random.one_in(3) ? std::nullopt : std::optional{random.bytes(random.below(9))};
        }
        SortedWrites writes;
        // In another order than that of the keys.
        for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
            const auto& [table, key] = change->first;
            if (change->second.has_value())
                writes.put(table, key, *change->second);
            else
                writes.erase(table, key);
        }
        WriteBatch batch = database->batch();
        writes.move_to(batch);
        ASSERT_TRUE(database->write(batch, false).has_value());
        for (const auto& [place, value] : changes) {
            if (value.has_value())
                expected[place] = *value;
            else
                expected.erase(place);
        }

        WriteBatch nothing = database->batch();
        writes.move_to(nothing);
        EXPECT_TRUE(nothing.empty());
    }
    std::size_t found = 0;
    for (const Table table : {Table::accounts, Table::slots}) {
        Cursor cursor = database->cursor(table);
        for (cursor.seek({}); cursor.valid(); cursor.next(), ++found) {
            const BytesView key = cursor.key();
            const auto at = expected.find({table, Bytes(key.begin(), key.end())});
            ASSERT_TRUE(at != expected.end());
            EXPECT_TRUE(equal(cursor.value(), at->second));
        }
    }
    EXPECT_EQ(found, expected.size());
}

}  // namespace
}  // namespace heddle::ledger
