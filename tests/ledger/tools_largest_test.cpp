// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The accounts with the most slots, against counting all of them in a map.

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "tools_chain.hpp"

namespace heddle::ledger {
namespace {

class LargestAccountsTest : public testing::Test {
protected:
    static constexpr std::uint64_t kHead = 30;

    void SetUp() override { test::make_ledger(directory_, chain_, kHead); }

    /// Of the slots table, in the order in which they are to be told.
    [[nodiscard]] std::vector<LargeAccount> counted() const {
        const auto database = open_database(directory_, std::size_t{16} << 20);
        EXPECT_TRUE(database.has_value());
        std::map<Bytes, LargeAccount> accounts;
        Cursor cursor = (*database)->cursor(Table::slots);
        for (cursor.seek({}); cursor.valid(); cursor.next()) {
            LargeAccount& account =
                accounts[Bytes(cursor.key().begin(), cursor.key().begin() + 32)];
            ++account.slots;
            account.bytes += cursor.key().size() + cursor.value().size();
        }
        std::vector<LargeAccount> sorted;
        for (auto& [hash, account] : accounts) {
            const auto stored = (*database)->get(Table::accounts, hash);
            account.address = schema::decode_account_entry(**stored)->address;
            sorted.push_back(account);
        }
        // Those with as many slots stay in the order of their hashes.
        std::ranges::sort(sorted, [](const LargeAccount& left, const LargeAccount& right) {
            if (left.slots != right.slots) return left.slots > right.slots;
            return schema::hash_of(left.address) < schema::hash_of(right.address);
        });
        return sorted;
    }

    test::Random random_{51};
    const test::ToolsChain chain_{random_, kHead};
    test::TemporaryFolder folder_;
    const std::string directory_ = folder_ / "data";
};

TEST_F(LargestAccountsTest, are_those_that_counting_finds_on_any_number_of_threads) {
    const std::vector<LargeAccount> all = counted();
    ASSERT_GE(all.size(), 10u);
    for (const unsigned threads : {1u, 2u, 7u})
        for (const std::size_t wanted :
             {std::size_t{1}, std::size_t{4}, all.size(), std::size_t{999}}) {
            MaintenanceOptions options = test::maintenance_options(directory_);
            options.threads = threads;

            const auto found = largest_accounts(options, wanted);

            ASSERT_TRUE(found.has_value()) << to_string(found.error());
            ASSERT_EQ(found->size(), std::min(wanted, all.size()));
            for (std::size_t i = 0; i < found->size(); ++i) {
                EXPECT_EQ((*found)[i].address, all[i].address) << i;
                EXPECT_EQ((*found)[i].slots, all[i].slots) << i;
                EXPECT_EQ((*found)[i].bytes, all[i].bytes) << i;
            }
        }
}

TEST_F(LargestAccountsTest, name_slots_whose_account_is_missing) {
    {
        auto database = open_database(directory_, std::size_t{16} << 20);
        ASSERT_TRUE(database.has_value());
        WriteBatch batch = (*database)->batch();
        for (std::uint8_t i = 0; i < 20; ++i) {
            Bytes key(2 * sizeof(Hash), 0x5a);
            key.back() = i;
            batch.put(Table::slots, key, {});
        }
        ASSERT_TRUE((*database)->write(batch, true).has_value());
    }

    const auto found = largest_accounts(test::maintenance_options(directory_), 1'000);

    ASSERT_FALSE(found.has_value());
    EXPECT_EQ(found.error().code, LedgerErrorCode::corrupt);
    EXPECT_NE(found.error().detail.find("5a5a"), std::string::npos);
}

}  // namespace
}  // namespace heddle::ledger
