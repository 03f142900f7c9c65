// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Code in use: the same where its hashes are more than the memory has room for, and missed where it
// is not there.
#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <ledger/snapshot.hpp>
#include <ledger/verify.hpp>

#include "durable/opening.hpp"
#include "durable/records.hpp"
#include "random.hpp"
#include "tools/codes_in_use.hpp"
#include "tools/snapshot_writer.hpp"
#include "tools/unused_codes.hpp"
#include "tools_chain.hpp"

namespace heddle::ledger {
namespace {

using test::ToolsChain;

constexpr std::uint64_t kHead = 60;

TEST(CodesInUse, every_code_is_in_one_part_and_no_part_is_larger_than_its_memory) {
    std::vector<Account> accounts(1'000);
    std::set<Hash> expected;
    for (std::size_t i = 0; i < accounts.size(); ++i) {
        if (i % 5 == 0) continue;  // no code
        accounts[i].code_hash = keccak256(Bytes{static_cast<std::uint8_t>(i % 150)});
        expected.insert(accounts[i].code_hash);
    }
    for (const std::size_t memory_bytes : {0u, 128u * 10, 128u * 99, 128u * 1'000}) {
        CodesInUse codes(memory_bytes);
        std::vector<Hash> found;
        do {
            for (const Account& account : accounts) {
                codes.add(account);
                ASSERT_LE(codes.ascending().size(), std::max<std::size_t>(memory_bytes / 128, 2));
            }
            const std::vector<Hash> part = codes.ascending();
            ASSERT_FALSE(part.empty());
            EXPECT_TRUE(std::ranges::all_of(part, [&](const Hash& code) {
                return codes.covers(code) && codes.contains(code);
            }));
            found.insert(found.end(), part.begin(), part.end());
        } while (codes.go_on());
        EXPECT_TRUE(std::ranges::equal(found, expected)) << memory_bytes << " bytes";
    }
}

class ToolsCodesTest : public testing::Test {
protected:
    [[nodiscard]] std::unique_ptr<Database> open(const std::string& directory) const {
        auto database = open_database(directory, std::size_t{16} << 20);
        EXPECT_TRUE(database.has_value()) << to_string(database.error());
        return *std::move(database);
    }

    test::Random random_{43};
    const ToolsChain chain_{random_, kHead};
    test::TemporaryFolder folder_;
    const std::string directory_ = folder_ / "data";
};

TEST_F(ToolsCodesTest, what_is_in_use_stays_whatever_the_memory) {
    test::make_ledger(directory_, chain_, kHead);
    const auto before = test::dump(directory_);
    const auto database = open(directory_);
    WriteBatch batch = database->batch();
    for (std::uint8_t i = 0; i < 100; ++i) {
        const Bytes code{i, 1, 2, 3, 4, 5};
        batch.put(Table::codes, keccak256(code).view(), code);
    }
    ASSERT_TRUE(database->write(batch, false).has_value());
    ASSERT_TRUE(find_unused_code(*database, 0).value().has_value());
    const Marks marks = read_marks(*database).value();

    const auto erased = drop_unused_codes(*database, marks, 0);

    ASSERT_TRUE(erased.has_value()) << to_string(erased.error());
    EXPECT_EQ(*erased, 100u);
    EXPECT_TRUE(test::dump(*database) == before);
    EXPECT_EQ(drop_unused_codes(*database, marks, std::size_t{1} << 20).value(), 0u);
}

/// As after a crash: the tables have no account that uses it yet, and opening brings them forward.
TEST_F(ToolsCodesTest, what_only_blocks_above_the_state_use_stays) {
    std::set<Hash> codes;
    std::uint64_t last = 0;  // the last block with code that is new
    for (std::uint64_t number = 1; number <= kHead; ++number)
        for (const auto& [hash, code] : chain_.block(number).diff.codes)
            if (codes.insert(hash).second) last = number;
    auto options = test::tools_options(directory_ + ".open");
    options.checkpoint_blocks = 1'000'000;
    const auto made = DurableLedger::create(options, ToolsChain::genesis(), Bytes{7});
    ASSERT_TRUE(made.has_value()) << to_string(made.error());
    test::commit_through(**made, chain_, last);
    ASSERT_TRUE((*made)->wait_durable(last).has_value());
    test::copy_ledger(options.directory, directory_);
    const auto database = open(directory_);
    const Marks marks = read_marks(*database).value();
    ASSERT_LT(marks.state_block, last);
    ASSERT_EQ(marks.head.number, last);

    ASSERT_TRUE(drop_unused_codes(*database, marks, 0).has_value());

    for (const auto& [hash, code] : chain_.block(last).diff.codes)
        EXPECT_EQ(database->get(Table::codes, hash.view()).value(), code);
}

/// Whoever asks for that code in a state of the past ends the process, and the few states of the
/// past that verification walks need not have it.
TEST_F(ToolsCodesTest, what_only_the_past_has_is_missed) {
    test::make_ledger(directory_, chain_, kHead);
    std::set<Hash> of_the_past;
    {
        const auto database = open(directory_);
        for (std::uint64_t number = 1; number <= kHead; ++number) {
            const auto changes = read_changes(*database, number).value().value();
            for (const AccountUpdate& update : changes.accounts)
                if (update.before.has_value() && update.before->account.has_code())
                    of_the_past.insert(update.before->account.code_hash);
        }
        Cursor cursor = database->cursor(Table::accounts);
        for (cursor.seek({}); cursor.valid(); cursor.next())
            of_the_past.erase(
                schema::decode_account_entry(cursor.value())->record.account.code_hash);
    }
    ASSERT_GE(of_the_past.size(), 4u);

    std::size_t tried = 0;
    for (const Hash& code : of_the_past) {
        if (++tried > 4) break;
        const std::string copy = folder_ / ("copy" + std::to_string(tried));
        test::copy_ledger(directory_, copy);
        {
            const auto database = open(copy);
            WriteBatch batch = database->batch();
            batch.erase(Table::codes, code.view());
            ASSERT_TRUE(database->write(batch, true).has_value());
        }
        VerifyOptions options;
        options.ledger = test::maintenance_options(copy);

        const VerifyReport report = verify(options).value();

        const std::string expected = to_string(code) + ": is missing: it was the code of account";
        EXPECT_TRUE(std::ranges::any_of(report.problems, [&](const std::string& problem) {
            return problem.find(expected) != std::string::npos;
        })) << expected;
    }
}

TEST_F(ToolsCodesTest, snapshots_are_the_same_bytes_whatever_the_memory) {
    test::make_ledger(directory_, chain_, kHead);
    const auto database = open(directory_);
    const auto head = require_header(*database, kHead);
    ASSERT_TRUE(head.has_value());
    std::set<Hash> ids;
    for (const std::size_t memory_bytes : {std::size_t{0}, std::size_t{1} << 20}) {
        const std::string name = folder_ / ("snapshot" + std::to_string(memory_bytes));
        const auto writer = make_snapshot_writer(*database, *head, Bytes{7}, memory_bytes);
        const auto id = writer->write(name, {});
        ASSERT_TRUE(id.has_value()) << to_string(id.error());
        ids.insert(*id);
        EXPECT_GT(SnapshotReader::open(name)->manifest().codes, 4u);
        for (const std::size_t verifying : {std::size_t{0}, std::size_t{1} << 20})
            EXPECT_TRUE(verify_snapshot(name, {}, verifying).has_value());
    }
    EXPECT_EQ(ids.size(), 1u);
}

}  // namespace
}  // namespace heddle::ledger
