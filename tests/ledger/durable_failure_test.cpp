// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <atomic>
#include <filesystem>
#include <optional>

#include <gtest/gtest.h>

#include <ledger/durable_ledger.hpp>

#include "copied_folder.hpp"
#include "durable/opening.hpp"
#include "file_size_limit.hpp"
#include "storage/database.hpp"
#include "storage/schema.hpp"
#include "temporary_folder.hpp"
#include "twin_chain.hpp"

namespace heddle::ledger {
namespace {

namespace fs = std::filesystem;
using test::expect_stands_at;
using test::FileSizeLimit;
using test::must_commit;
using test::must_create;
using test::must_open;
using test::options_for;
using test::Random;
using test::TwinChain;

class DurableFailureTest : public testing::Test {
protected:
    /// Changes what opening reads.
    void damage(Table table, const Bytes& key, const std::optional<Bytes>& value) const {
        auto database = Database::open({.directory = directory_ + "/ledger"});
        ASSERT_TRUE(database.has_value());
        WriteBatch batch = (*database)->batch();
        if (value.has_value())
            batch.put(table, key, *value);
        else
            batch.erase(table, key);
        ASSERT_TRUE((*database)->write(batch, true).has_value());
    }
    [[nodiscard]] std::string open_error() const {
        const auto opened = DurableLedger::open(options_for(directory_));
        EXPECT_FALSE(opened.has_value());
        if (opened.has_value()) return {};
        EXPECT_EQ(opened.error().code, LedgerErrorCode::corrupt);
        return opened.error().detail;
    }
    /// A closed ledger of so many blocks.
    void make(std::uint64_t blocks) {
        const auto ledger = must_create(options_for(directory_));
        for (std::uint64_t i = 0; i < blocks; ++i)
            must_commit(*ledger, twin_.grow(random_));
        ASSERT_TRUE(ledger->close().has_value());
    }

