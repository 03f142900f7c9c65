// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks that are large enough for threads to share what committing and writing them takes: what
// comes of it does not depend on how many they are.

#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <ledger/durable_ledger.hpp>

#include "storage/database.hpp"
#include "temporary_folder.hpp"
#include "twin_chain.hpp"

namespace heddle::ledger {
namespace {

using test::must_commit;
using test::must_create;
using test::must_open;
using test::options_for;
using test::Random;
using test::TwinChain;

using Contents = std::map<std::pair<Table, Bytes>, Bytes>;

constexpr std::size_t kAccounts = 1'500;
constexpr std::size_t kHotSlots = 3'000;
constexpr Address kHot = address_from_low64(kAccounts + 1);

/// Many accounts with a few slots, and one with many, which loses all of them now and then.
StateDiff large_diff(Random& random, std::uint64_t number) {
    StateDiff diff = random.diff(kAccounts, 2);
    AccountChange& hot = diff.accounts.emplace_back();
    hot.address = kHot;
    hot.account = Account{.nonce = number, .balance = 1};
    hot.storage_cleared = number % 5 == 0;
    for (std::size_t slot = 0; slot < kHotSlots; ++slot)
        if (random.one_in(2))
            hot.storage.push_back({slot, random.one_in(4) ? Uint256() : random.word()});
    return diff;
}

Contents contents_of(const std::string& directory) {
    const auto database = *Database::open({.directory = directory + "/ledger"});
    Contents contents;
    for (std::size_t i = 0; i < kTableCount; ++i) {
        const Table table = static_cast<Table>(i);
        Cursor cursor = database->cursor(table);
        for (cursor.seek({}); cursor.valid(); cursor.next())
            contents[{table, Bytes(cursor.key().begin(), cursor.key().end())}] =
                Bytes(cursor.value().begin(), cursor.value().end());
        EXPECT_TRUE(cursor.error().has_value());
    }
    return contents;
}

class DurableSharingTest : public testing::Test {
protected:
    static constexpr std::uint64_t kBlocks = 14;

    DurableSharingTest() {
        Random random(21);
        for (std::uint64_t number = 1; number <= kBlocks; ++number)
            twin_.grow(random, large_diff(random, number));
    }

    /// Commits the chain. @return where.
    std::string make(unsigned threads, std::uint64_t history_blocks) {
        const std::string directory = folder_ / std::to_string(threads);
        auto options = options_for(directory);
        options.threads = threads;
        options.history_blocks = history_blocks;
        const auto ledger = must_create(options);
        for (std::uint64_t number = 1; number <= kBlocks; ++number)
            must_commit(*ledger, twin_.block(number));
        EXPECT_TRUE(ledger->close().has_value());
        return directory;
    }

    test::TemporaryFolder folder_;
    TwinChain twin_;
};

TEST_F(DurableSharingTest, tables_hold_the_same_bytes_however_many_threads_made_them) {
    for (const std::uint64_t history : {kArchive, std::uint64_t{3}}) {
        const Contents alone = contents_of(make(1, history));
        EXPECT_GT(alone.size(), 3 * kAccounts + kHotSlots);
        EXPECT_EQ(contents_of(make(2, history)), alone);
        // Four of them write.
        EXPECT_EQ(contents_of(make(16, history)), alone);
        for (const char* name : {"1", "2", "16"})
            std::filesystem::remove_all(folder_ / name);
    }
}

TEST_F(DurableSharingTest, values_at_every_height_are_those_of_the_twin) {
    const auto ledger = must_open(options_for(make(16, kArchive)));
    for (std::uint64_t number = 0; number <= kBlocks; ++number) {
        const auto state = ledger->state_at(number);
        ASSERT_TRUE(state.has_value());
        const MemoryState& expected = twin_.state(number);
        for (std::size_t i = 1; i <= kAccounts + 1; i += i < 20 ? 1 : 97) {
            const Address address = address_from_low64(i);
            ASSERT_EQ((*state)->account(address), expected.account(address));
            for (std::size_t slot = 0; slot < 2; ++slot)
                ASSERT_EQ((*state)->storage(address, slot), expected.storage(address, slot));
        }
        for (std::size_t slot = 0; slot < kHotSlots; slot += 13)
            ASSERT_EQ((*state)->storage(kHot, slot), expected.storage(kHot, slot));
    }
}

}  // namespace
}  // namespace heddle::ledger
