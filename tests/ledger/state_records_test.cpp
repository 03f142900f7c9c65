// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "durable/state_records.hpp"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "temporary_folder.hpp"

namespace heddle::ledger {
namespace {

/// New slots, and balances that move.
std::vector<RecentChanges::Entry> blocks_of(std::size_t accounts, std::size_t slots) {
    std::vector<RecentChanges::Entry> blocks;
    for (std::uint64_t number = 1; number <= 3; ++number) {
        BlockChanges changes;
        for (std::uint64_t i = 0; i < accounts; ++i) {
            AccountUpdate& update = changes.accounts.emplace_back();
            update.address = address_from_low64(number << 32 | i);
            update.before = AccountRecord{Account{1, Uint256{1'000'000'007 * i}}};
            update.after = AccountRecord{Account{2, Uint256{1'000'000'009 * i}}};
            for (std::uint64_t slot = 0; slot < slots; ++slot)
                update.slots.push_back({Uint256{slot}, Uint256{}, Uint256{1 + slot}});
        }
        blocks.push_back({number, std::make_shared<const BlockChanges>(std::move(changes))});
    }
    return blocks;
}

// A checkpoint's batch was reserved by what its blocks take in memory, up to twelve times what it
// came to.
TEST(StateRecords, take_what_is_reserved_for_them_or_some_less) {
    const heddle::test::TemporaryFolder folder;
    const auto database = *Database::open({.directory = folder / "db", .create = true});
    for (const unsigned threads : {1U, 3U}) {
        for (const std::size_t slots : {0U, 4U, 1'000U}) {
            WorkerCrew crew(threads);
            const std::size_t accounts = slots == 1'000 ? 8 : 1'000;
            const auto blocks = blocks_of(accounts, slots);
            WriteBatch batch = database->batch();

            store_states(blocks, 1, *database, crew, batch);

            const std::size_t reserved = kBytesPerValue * 3 * accounts * (1 + slots);
            EXPECT_LE(batch.size_bytes(), reserved) << slots;
            EXPECT_GE(3 * batch.size_bytes(), reserved) << slots;
        }
    }
}

}  // namespace
}  // namespace heddle::ledger
