// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Verification: sound ledgers pass, and whatever record is changed, removed or added is found and
// named by its table.

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include <gtest/gtest.h>

#include "damaged_ledger.hpp"
#include "durable/records.hpp"
#include "durable/trie_tables.hpp"
#include "tools/state_walk.hpp"
#include "tools_chain.hpp"

namespace heddle::ledger {
namespace {

using test::ToolsChain;

class VerifyTest : public test::DamagedLedger {};

/// How many nodes of the tries the store has as the leaves make them, of how many.
std::pair<std::size_t, std::size_t> count_current_nodes(const std::string& directory) {
    const auto database = open_database(directory, std::size_t{16} << 20);
    EXPECT_TRUE(database.has_value());
    const TrieTables tables(**database);
    std::size_t current = 0;
    StateWalkOptions options;
    options.on_node = [&](const Hash& owner, NibblesView path,
                          BytesView node) -> std::optional<std::string> {
        const auto stored = tables.read_node(owner, path).value();
        current += stored.has_value() && equal(*stored, node) ? 1 : 0;
        return std::nullopt;
    };
    StateWalkCounts counts;
    EXPECT_TRUE(walk_state(**database, options, [](const std::string&) {}, counts).has_value());
    return {current, counts.trie_nodes};
}

/// Small branches are stored late: a kill leaves some behind, which no reader minds, closing none.
TEST_F(VerifyTest, what_a_kill_leaves_is_sound_though_small_branches_are_behind) {
    const std::string used = folder_ / "used";
    auto made = DurableLedger::create(test::tools_options(used), ToolsChain::genesis(), Bytes{7});
    ASSERT_TRUE(made.has_value());
    test::commit_through(**made, chain_, kHead);
    ASSERT_TRUE((*made)->wait_durable(kHead).has_value());
    test::copy_ledger(used, directory_);
    made->reset();

    const auto [left_by_kill, all] = count_current_nodes(directory_);
    EXPECT_LT(left_by_kill, all);
    EXPECT_TRUE(test::verify_ledger(directory_).is_good());
    const auto [left_by_closing, all_closed] = count_current_nodes(used);
    EXPECT_EQ(left_by_closing, all_closed);
    EXPECT_TRUE(test::verify_ledger(used).is_good());
    // It goes on, and closing leaves it as any other.
    auto opened = DurableLedger::open(test::tools_options(directory_));
    ASSERT_TRUE(opened.has_value());
    test::commit_through(**opened, chain_, chain_.length());
    ASSERT_TRUE((*opened)->close().has_value());
    opened->reset();
    const auto [current, all_at_end] = count_current_nodes(directory_);
    EXPECT_EQ(current, all_at_end);
    EXPECT_TRUE(test::verify_ledger(directory_).is_good());
}

TEST_F(VerifyTest, a_sound_ledger_passes_and_is_counted) {
    const VerifyReport report = test::verify_ledger(sound_);

    EXPECT_TRUE(report.is_good());
    EXPECT_EQ(report.head, kHead);
    EXPECT_EQ(report.state_block, kHead);
    EXPECT_EQ(report.blocks, kHead + 1);
    std::uint64_t transactions = 0;
    for (std::uint64_t number = 1; number <= kHead; ++number)
        transactions += chain_.block(number).block.transactions.size();
    EXPECT_EQ(report.transactions, transactions);
    EXPECT_GT(report.accounts, 1000u);
    EXPECT_GT(report.slots, 600u);
    EXPECT_GT(report.trie_nodes, 10u);
    EXPECT_GT(report.changes, 1000u);
    // The head's, as many back as there are, and samples.
    EXPECT_EQ(report.states, 1 + kHead + 8);
}

TEST_F(VerifyTest, a_ledger_just_made_passes) {
    test::make_ledger(directory_, chain_, 0);
    test::expect_sound(directory_, 0);
}

TEST_F(VerifyTest, blocks_above_the_state_on_disk_are_brought_forward) {
    auto options = test::tools_options(directory_ + ".open");
    options.checkpoint_blocks = 1'000'000;
    auto made = DurableLedger::create(options, ToolsChain::genesis(), Bytes{7});
    ASSERT_TRUE(made.has_value());
    test::commit_through(**made, chain_, kHead);
    ASSERT_TRUE((*made)->wait_durable(kHead).has_value());
    test::copy_ledger(options.directory, directory_);

    const VerifyReport report = test::verify_ledger(directory_);

    EXPECT_TRUE(report.is_good());
    EXPECT_EQ(report.head, kHead);
    EXPECT_LT(report.state_block, kHead);
    EXPECT_GE(report.states, kHead - report.state_block);
}

TEST_F(VerifyTest, any_record_removed_is_missed) {
    for (std::size_t i = 0; i < kTableCount; ++i) {
        const auto table = static_cast<Table>(i);
        if (table == Table::object_sets || table == Table::access_lists) continue;  // optional
        damage([&](Database& database, WriteBatch& batch) {
            // Of the marks that of the head, of nodes the root of all accounts, for smaller ones
            // may be missing, of blocks one in the middle.
            const std::size_t nth = table == Table::meta ? 1 : table == Table::trie_nodes ? 0 : 5;
            batch.erase(table, table == Table::codes ? code_in_use(database)
                                                     : pick(database, table, nth).first);
        });
        const VerifyReport report = test::verify_ledger(directory_);
        EXPECT_FALSE(report.is_good()) << table_name(table);
    }
}

TEST_F(VerifyTest, any_byte_changed_is_found) {
    for (std::size_t i = 0; i < 3 * kTableCount; ++i) {
        const auto table = static_cast<Table>(i % kTableCount);
        // Of these, another value is as good.
        if (table == Table::object_sets || table == Table::meta) continue;
        std::string name;
        damage([&](Database& database, WriteBatch& batch) {
            auto [key, value] = pick(database, table, random_.below(20));
            // Records of blocks without transactions are empty.
            if (value.empty()) return;
            const std::size_t place = random_.below(value.size());
            value[place] ^= static_cast<std::uint8_t>(1 + random_.below(255));
            batch.put(table, key, value);
            name = std::string{table_name(table)} + " " + to_hex(key) + " byte " +
                   std::to_string(place);
        });
        if (name.empty()) continue;
        EXPECT_FALSE(test::verify_ledger(directory_).is_good()) << name;
    }
}

TEST_F(VerifyTest, what_is_in_no_block_and_no_state_is_found) {
    damage([](Database&, WriteBatch& batch) {
        Bytes place;
        schema::encode_place({kHead + 1, 0}, place);
        batch.put(Table::transactions, keccak256(Bytes{1}).view(), place);
    });
    expect_found("table transactions");
    damage([](Database&, WriteBatch& batch) {
        batch.put(Table::block_numbers, keccak256(Bytes{1}).view(), schema::number_key(3));
    });
    expect_found("table block_numbers");
    damage([](Database&, WriteBatch& batch) {
        Bytes entry;
        schema::encode_slot_entry(1, 1, entry);
        const schema::SlotKey key(keccak256(Bytes{1}), schema::hash_of_slot(1));
        batch.put(Table::slots, key.view(), entry);
    });
    expect_found("the slot has no account");
    damage([](Database&, WriteBatch& batch) {
        Bytes entry;
        schema::encode_account_entry(address_from_low64(77'777), {}, entry);
        batch.put(Table::accounts, schema::hash_of(address_from_low64(77'777)).view(), entry);
    });
    expect_found("the state root is");
    damage([](Database& database, WriteBatch& batch) {
        auto [key, value] = pick(database, Table::trie_nodes, 3);
        key.back() += 1;
        batch.put(Table::trie_nodes, key, value);
    });
    expect_found("table trie_nodes");
    damage([](Database&, WriteBatch& batch) {
        batch.put(Table::bodies, schema::number_key(kHead + 1), Bytes{1});
    });
    expect_found("table bodies");
    for (const Bytes& key : {Bytes{}, Bytes(7, 0)}) {
        damage([&](Database&, WriteBatch& batch) { batch.put(Table::senders, key, Bytes{1}); });
        expect_found("table senders");
    }
    damage([](Database&, WriteBatch& batch) {
        batch.put(Table::history,
                  schema::history_key(schema::hash_of(address_from_low64(1)).view(), kHead + 7),
                  {});
    });
    expect_found("table history");
}

TEST_F(VerifyTest, a_list_that_no_header_claims_is_held_against_the_changes) {
    std::uint64_t number = kHead;
    while (chain_.block(number).block.header.block_access_list_hash.has_value() ||
           chain_.block(number).diff.accounts.empty())
        --number;
    const auto store = [&](const Bytes& list) {
        damage([&](Database&, WriteBatch& batch) {
            batch.put(Table::access_lists, schema::number_key(number), list);
        });
    };
    // As the changes say; what is no change is not named.
    BlockAccessList list;
    {
        const auto database = open_database(sound_, std::size_t{16} << 20);
        ASSERT_TRUE(database.has_value());
        const auto changes = read_changes(**database, number).value().value();
        for (const AccountUpdate& update : changes.accounts) {
            ListedAccount& listed = list.accounts.emplace_back();
            listed.address = update.address;
            const Account after = update.after.value_or(AccountRecord{}).account;
            listed.balance_changes = {{0, after.balance}};
            listed.nonce_changes = {{0, after.nonce}};
            Bytes code;
            if (after.has_code())
                code = (*database)->get(Table::codes, after.code_hash.view()).value().value();
            listed.code_changes = {{0, code}};
            for (const SlotUpdate& slot : update.slots)
                listed.storage_changes.push_back({slot.slot, {{0, slot.after}}});
        }
    }
    Bytes encoded;
    encode_block_access_list(list, encoded);
    store(encoded);
    const VerifyReport report = test::verify_ledger(directory_);
    EXPECT_TRUE(report.is_good()) << report.problems.front();

    list.accounts.back().balance_changes.front().value += 1;
    Bytes wrong;
    encode_block_access_list(list, wrong);
    store(wrong);
    expect_found("leads to another balance");
    store(Bytes{0xc1, 0x80});
    expect_found("table access_lists");
    std::ranges::reverse(list.accounts);
    Bytes unordered;
    encode_block_access_list(list, unordered);
    store(unordered);
    expect_found("table access_lists");
}

TEST_F(VerifyTest, a_wrong_sender_is_found_where_asked_for) {
    std::uint64_t number = kHead;
    while (chain_.block(number).block.transactions.empty())
        --number;
    damage([&](Database&, WriteBatch& batch) {
        auto transactions = chain_.block(number).block.transactions;
        transactions[0].sender = address_from_low64(1);
        Bytes senders;
        schema::encode_senders(transactions, senders);
        batch.put(Table::senders, schema::number_key(number), senders);
    });
    expect_found("has another sender");
    VerifyOptions quick;
    quick.ledger = test::maintenance_options(directory_);
    EXPECT_TRUE(verify(quick)->is_good());
}

TEST_F(VerifyTest, problems_are_counted_beyond_those_kept) {
    damage([](Database& database, WriteBatch& batch) {
        for (std::size_t i = 0; i < 30; ++i)
            batch.erase(Table::accounts, pick(database, Table::accounts, 10 * i).first);
        for (std::uint64_t number = 3; number < 30; ++number)
            batch.erase(Table::receipts, schema::number_key(number));
    });
    VerifyOptions options;
    options.ledger = test::maintenance_options(directory_);
    options.max_problems = 5;

    const auto report = verify(options);

    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(report->problems.size(), 5u);
    EXPECT_GE(report->problem_count, 27u);
}

TEST_F(VerifyTest, files_with_a_flipped_byte_are_found) {
    // In a table file, which the records above do not read.
    {
        auto database = open_database(sound_, std::size_t{16} << 20);
        ASSERT_TRUE(database.has_value());
        for (std::size_t i = 0; i < kTableCount; ++i)
            ASSERT_TRUE((*database)->compact(static_cast<Table>(i)).has_value());
    }
    std::size_t tried = 0;
    for (const auto& entry : std::filesystem::directory_iterator(sound_ + "/ledger")) {
        if (entry.path().extension() != ".sst") continue;
        test::copy_ledger(sound_, directory_);
        const auto path = std::filesystem::path(directory_) / "ledger" / entry.path().filename();
        std::FILE* const file = std::fopen(path.c_str(), "r+b");
        ASSERT_NE(file, nullptr);
        std::fseek(file, 40, SEEK_SET);
        const int byte = std::fgetc(file);
        std::fseek(file, 40, SEEK_SET);
        std::fputc(byte ^ 0x10, file);
        std::fclose(file);
        VerifyOptions options;
        options.ledger = test::maintenance_options(directory_);

        const auto report = verify(options);

        // Refused at once, or found.
        if (report.has_value()) EXPECT_FALSE(report->is_good()) << path;
        if (++tried == 6) break;
    }
    EXPECT_GE(tried, 3u);
}

TEST_F(VerifyTest, what_is_found_does_not_depend_on_the_number_of_threads) {
    const auto verify_with = [&](unsigned threads) {
        VerifyOptions options;
        options.ledger = test::maintenance_options(directory_);
        options.ledger.threads = threads;
        options.deep = true;
        options.max_problems = 1000;
        const auto report = verify(options);
        EXPECT_TRUE(report.has_value());
        return report.value_or(VerifyReport{});
    };
    const auto expect_the_same = [&] {
        const VerifyReport alone = verify_with(1);
        EXPECT_GE(alone.problem_count, 20u);
        EXPECT_EQ(alone.problems.size(), alone.problem_count);
        for (const unsigned threads : {2u, 3u, 8u}) {
            const VerifyReport together = verify_with(threads);
            EXPECT_EQ(together.problems, alone.problems) << threads << " threads";
            EXPECT_EQ(together.blocks, alone.blocks);
            EXPECT_EQ(together.transactions, alone.transactions);
            EXPECT_EQ(together.accounts, alone.accounts);
            EXPECT_EQ(together.trie_nodes, alone.trie_nodes);
            EXPECT_EQ(together.changes, alone.changes);
        }
    };
    damage([](Database& database, WriteBatch& batch) {
        for (std::size_t i = 0; i < 20; ++i) {
            batch.erase(Table::accounts, pick(database, Table::accounts, 9 * i).first);
            batch.erase(Table::transactions, pick(database, Table::transactions, 7 * i).first);
        }
        for (std::uint64_t number = 3; number < 30; number += 2)
            batch.erase(Table::headers, schema::number_key(number));
        batch.put(Table::transactions, {}, {});
    });
    expect_the_same();
    // With the state sound, the history is followed.
    damage([](Database& database, WriteBatch& batch) {
        for (std::size_t i = 0; i < 40; ++i)
            batch.erase(Table::history, pick(database, Table::history, 31 * i).first);
    });
    expect_the_same();
}

TEST_F(VerifyTest, a_state_walked_in_parts_is_the_state_walked_as_one) {
    test::copy_ledger(sound_, directory_);
    {
        auto database = open_database(directory_, std::size_t{16} << 20);
        ASSERT_TRUE(database.has_value());
        WriteBatch batch = (*database)->batch();
        // Slots without an account, at both ends; keys of no meaning; code that is missing.
        for (const std::uint8_t first : {std::uint8_t{0}, std::uint8_t{0x7f}, std::uint8_t{0xff}})
            batch.put(Table::slots, Bytes(2 * sizeof(Hash), first), {});
        batch.put(Table::accounts, Bytes{0x80}, {});
        batch.put(Table::slots, Bytes{0xff, 0xff}, {});
        batch.erase(Table::codes, code_in_use(**database));
        ASSERT_TRUE((*database)->write(batch, true).has_value());
    }
    const auto database = open_database(directory_, std::size_t{16} << 20);
    ASSERT_TRUE(database.has_value());
    struct Walked {
        Hash root;
        StateWalkCounts counts;
        std::vector<std::string> problems;
        std::map<std::pair<Hash, std::string>, Bytes> nodes;
    };
    const auto walk = [&](unsigned threads, std::size_t part_keys,
                          std::optional<std::uint64_t> number) {
        Walked walked;
        std::mutex mutex;
        StateWalkOptions options;
        options.number = number;
        options.threads = threads;
        options.part_keys = part_keys;
        options.on_node = [&](const Hash& owner, NibblesView path,
                              BytesView node) -> std::optional<std::string> {
            const std::lock_guard lock(mutex);
            walked.nodes[{owner, to_hex(trie_node_key(owner, path))}] =
                Bytes(node.begin(), node.end());
            return std::nullopt;
        };
        const auto root = walk_state(
            **database, options,
            [&](std::string problem) { walked.problems.push_back(std::move(problem)); },
            walked.counts);
        EXPECT_TRUE(root.has_value());
        walked.root = root.value_or(Hash{});
        return walked;
    };
    for (const std::optional<std::uint64_t> number :
         {std::optional<std::uint64_t>{}, {kHead / 2}}) {
        const Walked one = walk(1, std::size_t{1} << 40, number);
        EXPECT_GE(one.problems.size(), 5u);
        EXPECT_GE(one.nodes.size(), 2u);
        EXPECT_EQ(one.nodes.size(), one.counts.trie_nodes);
        for (const unsigned threads : {1u, 2u, 5u})
            for (const std::size_t part_keys : {1u, 7u, 100u}) {
                const Walked parts = walk(threads, part_keys, number);
                EXPECT_EQ(parts.root, one.root) << threads << " threads, " << part_keys;
                EXPECT_EQ(parts.nodes, one.nodes);
                EXPECT_EQ(parts.counts.accounts, one.counts.accounts);
                EXPECT_EQ(parts.counts.slots, one.counts.slots);
                // Missing code is named once in each part that refers to it.
                EXPECT_EQ(std::set(parts.problems.begin(), parts.problems.end()).size(),
                          parts.problems.size());
                EXPECT_GE(parts.problems.size(), one.problems.size());
            }
    }
}

TEST_F(VerifyTest, states_of_the_past_have_their_roots) {
    const auto database = open_database(sound_, std::size_t{16} << 20);
    ASSERT_TRUE(database.has_value());
    for (std::uint64_t number = 1; number <= kHead; ++number) {
        StateWalkOptions options;
        options.number = number;
        StateWalkCounts counts;

        const auto root = walk_state(
            **database, options, [](const std::string& problem) { ADD_FAILURE() << problem; },
            counts);

        ASSERT_TRUE(root.has_value());
        ASSERT_EQ(*root, chain_.block(number).block.header.state_root) << "block " << number;
    }
}

}  // namespace
}  // namespace heddle::ledger
