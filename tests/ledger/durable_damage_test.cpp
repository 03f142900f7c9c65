// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A record that cannot be read, one after the other, under whatever moves the tries: the ledger
// says so, refuses what would follow from half a move, and keeps what it has stored as it was.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <ledger/durable_ledger.hpp>

#include "broken_file.hpp"
#include "durable/opening.hpp"
#include "storage/database.hpp"
#include "storage/schema.hpp"
#include "temporary_folder.hpp"
#include "tools_chain.hpp"

namespace heddle::ledger {
namespace {

constexpr std::uint64_t kHead = 3;
/// Of the genesis block's accounts, the one with slots.
constexpr std::uint64_t kFirstAccount = 1000;
constexpr std::uint64_t kAccounts = 1000;
constexpr std::uint64_t kSlots = 600;
constexpr std::uint64_t kBearer = kFirstAccount + kAccounts - 1;

/// Every third account and slot: enough for threads to share the tries, with others between them
/// that nobody reads but to make a branch again. Some of them go, so that branches are taken out.
StateDiff diff_of(std::uint64_t number) {
    StateDiff diff;
    for (std::uint64_t i = 0; i < kAccounts; i += 3) {
        AccountChange& change = diff.accounts.emplace_back();
        change.address = address_from_low64(kFirstAccount + i);
        if (i % 4 != 0 || kFirstAccount + i == kBearer) change.account = Account{number, i};
    }
    AccountChange& bearer = diff.accounts.back();
    EXPECT_EQ(bearer.address, address_from_low64(kBearer));
    for (std::uint64_t i = 0; i < kSlots; i += 3)
        bearer.storage.push_back({1000 + i, i % 4 == 0 ? Uint256{} : Uint256{number + i}});
    return diff;
}

class DurableDamageTest : public testing::Test {
protected:
    using Records = test::TableContents;

    void SetUp() override {
        auto made = DurableLedger::create(options(base_, 1), test::ToolsChain::genesis(), {});
        ASSERT_TRUE(made.has_value()) << to_string(made.error());
        for (std::uint64_t number = 1; number <= kHead; ++number)
            ASSERT_TRUE((*made)->commit(child(**made)).has_value());
        ASSERT_TRUE((*made)->close().has_value());
    }

    /// Every block brings trie nodes along.
    [[nodiscard]] static DurableLedgerOptions options(const std::string& directory,
                                                      unsigned threads) {
        DurableLedgerOptions options = test::tools_options(directory);
        options.checkpoint_blocks = 1;
        options.threads = threads;
        return options;
    }
    [[nodiscard]] static FinishedBlock child(const DurableLedger& ledger) {
        const StoredHeader head = ledger.head();
        FinishedBlock block;
        block.block.header.number = head.header.number + 1;
        block.block.header.parent_hash = head.hash;
        block.check_state_root = false;
        block.diff = diff_of(block.block.header.number);
        return block;
    }
    [[nodiscard]] static std::unique_ptr<DurableLedger> open(const std::string& directory,
                                                             unsigned threads) {
        auto opened = DurableLedger::open(options(directory, threads));
        EXPECT_TRUE(opened.has_value()) << to_string(opened.error());
        return *std::move(opened);
    }
    /// @return all that is there then.
    static std::map<std::string, Records> write(const std::string& directory, Table table,
                                                const Bytes& key, const Bytes& value) {
        const auto database = open_database(directory, std::size_t{16} << 20);
        EXPECT_TRUE(database.has_value()) << to_string(database.error());
        WriteBatch batch = (*database)->batch();
        batch.put(table, key, value);
        EXPECT_TRUE((*database)->write(batch, true).has_value());
        return test::dump(**database);
    }
    /// What no diff reads by itself.
    [[nodiscard]] static std::map<Table, Records> records_to_damage(const std::string& directory) {
        auto tables = test::dump(directory);
        const auto of = [&](Table table) -> Records& { return tables[table_name(table)]; };
        const Bytes bearer = [] {
            const Hash hash = schema::hash_of(address_from_low64(kBearer));
            return Bytes(hash.bytes.begin(), hash.bytes.end());
        }();
        for (const AccountChange& change : diff_of(1).accounts) {
            const Hash hash = schema::hash_of(change.address);
            of(Table::accounts).erase(Bytes(hash.bytes.begin(), hash.bytes.end()));
            for (const StorageChange& write : change.storage) {
                const schema::SlotKey key(hash, schema::hash_of_slot(write.slot));
                of(Table::slots).erase(Bytes(key.view().begin(), key.view().end()));
            }
        }
        return {{Table::trie_nodes, of(Table::trie_nodes)},
                {Table::accounts, of(Table::accounts)},
                {Table::slots, of(Table::slots)}};
    }

