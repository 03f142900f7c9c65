// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Every byte of a small ledger, as docs/storage.md describes them. A difference is a new format:
// then schema::kFormatVersion goes up, the document follows, and HEDDLE_WRITE_VECTORS=1 writes the
// file anew.

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include <ledger/durable_ledger.hpp>

#include "storage/database.hpp"
#include "temporary_folder.hpp"

namespace heddle::ledger {
namespace {

constexpr Address kSender = address_from_low64(0x5e);
constexpr Address kContract = address_from_low64(0xc0);
constexpr Address kOtherContract = address_from_low64(0xc1);

/// Enough accounts for a stored branch, and a contract with storage and code.
Genesis small_genesis() {
    Genesis genesis;
    genesis.header.difficulty = 0x20000;
    genesis.header.gas_limit = 5'000'000;
    genesis.header.extra_data = {'h', 'i'};
    for (std::uint64_t i = 1; i <= 40; ++i)
        genesis.alloc.push_back({address_from_low64(i), 0, i, {}, {}});
    genesis.alloc.push_back({kSender, 7, Uint256::max(), {}, {}});
    genesis.alloc.push_back({kContract, 1, 0, {0x60, 0x00}, {{0, 5}, {1, 300}}});
    genesis.alloc.push_back({kOtherContract, 1, 0, {0x60, 0x00}, {{7, 8}, {256, 1}}});
    return genesis;
}

FinishedBlock child_of(const DurableLedger& ledger) {
    FinishedBlock block;
    BlockHeader& header = block.block.header;
    header.parent_hash = ledger.head().hash;
    header.number = ledger.head().header.number + 1;
    header.difficulty = 0x1ffff;
    header.gas_limit = 5'000'000;
    header.timestamp = 1000 + header.number;
    header.base_fee_per_gas = 7;
    header.withdrawals_root = kEmptyTrieRoot;
    block.block.withdrawals.emplace();
    block.check_state_root = false;
    return block;
}

/// A call with logs, a slot changed, one removed and one new, code, an ommer, a withdrawal, sets.
FinishedBlock first_block(const DurableLedger& ledger) {
    FinishedBlock block = child_of(ledger);
    Transaction tx;
    tx.type = TransactionType::dynamic_fee;
    tx.chain_id = 1;
    tx.nonce = 7;
    tx.max_fee_per_gas = 100;
    tx.max_priority_fee_per_gas = 3;
    tx.gas_limit = 60'000;
    tx.to = kContract;
    tx.value = 1000;
    tx.data = {0xde, 0xad};
    tx.r = 11;
    tx.s = 12;
    tx.sender = kSender;
    Transaction legacy;
    legacy.nonce = 8;
    legacy.gas_limit = 53'000;
    legacy.r = 13;
    legacy.s = 14;
    legacy.sender = kSender;
    block.block.transactions = {tx, legacy};
    block.block.ommers.emplace_back().number = 1;
    block.block.withdrawals->push_back({1, 2, address_from_low64(3), 4});
    Receipt receipt;
    receipt.type = tx.type;
    receipt.success = true;
    receipt.cumulative_gas_used = 40'000;
    receipt.logs.push_back({kContract, {keccak256(Bytes{1})}, {1, 2, 3}});
    Receipt before_byzantium;
    before_byzantium.cumulative_gas_used = 93'000;
    before_byzantium.post_state = keccak256(Bytes{2});
    block.receipts = {receipt, before_byzantium};
    block.object_sets.emplace_back(
        std::vector<Access>{{{kSender, ObjectKind::nonce, {}}, AccessMode::write},
                            {{kContract, ObjectKind::storage, 1}, AccessMode::read}});
    block.object_sets.emplace_back();
    block.access_list = {0xc0};
    const Bytes code{0x60, 0x01, 0x00};
    block.diff.codes.push_back({keccak256(code), code});
    block.diff.accounts.push_back({kSender, Account{9, 1'000'000}, false, {}});
    block.diff.accounts.push_back(
        {kContract, Account{1, 1000, keccak256(code)}, false, {{0, 0}, {1, 301}, {2, 1}}});
    return block;
}

/// The contract is destroyed, an account is new.
FinishedBlock second_block(const DurableLedger& ledger) {
    FinishedBlock block = child_of(ledger);
    block.diff.accounts.push_back({kContract, std::nullopt, true, {}});
    block.diff.accounts.push_back({address_from_low64(0xffff), Account{0, 1}, false, {}});
    return block;
}

/// `table key value` for every record, in order.
std::string dump(const std::string& directory) {
    const auto database = Database::open({.directory = directory + "/ledger"});
    EXPECT_TRUE(database.has_value()) << to_string(database.error());
    std::ostringstream out;
    for (std::size_t i = 0; i < kTableCount; ++i) {
        const auto table = static_cast<Table>(i);
        Cursor cursor = (*database)->cursor(table);
        for (cursor.seek({}); cursor.valid(); cursor.next())
            out << table_name(table) << ' ' << to_hex(cursor.key()) << ' ' << to_hex(cursor.value())
                << '\n';
    }
    return out.str();
}

std::string read_text(const std::string& path) {
    std::ifstream file(path);
    EXPECT_TRUE(file.is_open()) << path;
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(SchemaGolden, every_record_of_a_small_ledger_is_as_documented) {
    const test::TemporaryFolder folder;
    DurableLedgerOptions options;
    options.directory = folder / "data";
    options.memory_bytes = std::size_t{32} << 20;
    options.threads = 1;
    auto made = DurableLedger::create(options, small_genesis(), Bytes{'c', 'h', 'a', 'i', 'n'});
    ASSERT_TRUE(made.has_value()) << to_string(made.error());
    auto ledger = *std::move(made);
    ASSERT_TRUE(ledger->commit(first_block(*ledger)).has_value());
    ASSERT_TRUE(ledger->commit(second_block(*ledger)).has_value());
    ASSERT_TRUE(ledger->close().has_value());
    ledger.reset();

    const std::string actual = dump(options.directory);

    const std::string path = std::string{HEDDLE_TEST_VECTORS} + "/ledger_golden.txt";
    if (std::getenv("HEDDLE_WRITE_VECTORS") != nullptr) std::ofstream{path} << actual;
    std::istringstream actual_lines(actual);
    std::istringstream expected_lines(read_text(path));
    std::string actual_line;
    std::string expected_line;
    while (std::getline(expected_lines, expected_line)) {
        ASSERT_TRUE(std::getline(actual_lines, actual_line)) << expected_line << " is missing";
        EXPECT_EQ(actual_line, expected_line);
    }
    EXPECT_FALSE(std::getline(actual_lines, actual_line)) << actual_line << " is new";
    for (std::size_t i = 0; i < kTableCount; ++i)
        EXPECT_NE(actual.find(std::string{table_name(static_cast<Table>(i))} + " 0x"),
                  std::string::npos)
            << "nothing in " << table_name(static_cast<Table>(i));
}

TEST(SchemaGolden, every_table_is_documented) {
    const std::string document =
        read_text(std::string{HEDDLE_TEST_VECTORS} + "/../../docs/storage.md");
    for (std::size_t i = 0; i < kTableCount; ++i) {
        const std::string row = std::string{"\n| `"} + table_name(static_cast<Table>(i)) + "`";
        EXPECT_NE(document.find(row), std::string::npos) << row;
    }
}

}  // namespace
}  // namespace heddle::ledger
