// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Taking blocks back and dropping history: what is left is what a ledger that never had more
// holds, byte for byte, also when the work was interrupted.

#include <gtest/gtest.h>

#include <ledger/maintenance.hpp>

#include "durable/records.hpp"
#include "tools_chain.hpp"

namespace heddle::ledger {
namespace {

using test::ToolsChain;

class RollbackTest : public testing::Test {
protected:
    /// A ledger of `head` blocks, left as a crash leaves it: with blocks above the last checkpoint.
    void make_crashed(std::uint64_t head, std::uint64_t checkpoint) {
        auto options = test::tools_options(directory_ + ".open");
        test::make_ledger(options, chain_, checkpoint);
        options.checkpoint_blocks = 1'000'000;
        auto opened = DurableLedger::open(options);
        ASSERT_TRUE(opened.has_value());
        test::commit_through(**opened, chain_, head);
        ASSERT_TRUE((*opened)->wait_durable(head).has_value());
        test::copy_ledger(options.directory, directory_);
    }
    [[nodiscard]] std::string twin(std::uint64_t head) {
        const std::string directory = folder_ / ("twin" + std::to_string(head));
        if (!DurableLedger::exists(directory)) test::make_ledger(directory, chain_, head);
        return directory;
    }
    [[nodiscard]] std::expected<RollbackReport, LedgerError> roll_back(std::uint64_t to) const {
        return rollback(test::maintenance_options(directory_), to);
    }