    /// @return whether all went well; otherwise nothing is to have changed.
    using Operation = std::function<bool(DurableLedger&)>;
    /// Does it with one record after the other damaged, and again with it repaired.
    void expect_nothing_lost(const Operation& operation, unsigned threads) {
        constexpr std::size_t kRecords = 4;
        const std::string directory = folder_ / "damaged";
        const auto before = test::dump(base_);
        test::copy_ledger(base_, directory);
        ASSERT_TRUE(operation(*open(directory, threads)));
        const auto after = test::dump(directory);
        std::size_t failures = 0;
        for (const auto& [table, records] : records_to_damage(base_)) {
            ASSERT_GE(records.size(), kRecords) << table_name(table);
            const std::size_t stride = records.size() / kRecords;
            std::size_t place = 0;
            for (const auto& [key, value] : records) {
                if (place++ % stride != 0) continue;
                SCOPED_TRACE(std::string{table_name(table)} + " " + to_hex(key));
                test::copy_ledger(base_, directory);
                write(directory, table, key, {1});

                const bool is_done = operation(*open(directory, threads));

                const auto repaired = write(directory, table, key, value);
                ASSERT_TRUE(repaired == (is_done ? after : before));
                if (is_done) continue;
                ++failures;
                ASSERT_TRUE(operation(*open(directory, threads)));
            }
        }
        EXPECT_GT(failures, 2u);
    }