    test::TemporaryFolder folder_;
    const std::string directory_ = folder_ / "data";
    Random random_{13};
    TwinChain twin_;
};

TEST_F(DurableFailureTest,
       after_a_failed_write_nothing_is_committed_and_all_that_was_durable_is_there) {
    std::atomic<int> failures = 0;
    std::atomic<std::uint64_t> acknowledged = 0;
    auto options = options_for(directory_);
    options.sync.blocks = 1;
    options.on_failure = [&](const LedgerError&) { ++failures; };
    options.on_durable = [&](std::uint64_t number) { acknowledged = number; };
    auto ledger = must_create(options);
    std::uint64_t committed = 0;
    {
        const FileSizeLimit limit(rlim_t{128} << 10);
        for (;;) {
            FinishedBlock block = twin_.child(random_, TwinChain::random_diff(random_));
            const auto root = ledger->commit(block);
            if (!root.has_value()) {
                EXPECT_EQ(root.error().code, BlockErrorCode::storage_failed);
                EXPECT_FALSE(root.error().detail.empty());
                EXPECT_EQ(root.error().number, committed + 1);
                break;
            }
            twin_.accept(std::move(block));
            committed = twin_.head();
            ASSERT_LT(committed, 100'000u);
        }
        // Nothing has changed, again and again, and what was committed can still be read.
        for (int i = 0; i < 3; ++i) {
            const auto again =
                ledger->commit(twin_.child(random_, TwinChain::random_diff(random_)));
            ASSERT_FALSE(again.has_value());
            EXPECT_EQ(again.error().code, BlockErrorCode::storage_failed);
            expect_stands_at(*ledger, twin_, committed);
        }
        for (std::uint64_t number = 1; number <= committed; ++number) {
            const auto block = ledger->block(number);
            ASSERT_TRUE(block.has_value()) << to_string(block.error());
            ASSERT_TRUE(block->has_value()) << number << " of " << committed;
            EXPECT_EQ((*block)->hash, twin_.committed(number).hash);
            const auto past = ledger->state_at(number);
            ASSERT_TRUE(past.has_value());
            test::expect_same_state(**past, twin_.state(number));
        }
        const auto waited = ledger->wait_durable(committed);
        EXPECT_TRUE(!waited.has_value() || ledger->durable() == committed);
        EXPECT_FALSE(ledger->close().has_value());
        ledger.reset();
    }
    EXPECT_EQ(failures, 1);

    ledger = must_open(options_for(directory_));

    EXPECT_GE(ledger->head().header.number, acknowledged.load());
    EXPECT_LE(ledger->head().header.number, committed);
    expect_stands_at(*ledger, twin_, ledger->head().header.number);
}

TEST_F(DurableFailureTest, ledger_is_not_made_where_files_cannot_grow_and_can_be_made_later) {
    {
        const FileSizeLimit limit(100);
        const auto made =
            DurableLedger::create(options_for(directory_), TwinChain::genesis(), Bytes{});
        ASSERT_FALSE(made.has_value());
    }
    EXPECT_FALSE(std::filesystem::exists(directory_)) << "it was not there before";
    {
        const FileSizeLimit limit(0);
        ASSERT_FALSE(NewDatabase::create(directory_, std::size_t{32} << 20).has_value());
    }
    EXPECT_FALSE(std::filesystem::exists(directory_));
    expect_stands_at(*must_create(options_for(directory_)), twin_, 0);
}

/// However far it comes, up to the last step.
TEST_F(DurableFailureTest, ledger_that_is_not_made_leaves_nothing_wherever_the_disk_is_full) {
    std::size_t failures = 0;
    for (rlim_t bytes = 64;; bytes += bytes / 4) {
        std::expected<void, LedgerError> result;
        {
            const FileSizeLimit limit(bytes);
            const auto made =
                DurableLedger::create(options_for(directory_), TwinChain::genesis(), Bytes{});
            if (!made.has_value()) result = std::unexpected(made.error());
        }
        if (result.has_value()) break;
        ++failures;
        EXPECT_FALSE(result.error().detail.empty());
        ASSERT_FALSE(std::filesystem::exists(directory_)) << bytes;
    }
    EXPECT_GT(failures, 3U);
}

/// A node that is started again and again on a full disk would fill its folder with them.
TEST_F(DurableFailureTest, an_opening_that_fails_leaves_no_files) {
    must_create(options_for(directory_)).reset();
    const auto before = test::files_in(directory_);
    {
        const FileSizeLimit limit(0);
        ASSERT_FALSE(DurableLedger::open(options_for(directory_)).has_value());
    }
    EXPECT_EQ(test::files_in(directory_), before);
    expect_stands_at(*must_open(options_for(directory_)), twin_, 0);
}

/// Before, it was removed and begun again.
TEST_F(DurableFailureTest, what_was_restored_stays_where_it_cannot_be_opened_for_now) {
    constexpr std::size_t kMemory = std::size_t{32} << 20;
    {
        auto fresh = NewDatabase::create(directory_, kMemory, NewDatabase::Maker::restorer);
        ASSERT_TRUE(fresh.has_value());
        WriteBatch batch = fresh->database().batch();
        batch.put(Table::codes, Bytes{1}, Bytes{2});
        ASSERT_TRUE(fresh->database().write(batch, true).has_value());
    }
    {
        const FileSizeLimit limit(0);
        EXPECT_FALSE(NewDatabase::resume(directory_, kMemory).has_value());
    }
    auto resumed = NewDatabase::resume(directory_, kMemory);
    ASSERT_TRUE(resumed.has_value() && resumed->has_value());
    EXPECT_EQ((*resumed)->database().get(Table::codes, Bytes{1}), Bytes{2});
}

TEST_F(DurableFailureTest, openings_without_a_write_leave_no_logs) {
    must_create(options_for(directory_)).reset();
    for (int i = 0; i < 3; ++i)
        must_open(options_for(directory_)).reset();
    for (const std::string& file : test::files_in(directory_))
        EXPECT_FALSE(file.ends_with(".log")) << file;
    expect_stands_at(*must_open(options_for(directory_)), twin_, 0);
}

TEST_F(DurableFailureTest, missing_or_damaged_marks_are_named) {
    make(3);
    const auto damaged_mark = [&](schema::Meta key, const std::optional<Bytes>& value) {
        auto database = Database::open({.directory = directory_ + "/ledger"});
        const Bytes before = **(*database)->get(Table::meta, schema::meta_key(key));
        database->reset();
        damage(Table::meta, schema::meta_key(key), value);
        const std::string error = open_error();
        damage(Table::meta, schema::meta_key(key), before);
        return error;
    };
    for (const schema::Meta key : {schema::Meta::head, schema::Meta::state_block,
                                   schema::Meta::first_block, schema::Meta::first_history}) {
        EXPECT_FALSE(damaged_mark(key, std::nullopt).empty());
        EXPECT_FALSE(damaged_mark(key, Bytes{1, 2, 3}).empty());
    }
    EXPECT_FALSE(damaged_mark(schema::Meta::state_block, schema::number_key(4)).empty());
    EXPECT_FALSE(damaged_mark(schema::Meta::first_block, schema::number_key(4)).empty());
    for (const std::uint64_t number : {0u, 5u})
        EXPECT_FALSE(damaged_mark(schema::Meta::first_history, schema::number_key(number)).empty());
    expect_stands_at(*must_open(options_for(directory_)), twin_, 3);
}

TEST_F(DurableFailureTest, damaged_header_is_named) {
    make(5);
    damage(Table::headers, schema::number_key(3), Bytes{1});
    EXPECT_NE(open_error().find("block 3"), std::string::npos);
    damage(Table::headers, schema::number_key(3), std::nullopt);
    EXPECT_NE(open_error().find("block 3"), std::string::npos);
}

TEST_F(DurableFailureTest, a_block_of_which_a_part_is_missing_is_damage_and_not_unknown) {
    make(260);
    // Opening reads the last 256 headers.
    damage(Table::headers, schema::number_key(2), std::nullopt);
    damage(Table::bodies, schema::number_key(3), std::nullopt);
    damage(Table::receipts, schema::number_key(4), std::nullopt);
    const auto ledger = must_open(options_for(directory_));

    const auto header = ledger->header(2);
    ASSERT_FALSE(header.has_value());
    EXPECT_EQ(header.error().code, LedgerErrorCode::corrupt);
    for (const std::uint64_t number : {2u, 3u, 4u}) {
        const auto block = ledger->block(number);
        ASSERT_FALSE(block.has_value()) << number;
        EXPECT_EQ(block.error().code, LedgerErrorCode::corrupt);
        EXPECT_NE(block.error().detail.find("block " + std::to_string(number)), std::string::npos);
    }
    EXPECT_TRUE(ledger->block(5).value().has_value());
    EXPECT_FALSE(ledger->block(261).value().has_value());
    EXPECT_FALSE(ledger->header(261).value().has_value());
}

/// A process that was killed between blocks and checkpoint, and changes that are not what they
/// were.
TEST_F(DurableFailureTest, changes_that_lead_elsewhere_are_found_by_their_root) {
    auto options = options_for(directory_);
    options.checkpoint_blocks = 1000;
    auto ledger = must_create(options);
    for (int i = 0; i < 5; ++i)
        must_commit(*ledger, twin_.grow(random_));
    ASSERT_TRUE(ledger->wait_durable(5).has_value());
    const std::string copy = folder_ / "copy";
    test::copy_at_one_moment(directory_, copy);
    ledger.reset();
    fs::remove_all(directory_);
    fs::rename(copy, directory_);
    const Bytes key = schema::number_key(4);
    auto database = Database::open({.directory = directory_ + "/ledger"});
    auto changes = schema::decode_changes(**(*database)->get(Table::changes, key));
    database->reset();
    ASSERT_TRUE(changes.has_value());
    changes->accounts.push_back(
        {address_from_low64(99), std::nullopt, AccountRecord{Account{1, 1}}, {}});
    Bytes wrong;
    schema::encode_changes(*changes, wrong);

    damage(Table::changes, key, wrong);

    EXPECT_NE(open_error().find("block 4"), std::string::npos);
    damage(Table::changes, key, std::nullopt);
    EXPECT_NE(open_error().find("block 4"), std::string::npos);
    changes->accounts.pop_back();
    Bytes right;
    schema::encode_changes(*changes, right);
    damage(Table::changes, key, right);
    const auto opened = must_open(options_for(directory_));
    EXPECT_EQ(opened->open_report().state_block, 0u);
    expect_stands_at(*opened, twin_, 5);
}

// Before, the disk had failed, or the ledger was damaged.
TEST_F(DurableFailureTest, a_folder_that_goes_away_is_named_as_that) {
    const auto ledger = must_create(options_for(directory_));
    must_commit(*ledger, twin_.grow(random_));
    fs::remove_all(directory_);

    const auto closed = ledger->close();

    ASSERT_FALSE(closed.has_value());
    EXPECT_EQ(closed.error().code, LedgerErrorCode::removed);
    EXPECT_TRUE(to_string(closed.error()).starts_with("the folder was removed while it was in use"))
        << to_string(closed.error());
}

TEST_F(DurableFailureTest, damaged_value_of_the_state_is_reported_and_never_answered) {
    make(5);
    Address address;
    twin_.state(5).for_each_account([&](const Address& at, const Account&) { address = at; });
    const Hash key = schema::hash_of(address);
    damage(Table::accounts, Bytes(key.bytes.begin(), key.bytes.end()), Bytes{1, 2, 3});
    const auto read = [&] {
        auto options = options_for(directory_);
        options.on_read_failure = [this](const LedgerError& error) {
            std::fputs(to_string(error).c_str(), stderr);
            // This process has made a ledger of its own, and nothing is destroyed.
            std::filesystem::remove_all(folder_.path());
            std::_Exit(7);
        };
        const auto ledger = DurableLedger::open(options);
        ASSERT_TRUE(ledger.has_value()) << to_string(ledger.error());
        (void)(*ledger)->state().account(address);
    };
    // The database has threads, which a forked process would miss.
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(read(), testing::ExitedWithCode(7), to_string(address));
}

}  // namespace
}  // namespace heddle::ledger