    test::Random random_{41};
    const ToolsChain chain_{random_, 150};
    test::TemporaryFolder folder_;
    const std::string directory_ = folder_ / "data";
};

TEST_F(RollbackTest, leaves_what_a_ledger_of_fewer_blocks_holds) {
    for (const std::uint64_t to : {149u, 130u, 64u, 1u, 0u}) {
        test::make_ledger(directory_, chain_, 150);

        const auto report = roll_back(to);

        ASSERT_TRUE(report.has_value()) << to_string(report.error());
        EXPECT_EQ(report->from, 150u);
        EXPECT_EQ(report->to, to);
        if (to != 0) EXPECT_EQ(report->head_hash, header_hash(chain_.block(to).block.header));
        test::expect_same_tables(directory_, twin(to));
        std::filesystem::remove_all(directory_);
    }
}

TEST_F(RollbackTest, an_open_ledger_that_goes_back_leaves_the_same) {
    for (const std::uint64_t to : {149u, 130u, 119u, 64u, 0u}) {
        test::make_ledger(directory_, chain_, 120);
        auto opened = DurableLedger::open(test::tools_options(directory_));
        ASSERT_TRUE(opened.has_value()) << to_string(opened.error());
        test::commit_through(**opened, chain_, 150);

        const auto done = (*opened)->rewind(to);

        ASSERT_TRUE(done.has_value()) << to_string(done.error());
        // What comes afterwards is taken back as well.
        if (to != 0) test::commit_through(**opened, chain_, 150);
        ASSERT_TRUE((*opened)->rewind(to).has_value());
        ASSERT_TRUE((*opened)->close().has_value());
        opened->reset();
        test::expect_sound(directory_, to);
        test::expect_same_tables(directory_, twin(to));
        std::filesystem::remove_all(directory_);
    }
}

TEST_F(RollbackTest, goes_below_and_above_the_state_on_disk) {
    for (const std::uint64_t to : {149u, 120u, 119u, 80u}) {
        make_crashed(150, 120);

        const auto report = roll_back(to);

        ASSERT_TRUE(report.has_value()) << to_string(report.error());
        test::expect_sound(directory_, to);
        // Opening and closing brings the tables to the head.
        auto opened = DurableLedger::open(test::tools_options(directory_));
        ASSERT_TRUE(opened.has_value()) << to_string(opened.error());
        ASSERT_TRUE((*opened)->close().has_value());
        opened->reset();
        test::expect_same_tables(directory_, twin(to));
        std::filesystem::remove_all(directory_ + ".open");
    }
}

TEST_F(RollbackTest, the_same_chain_goes_on_from_there) {
    test::make_ledger(directory_, chain_, 150);
    ASSERT_TRUE(roll_back(37).has_value());

    {
        auto opened = DurableLedger::open(test::tools_options(directory_));
        ASSERT_TRUE(opened.has_value());
        test::commit_through(**opened, chain_, 150);
        ASSERT_TRUE((*opened)->close().has_value());
    }

    test::expect_same_tables(directory_, twin(150));
    test::expect_sound(directory_, 150);
}

TEST_F(RollbackTest, interrupted_leaves_a_ledger_and_is_finished_by_the_same_call) {
    for (const bool is_crashed : {false, true}) {
        if (is_crashed)
            make_crashed(150, 145);
        else
            test::make_ledger(directory_, chain_, 150);
        std::vector<std::string> copies;
        MaintenanceOptions options = test::maintenance_options(directory_);
        options.on_progress = [&](std::string_view, std::uint64_t, std::uint64_t) {
            copies.push_back(folder_ / ("copy" + std::to_string(copies.size())));
            test::copy_ledger(directory_, copies.back());
        };

        ASSERT_TRUE(rollback(options, 3).has_value());

        EXPECT_GE(copies.size(), 3u);
        for (const std::string& copy : copies) {
            const auto found = statistics(test::maintenance_options(copy));
            ASSERT_TRUE(found.has_value()) << to_string(found.error());
            test::expect_sound(copy, found->head);
            const auto finished = rollback(test::maintenance_options(copy), 3);
            ASSERT_TRUE(finished.has_value()) << to_string(finished.error());
            EXPECT_EQ(finished->from, found->head);
            test::expect_same_tables(copy, twin(3));
        }
        std::filesystem::remove_all(directory_);
        std::filesystem::remove_all(directory_ + ".open");
    }
}

TEST_F(RollbackTest, above_the_head_or_below_the_history_is_refused) {
    test::make_ledger(directory_, chain_, 40);
    ASSERT_TRUE(prune(test::maintenance_options(directory_), 20).has_value());

    const auto above = roll_back(41);
    const auto below = roll_back(19);

    ASSERT_FALSE(above.has_value());
    EXPECT_EQ(above.error().code, LedgerErrorCode::invalid);
    EXPECT_NE(to_string(above.error()).find("the head is block 40"), std::string::npos);
    ASSERT_FALSE(below.has_value());
    EXPECT_EQ(below.error().code, LedgerErrorCode::unavailable);
    EXPECT_NE(to_string(below.error()).find("down to block 20"), std::string::npos);
    test::expect_sound(directory_, 40);
    ASSERT_TRUE(roll_back(20).has_value());
    test::expect_sound(directory_, 20);
}

TEST_F(RollbackTest, to_the_head_changes_nothing) {
    test::make_ledger(directory_, chain_, 40);
    const auto before = test::dump(directory_);

    ASSERT_TRUE(roll_back(40).has_value());

    EXPECT_EQ(test::dump(directory_), before);
}

TEST_F(RollbackTest, changes_that_lead_elsewhere_are_not_followed) {
    test::make_ledger(directory_, chain_, 40);
    {
        auto database = open_database(directory_, std::size_t{16} << 20);
        ASSERT_TRUE(database.has_value());
        auto changes = read_changes(**database, 40);
        ASSERT_TRUE(changes.has_value());
        for (AccountUpdate& update : (*changes)->accounts)
            if (update.before.has_value()) update.before->account.nonce += 1;
        Bytes bytes;
        schema::encode_changes(**changes, bytes);
        WriteBatch batch = (*database)->batch();
        batch.put(Table::changes, schema::number_key(40), bytes);
        ASSERT_TRUE((*database)->write(batch, true).has_value());
    }
    const auto before = test::dump(directory_);

    const auto report = roll_back(39);

    ASSERT_FALSE(report.has_value());
    EXPECT_EQ(report.error().code, LedgerErrorCode::corrupt);
    EXPECT_NE(to_string(report.error()).find("block 39"), std::string::npos);
    EXPECT_EQ(test::dump(directory_), before);
}

TEST_F(RollbackTest, pruning_keeps_what_is_needed_from_a_block_on) {
    test::make_ledger(directory_, chain_, 100);

    const auto report = prune(test::maintenance_options(directory_), 90);

    ASSERT_TRUE(report.has_value()) << to_string(report.error());
    EXPECT_EQ(report->first_state_before, 0u);
    EXPECT_EQ(report->first_state, 90u);
    auto tables = test::dump(directory_);
    EXPECT_EQ(tables["changes"].size(), 10u);
    test::expect_sound(directory_, 100);
    auto opened = DurableLedger::open(test::tools_options(directory_));
    ASSERT_TRUE(opened.has_value());
    EXPECT_EQ((*opened)->first_state(), 90u);
    EXPECT_TRUE((*opened)->state_at(90).has_value());
    EXPECT_FALSE((*opened)->state_at(89).has_value());
}

TEST_F(RollbackTest, pruning_drops_the_oldest_access_lists_wherever_history_begins) {
    test::make_ledger(directory_, chain_, 100);
    {
        auto database = open_database(directory_, std::size_t{16} << 20);
        ASSERT_TRUE(database.has_value());
        WriteBatch batch = (*database)->batch();
        for (std::uint64_t number = 1; number <= 100; ++number)
            batch.put(Table::access_lists, schema::number_key(number), Bytes{0xc0});
        ASSERT_TRUE((*database)->write(batch, true).has_value());
    }
    const auto kept = [&] { return test::dump(directory_)["access_lists"].size(); };

    const auto dropped = [&](std::uint64_t first_state) {
        const auto report = prune(test::maintenance_options(directory_), first_state);
        EXPECT_TRUE(report.has_value());
        return report.has_value() ? report->access_lists : ~std::uint64_t{0};
    };

    EXPECT_EQ(dropped(90), 90u);
    EXPECT_EQ(kept(), 10u) << "91 to 100";
    EXPECT_EQ(dropped(80), 0u);
    EXPECT_EQ(kept(), 10u);
    EXPECT_EQ(dropped(95), 5u);
    EXPECT_EQ(kept(), 5u);
    EXPECT_EQ(dropped(100), 5u);
    EXPECT_EQ(kept(), 0u);
    test::expect_sound(directory_, 100);  // in which these lists would be wrong
}

TEST_F(RollbackTest, pruning_to_the_head_of_a_crashed_ledger_settles_it_first) {
    make_crashed(100, 60);

    const auto report = prune(test::maintenance_options(directory_), 100);

    ASSERT_TRUE(report.has_value()) << to_string(report.error());
    EXPECT_EQ(report->first_state, 100u);
    auto tables = test::dump(directory_);
    EXPECT_TRUE(tables["changes"].empty());
    EXPECT_TRUE(tables["history"].empty());
    test::expect_sound(directory_, 100);
}

TEST_F(RollbackTest, pruning_interrupted_leaves_a_ledger_and_goes_on) {
    test::make_ledger(directory_, chain_, 150);
    std::vector<std::string> copies;
    MaintenanceOptions options = test::maintenance_options(directory_);
    options.on_progress = [&](std::string_view, std::uint64_t, std::uint64_t) {
        copies.push_back(folder_ / ("copy" + std::to_string(copies.size())));
        test::copy_ledger(directory_, copies.back());
    };

    ASSERT_TRUE(prune(options, 149).has_value());

    EXPECT_GE(copies.size(), 3u);
    for (const std::string& copy : copies) {
        test::expect_sound(copy, 150);
        ASSERT_TRUE(prune(test::maintenance_options(copy), 149).has_value());
        test::expect_same_tables(copy, directory_);
    }
}

TEST_F(RollbackTest, compaction_changes_no_record) {
    test::make_ledger(directory_, chain_, 60);
    const auto before = test::dump(directory_);

    ASSERT_TRUE(compact(test::maintenance_options(directory_)).has_value());

    EXPECT_EQ(test::dump(directory_), before);
    const auto found = statistics(test::maintenance_options(directory_));
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->head, 60u);
    EXPECT_EQ(found->state_block, 60u);
    EXPECT_EQ(found->head_hash, header_hash(chain_.block(60).block.header));
    EXPECT_EQ(found->state_root, chain_.block(60).block.header.state_root);
    EXPECT_EQ(found->tables.size(), kTableCount);
}

TEST_F(RollbackTest, compaction_erases_the_code_of_blocks_taken_back) {
    test::make_ledger(directory_, chain_, 150);
    ASSERT_TRUE(roll_back(20).has_value());
    auto left = test::dump(directory_);
    const std::size_t left_behind = left["codes"].size();

    ASSERT_TRUE(compact(test::maintenance_options(directory_)).has_value());

    auto tables = test::dump(directory_);
    EXPECT_LT(tables["codes"].size(), left_behind);
    EXPECT_TRUE(tables["codes"] == test::dump(twin(20))["codes"]);
    test::expect_same_tables(directory_, twin(20));
    test::expect_sound(directory_, 20);
}

/// The states of old blocks have code that no account of the head's state has, and blocks above the
/// state on the disk have code that no account in the tables has.
TEST_F(RollbackTest, compaction_keeps_the_code_of_every_state_that_can_be_read) {
    make_crashed(150, 60);
    const auto before = test::dump(directory_);

    ASSERT_TRUE(compact(test::maintenance_options(directory_)).has_value());

    EXPECT_EQ(test::dump(directory_), before);
    test::expect_sound(directory_, 150);
}

TEST_F(RollbackTest, a_folder_without_a_ledger_is_named) {
    for (const auto& error : {rollback(test::maintenance_options(folder_ / "none"), 0).error(),
                              prune(test::maintenance_options(folder_ / "none"), 0).error(),
                              statistics(test::maintenance_options(folder_ / "none")).error()}) {
        EXPECT_EQ(error.code, LedgerErrorCode::not_found);
        EXPECT_NE(to_string(error).find("none"), std::string::npos);
    }
}

}  // namespace
}  // namespace heddle::ledger