    test::TemporaryFolder folder_;
    const std::string base_ = folder_ / "base";
};

/// Whether it was done; otherwise the ledger is of no use for anything but its end.
bool is_done(DurableLedger& ledger, const std::expected<Hash, BlockError>& committed,
             FinishedBlock again) {
    if (committed.has_value()) return true;
    EXPECT_EQ(committed.error().code, BlockErrorCode::storage_failed);
    EXPECT_FALSE(committed.error().detail.empty());
    const auto repeated = ledger.commit(std::move(again));
    EXPECT_FALSE(repeated.has_value());
    if (!repeated.has_value()) EXPECT_EQ(repeated.error().detail, committed.error().detail);
    const std::uint64_t head = ledger.head().header.number;
    EXPECT_FALSE(ledger.prove(head, address_from_low64(kBearer), {1000}).has_value());
    EXPECT_FALSE(ledger.state_root_with(head, diff_of(9)).has_value());
    EXPECT_FALSE(ledger.close().has_value());
    return false;
}

TEST_F(DurableDamageTest, a_commit_over_damage_stores_nothing_of_half_a_move) {
    for (const unsigned threads : {1u, 4u}) {
        const auto commit = [](DurableLedger& ledger) {
            const FinishedBlock block = child(ledger);
            return is_done(ledger, ledger.commit(block), block);
        };
        expect_nothing_lost(commit, threads);
    }
}

TEST_F(DurableDamageTest, what_cannot_be_foreseen_leaves_nothing_behind) {
    const auto foresee = [](DurableLedger& ledger) {
        ledger.foresee(ledger.head().hash, diff_of(7));
        return ledger.close().has_value();
    };
    expect_nothing_lost(foresee, 4);
}

/// The same where a question has failed: no block can follow.
bool is_answered(DurableLedger& ledger, const std::expected<void, LedgerError>& answer) {
    if (answer.has_value()) return ledger.close().has_value();
    EXPECT_EQ(answer.error().code, LedgerErrorCode::corrupt) << to_string(answer.error());
    const StoredHeader head = ledger.head();
    FinishedBlock block;
    block.block.header.number = head.header.number + 1;
    block.block.header.parent_hash = head.hash;
    EXPECT_FALSE(ledger.commit(std::move(block)).has_value());
    EXPECT_FALSE(ledger.close().has_value());
    return false;
}

template <typename T>
std::expected<void, LedgerError> without_value(const std::expected<T, LedgerError>& answer) {
    if (!answer.has_value()) return std::unexpected(answer.error());
    return {};
}

TEST_F(DurableDamageTest, questions_that_move_tries_over_damage_are_answered_with_it) {
    const auto prove = [](DurableLedger& ledger) {
        return is_answered(ledger,
                           without_value(ledger.prove(1, address_from_low64(kBearer), {1000})));
    };
    expect_nothing_lost(prove, 1);
    const auto nodes = [](DurableLedger& ledger) {
        const std::vector<TrieKey> keys{
            {std::nullopt, schema::hash_of(address_from_low64(kBearer))}};
        return is_answered(ledger, without_value(ledger.trie_nodes(1, keys)));
    };
    expect_nothing_lost(nodes, 4);
    const auto root = [](DurableLedger& ledger) {
        return is_answered(ledger, without_value(ledger.state_root_with(2, diff_of(9))));
    };
    expect_nothing_lost(root, 4);
}

TEST_F(DurableDamageTest, changes_that_lead_elsewhere_are_damage) {
    const std::string directory = folder_ / "changed";
    test::copy_ledger(base_, directory);
    const Bytes key = schema::number_key(kHead);
    auto changes = schema::decode_changes(test::dump(base_)["changes"][key]);
    ASSERT_TRUE(changes.has_value());
    changes->accounts.front().before->account.balance += Uint256{1};
    Bytes wrong;
    schema::encode_changes(*changes, wrong);
    write(directory, Table::changes, key, wrong);
    const auto ledger = open(directory, 1);

    const auto proof = ledger->prove(kHead - 1, address_from_low64(kBearer), {});

    ASSERT_FALSE(proof.has_value());
    EXPECT_EQ(proof.error().code, LedgerErrorCode::corrupt) << to_string(proof.error());
    EXPECT_NE(proof.error().detail.find("block 2"), std::string::npos) << proof.error().detail;
    EXPECT_FALSE(ledger->commit(child(*ledger)).has_value());
}

TEST_F(DurableDamageTest, a_held_block_is_published_though_a_question_has_failed_meanwhile) {
    const std::string directory = folder_ / "held";
    std::size_t failures = 0;
    for (const auto& [key, value] : records_to_damage(base_)[Table::accounts]) {
        SCOPED_TRACE(to_hex(key));
        test::copy_ledger(base_, directory);
        write(directory, Table::accounts, key, {1});
        {
            const auto ledger = open(directory, 1);
            FinishedBlock block = child(*ledger);
            block.diff.accounts.resize(1);
            if (!ledger->stage(std::move(block)).has_value()) continue;
            if (ledger->prove(1, address_from_low64(kBearer), {}).has_value()) continue;
            ++failures;

            ledger->publish();

            EXPECT_EQ(ledger->head().header.number, kHead + 1);
            EXPECT_FALSE(ledger->commit(child(*ledger)).has_value());
            EXPECT_FALSE(ledger->close().has_value());
        }
        write(directory, Table::accounts, key, value);
        EXPECT_EQ(open(directory, 1)->head().header.number, kHead + 1);
        if (failures == 3) break;
    }
    EXPECT_EQ(failures, 3u);
}

TEST_F(DurableDamageTest, blocks_that_cannot_be_taken_back_stay) {
    const auto rewind = [](DurableLedger& ledger) {
        const auto done = ledger.rewind(1);
        if (done.has_value()) return ledger.close().has_value();
        EXPECT_EQ(done.error().code, LedgerErrorCode::corrupt) << to_string(done.error());
        EXPECT_FALSE(ledger.commit(child(ledger)).has_value());
        EXPECT_FALSE(ledger.close().has_value());
        return false;
    };
    expect_nothing_lost(rewind, 4);
}

/// Values in memory, or of another height, stood for what could not be read.
TEST_F(DurableDamageTest, a_walk_that_a_read_ends_says_so_before_it_tells_what_lies_behind) {
    const auto ledger = open(base_, 1);
    std::map<Hash, Address> keys;
    for (std::uint64_t i = 0; i < kAccounts; ++i) {
        const Address address = address_from_low64(kFirstAccount + i);
        keys.emplace(schema::hash_of(address), address);
    }
    FinishedBlock block = child(*ledger);
    block.diff.accounts.clear();
    for (const auto& [hash, address] : {*keys.begin(), *keys.rbegin()})
        block.diff.accounts.emplace_back().address = address;
    for (AccountChange& change : block.diff.accounts)
        change.account = Account{77, 77};
    ASSERT_TRUE(ledger->commit(block).has_value());
    const auto now = ledger->state_at(kHead + 1);
    const auto past = ledger->state_at(1);
    ASSERT_TRUE(now.has_value() && past.has_value());
    for (const auto& entry : std::filesystem::directory_iterator(base_ + "/ledger"))
        if (entry.path().extension() == ".sst")
            test::break_open_file(std::filesystem::canonical(entry.path()));

    const auto walked = (*now)->visit_accounts({}, [&](const VisitedAccount& account) {
        return account.key.hash != keys.rbegin()->first;
    });
    const Hash& middle = std::next(keys.begin(), kAccounts / 2)->first;
    const auto begun = (*past)->visit_accounts(
        {}, [&](const VisitedAccount& account) { return account.key.hash < middle; });

    ASSERT_FALSE(walked.has_value());
    EXPECT_EQ(walked.error().code, LedgerErrorCode::io_error);
    ASSERT_FALSE(begun.has_value());
    EXPECT_EQ(begun.error().code, LedgerErrorCode::io_error);
}

}  // namespace
}  // namespace heddle::ledger
