// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Verification names every record that stands in a table without belonging there.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "damaged_ledger.hpp"
#include "storage/schema.hpp"

namespace heddle::ledger {
namespace {

/// Each table says what keys it may have: what stands there beside them is told with its key.
class StrayKeyTest : public test::DamagedLedger {
protected:
    /// Records with these keys and no sense are added to a sound ledger.
    void expect_named(Table table, const std::vector<Bytes>& keys, const Bytes& value = {1}) {
        damage([&](Database&, WriteBatch& batch) {
            for (const Bytes& key : keys)
                batch.put(table, key, value);
        });
        const VerifyReport report = test::verify_ledger(directory_);
        for (const Bytes& key : keys) {
            const std::string name =
                std::string{"table "} + table_name(table) + ", key " + to_hex(key);
            EXPECT_TRUE(std::ranges::any_of(report.problems, [&](const std::string& problem) {
                return problem.starts_with(name + ':') || problem.starts_with(name + ' ');
            })) << name;
        }
        EXPECT_GE(report.problem_count, keys.size());
    }
    static Bytes with(Bytes key, std::uint8_t last) {
        key.push_back(last);
        return key;
    }
    static Bytes bytes_of(const Hash& hash) { return {hash.bytes.begin(), hash.bytes.end()}; }
};

TEST_F(StrayKeyTest, of_marks_each_is_one_that_a_finished_ledger_has) {
    expect_named(Table::meta,
                 {{}, schema::meta_key(schema::Meta::restore), {8}, {0xff}, {0, 0}, {1, 0}});
}

TEST_F(StrayKeyTest, of_blocks_each_is_the_number_of_one_that_is_there) {
    for (const Table table : {Table::headers, Table::bodies, Table::receipts, Table::senders,
                              Table::object_sets, Table::access_lists, Table::changes})
        expect_named(table, {{},
                             Bytes(7, 0),
                             with(schema::number_key(0), 0),
                             with(schema::number_key(5), 0),
                             with(schema::number_key(33), 9),
                             with(schema::number_key(kHead), 0),
                             schema::number_key(kHead + 1),
                             schema::number_key(kHead + 2),
                             schema::number_key(UINT64_MAX)});
}

TEST_F(StrayKeyTest, all_of_them_are_named) {
    damage([&](Database&, WriteBatch& batch) {
        for (std::uint64_t number = 3; number < 9; ++number) {
            batch.put(Table::bodies, schema::number_key(kHead + number), {});
            batch.put(Table::receipts, with(schema::number_key(number), 0), {});
        }
    });
    const VerifyReport report = test::verify_ledger(directory_);
    EXPECT_EQ(report.problem_count, 12u);
}

TEST_F(StrayKeyTest, of_indexes_each_leads_to_what_it_names) {
    const Bytes key = bytes_of(keccak256(Bytes{7}));
    const std::vector<Bytes> keys{key, Bytes(key.begin(), key.end() - 1), with(key, 0), {}};
    // Whatever they say, of a block that is there or of none.
    for (const std::uint64_t number : {std::uint64_t{3}, kHead + 1}) {
        Bytes place;
        schema::encode_place({number, 0}, place);
        expect_named(Table::transactions, keys, place);
        expect_named(Table::block_numbers, keys, schema::number_key(number));
    }
    expect_named(Table::transactions, keys, {});
}

/// One that is missing does not make up for one that is there.
TEST_F(StrayKeyTest, they_are_not_only_counted) {
    const Bytes key = bytes_of(keccak256(Bytes{7}));
    Bytes place;
    schema::encode_place({3, 0}, place);
    damage([&](Database& database, WriteBatch& batch) {
        batch.erase(Table::transactions, pick(database, Table::transactions, 3).first);
        batch.erase(Table::block_numbers, pick(database, Table::block_numbers, 3).first);
        batch.put(Table::transactions, key, place);
        batch.put(Table::block_numbers, key, schema::number_key(3));
    });
    expect_found("table transactions, key " + to_hex(key) + ":");
    expect_found("table block_numbers, key " + to_hex(key) + ":");
}

TEST_F(StrayKeyTest, of_the_state_each_is_a_hash_or_two) {
    for (const std::size_t nth : {0u, 3u, 700u}) {
        const auto [account, entry] = pick_of(sound_, Table::accounts, nth);
        const auto [slot, value] = pick_of(sound_, Table::slots, nth);
        expect_named(Table::accounts, {with(account, 0), {}}, entry);
        expect_named(Table::slots,
                     {with(slot, 0), account, Bytes(slot.begin(), slot.end() - 1), {1}, {}}, value);
        // Nothing else is said to be wrong for them.
        EXPECT_EQ(test::verify_ledger(directory_).problem_count, 5u);
        expect_named(Table::codes, {account});
    }
}

TEST_F(StrayKeyTest, of_nodes_each_is_a_branch_that_the_leaves_make) {
    const auto [key, node] = pick_of(sound_, Table::trie_nodes, 3);
    Bytes deeper = key;
    deeper.back() += 1;
    const Bytes longest(33, 0);
    expect_named(Table::trie_nodes,
                 {deeper,
                  {},
                  {0},
                  {2},
                  {2, 0},
                  {1, 0},
                  with(key, 0),
                  {0, 0x12, 1},
                  with(longest, 64),
                  with(longest, 65)},
                 node);
}

TEST_F(StrayKeyTest, of_the_history_each_is_a_change_of_its_block) {
    const Hash account = schema::hash_of(address_from_low64(1005));  // no block changes it
    const schema::SlotKey slot(account, schema::hash_of_slot(1));
    std::vector<Bytes> keys{{}, {0}, {2}, Bytes(41, 2), Bytes(42, 0)};
    for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{7}, kHead, kHead + 1})
        for (const BytesView key : {account.view(), slot.view()})
            keys.push_back(schema::history_key(key, number));
    expect_named(Table::history, keys, {});
}

}  // namespace
}  // namespace heddle::ledger
