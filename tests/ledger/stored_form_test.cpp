// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "durable/stored_form.hpp"

#include <map>
#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include "temporary_folder.hpp"

namespace heddle::ledger {
namespace {

using Records = std::map<std::pair<Table, Bytes>, Bytes>;

/// So many transactions with an object set each, and as many slots changed.
std::shared_ptr<const PendingBlock> block_of(std::uint64_t number, std::size_t size,
                                             std::size_t data_bytes = 100) {
    auto pending = std::make_shared<PendingBlock>();
    StoredBlock stored;
    stored.block.header.number = number;
    stored.hash = header_hash(stored.block.header);
    stored.block.transactions.resize(size);
    stored.receipts.resize(size);
    BlockChanges changes;
    AccountUpdate& update = changes.accounts.emplace_back();
    update.after = AccountRecord{Account{number, 0}};
    for (std::uint64_t i = 0; i < size; ++i) {
        Transaction& transaction = stored.block.transactions[i];
        transaction.nonce = number * 10'000 + i;
        transaction.data.resize(data_bytes, static_cast<std::uint8_t>(i));
        transaction.sender = address_from_low64(i);
        pending->object_sets.push_back(
            ObjectSet{{{{address_from_low64(i), ObjectKind::balance, {}}, AccessMode::write}}});
        update.slots.push_back({i, number, number + 1});
    }
    pending->stored = std::make_shared<const StoredBlock>(std::move(stored));
    pending->changes = std::make_shared<const BlockChanges>(std::move(changes));
    return pending;
}

Records records_of(const PendingBlock& block, RecordRoom& room) {
    const auto folder = test::TemporaryFolder::in_memory();
    const auto database = *Database::open({.directory = folder / "db", .create = true});
    WriteBatch batch = database->batch();
    store_block(block, room, batch);
    EXPECT_TRUE(database->write(batch, false).has_value());
    Records records;
    for (std::size_t i = 0; i < kTableCount; ++i) {
        const auto table = static_cast<Table>(i);
        Cursor cursor = database->cursor(table);
        for (cursor.seek({}); cursor.valid(); cursor.next())
            records[{table, Bytes(cursor.key().begin(), cursor.key().end())}] =
                Bytes(cursor.value().begin(), cursor.value().end());
    }
    return records;
}

TEST(StoredForm, what_a_room_has_held_before_makes_no_difference) {
    RecordRoom kept;
    std::uint64_t number = 1;
    for (const std::size_t size : {3U, 200U, 0U, 64U, 1U}) {
        const auto block = block_of(number++, size);
        RecordRoom fresh;
        const Records expected = records_of(*block, fresh);
        EXPECT_GE(expected.size(), 6 + size);
        EXPECT_EQ(records_of(*block, kept), expected) << size;
        kept.trim();
    }
}

TEST(StoredForm, a_room_keeps_what_blocks_take_and_gives_back_what_a_huge_one_took) {
    RecordRoom room;
    const auto held_after = [&](std::size_t size, std::size_t data_bytes = 100) {
        records_of(*block_of(1, size, data_bytes), room);
        room.trim();
        return room.value.capacity() + room.places.held_bytes() + room.hasher.held_bytes();
    };
    const std::size_t usual = held_after(200);
    EXPECT_GT(usual, 200u * 100);
    EXPECT_EQ(held_after(100), usual);
    constexpr std::size_t kMost = std::size_t{3} * (512 << 10);
    EXPECT_LE(held_after(20'000), kMost);
    EXPECT_LE(held_after(64, 32 << 10), kMost);
}

}  // namespace
}  // namespace heddle::ledger
