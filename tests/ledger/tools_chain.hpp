// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Random chains whose blocks are right in all that a ledger keeps of them: roots, blooms,
// signatures, code. Ledgers made of them, and what their tables hold.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <ledger/durable_ledger.hpp>
#include <ledger/memory_ledger.hpp>
#include <ledger/verify.hpp>
#include <types/block_access_list.hpp>
#include <types/ordered_root.hpp>
#include <types/signing.hpp>

#include "copied_folder.hpp"
#include "durable/opening.hpp"
#include "random.hpp"
#include "storage/schema.hpp"
#include "temporary_folder.hpp"

namespace heddle::test {

/// The blocks of a chain and the roots after them, executed once in memory.
class ToolsChain {
public:
    static constexpr std::size_t kAddresses = 40;
    static constexpr std::size_t kSlots = 60;

    explicit ToolsChain(Random& random, std::uint64_t length) {
        memory_.initialize(genesis());
        for (std::uint64_t i = 0; i < length; ++i)
            grow(random);
    }

    [[nodiscard]] static Genesis genesis() {
        Genesis genesis;
        genesis.header.difficulty = 17;
        genesis.header.gas_limit = 5000;
        genesis.alloc.push_back({address_from_low64(1), 0, 100, {}, {}});
        genesis.alloc.push_back({address_from_low64(2), 1, 0, {0x60, 0x00}, {{1, 2}, {3, 4}}});
        // Enough for nodes of tries that are stored, with accounts that no block touches.
        for (std::uint64_t i = 0; i < 1000; ++i)
            genesis.alloc.push_back({address_from_low64(1000 + i), i, i, {}, {}});
        for (std::uint64_t i = 0; i < 600; ++i)
            genesis.alloc.back().storage.emplace_back(1000 + i, i + 1);
        return genesis;
    }

    [[nodiscard]] const FinishedBlock& block(std::uint64_t number) const {
        return blocks_[number - 1];
    }
    [[nodiscard]] std::uint64_t length() const { return blocks_.size(); }

private:
    static StateDiff diff(Random& random) {
        StateDiff diff = random.diff(kAddresses, random.one_in(4) ? kSlots : 3);
        for (AccountChange& change : diff.accounts) {
            if (!change.account.has_value()) continue;
            const Bytes code = random.bytes(random.below(3));
            change.account->code_hash = keccak256(code);
            if (!code.empty()) diff.codes.push_back({change.account->code_hash, code});
        }
        return diff;
    }

    static Transaction transaction(Random& random) {
        Transaction tx;
        tx.nonce = random.below(1'000'000'000);
        tx.chain_id = 1;
        tx.gas_limit = 21'000;
        tx.to = address_from_low64(random.below(9));
        tx.data = random.bytes(random.below(50));
        Hash secret;
        secret.bytes[31] = static_cast<std::uint8_t>(1 + random.below(9));
        EXPECT_TRUE(sign_transaction(tx, secret));
        return tx;
    }

    template <typename Items, typename Encode>
    static Hash root_of(const Items& items, Encode encode) {
        std::vector<Bytes> values;
        for (const auto& item : items)
            encode(item, values.emplace_back());
        return ordered_root(values);
    }

    /// As blocks have them from Amsterdam on: the list of its transactions' recipients.
    static void add_access_list(FinishedBlock& finished) {
        BlockHeader& header = finished.block.header;
        header.gas_limit = 30'000'000;
        header.blob_gas_used = header.excess_blob_gas = 0;
        header.parent_beacon_block_root = Hash{};
        header.requests_hash = kEmptyRequestsHash;
        header.slot_number = header.number;
        std::set<Address> recipients{address_from_low64(1'000)};
        for (const Transaction& tx : finished.block.transactions)
            recipients.insert(*tx.to);
        BlockAccessList list;
        for (const Address& address : recipients)
            list.accounts.emplace_back().address = address;
        encode_block_access_list(list, finished.access_list);
        header.block_access_list_hash = keccak256(finished.access_list);
    }

    void grow(Random& random) {
        FinishedBlock finished;
        Block& block = finished.block;
        BlockHeader& header = block.header;
        header.number = memory_.head().header.number + 1;
        header.parent_hash = memory_.head().hash;
        header.difficulty = random.below(1000);
        for (std::size_t i = random.below(4); i != 0; --i) {
            const Transaction& tx = block.transactions.emplace_back(transaction(random));
            Receipt& receipt = finished.receipts.emplace_back();
            receipt.type = tx.type;
            receipt.success = random.one_in(2);
            receipt.gas_used = 21'000;
            receipt.cumulative_gas_used = header.gas_used += 21'000;
            receipt.logs.push_back({*tx.to, {keccak256(tx.data)}, tx.data});
            receipt.bloom = logs_bloom(receipt.logs);
            header.logs_bloom |= receipt.bloom;
        }
        if (random.one_in(2)) {
            header.base_fee_per_gas = 7;
            block.withdrawals.emplace();
            if (random.one_in(2)) block.withdrawals->push_back({1, 2, address_from_low64(3), 4});
            header.withdrawals_root = root_of(*block.withdrawals, encode_withdrawal);
            if (header.number % 2 == 0) add_access_list(finished);
        } else if (random.one_in(3)) {
            block.ommers.emplace_back().number = header.number - 1;
            header.ommers_hash = ommers_hash(block.ommers);
        }
        header.transactions_root = root_of(block.transactions, encode_transaction);
        header.receipts_root = root_of(finished.receipts, encode_receipt);
        finished.diff = diff(random);
        header.state_root = memory_.state_root_with(finished.diff);
        ASSERT_TRUE(memory_.commit(finished).has_value());
        blocks_.push_back(std::move(finished));
    }

    ledger::MemoryLedger memory_;
    std::vector<FinishedBlock> blocks_;
};

inline ledger::DurableLedgerOptions tools_options(const std::string& directory) {
    ledger::DurableLedgerOptions options;
    options.directory = directory;
    options.sync = {.blocks = 1'000'000, .interval = std::chrono::hours(24)};
    options.memory_bytes = std::size_t{64} << 20;
    options.history_blocks = ledger::kArchive;
    options.checkpoint_blocks = 4;
    options.threads = 1;
    return options;
}

inline ledger::MaintenanceOptions maintenance_options(const std::string& directory) {
    return {.directory = directory,
            .memory_bytes = std::size_t{64} << 20,
            .threads = 1,
            .on_progress = {}};
}

/// Commits the blocks above the head, up to and including `last`.
inline void commit_through(ledger::DurableLedger& ledger, const ToolsChain& chain,
                           std::uint64_t last) {
    for (std::uint64_t number = ledger.head().header.number + 1; number <= last; ++number) {
        const auto root = ledger.commit(chain.block(number));
        ASSERT_TRUE(root.has_value()) << to_string(root.error());
    }
}

/// A closed ledger of the first `last` blocks.
inline void make_ledger(ledger::DurableLedgerOptions options, const ToolsChain& chain,
                        std::uint64_t last) {
    auto made = ledger::DurableLedger::create(std::move(options), ToolsChain::genesis(), Bytes{7});
    ASSERT_TRUE(made.has_value()) << to_string(made.error());
    commit_through(**made, chain, last);
    ASSERT_TRUE((*made)->close().has_value());
}
inline void make_ledger(const std::string& directory, const ToolsChain& chain, std::uint64_t last) {
    make_ledger(tools_options(directory), chain, last);
}

/// As a crash would leave it, also while it is in use.
inline void copy_ledger(const std::string& from, const std::string& to) {
    std::filesystem::remove_all(to);
    copy_at_one_moment(from, to);
}

using TableContents = std::map<Bytes, Bytes>;

/// Every record of the tables, by name of the table.
inline std::map<std::string, TableContents> dump(const ledger::Database& database) {
    std::map<std::string, TableContents> tables;
    for (std::size_t i = 0; i < ledger::kTableCount; ++i) {
        const auto table = static_cast<ledger::Table>(i);
        ledger::Cursor cursor = database.cursor(table);
        TableContents& contents = tables[ledger::table_name(table)];
        for (cursor.seek({}); cursor.valid(); cursor.next())
            contents[Bytes(cursor.key().begin(), cursor.key().end())] =
                Bytes(cursor.value().begin(), cursor.value().end());
    }
    return tables;
}
inline std::map<std::string, TableContents> dump(const std::string& directory) {
    const auto database = ledger::open_database(directory, std::size_t{16} << 20);
    EXPECT_TRUE(database.has_value()) << to_string(database.error());
    return dump(**database);
}

/// The same records in every table, but for code that is no longer in use.
inline void expect_same_tables(const std::string& actual, const std::string& expected) {
    auto a = dump(actual);
    auto b = dump(expected);
    for (auto& [name, contents] : b) {
        if (name != "codes") {
            EXPECT_EQ(a[name].size(), contents.size()) << name;
            EXPECT_TRUE(a[name] == contents) << name;
        } else {
            for (const auto& [hash, code] : contents)
                EXPECT_EQ(a[name][hash], code);
        }
    }
}

inline ledger::VerifyReport verify_ledger(const std::string& directory) {
    ledger::VerifyOptions options;
    options.ledger = maintenance_options(directory);
    options.senders = true;
    options.deep = true;
    auto report = ledger::verify(options);
    EXPECT_TRUE(report.has_value()) << to_string(report.error());
    return *std::move(report);
}

inline void expect_sound(const std::string& directory, std::uint64_t head) {
    const ledger::VerifyReport report = verify_ledger(directory);
    EXPECT_EQ(report.head, head);
    EXPECT_EQ(report.problem_count, 0u);
    for (const std::string& problem : report.problems)
        ADD_FAILURE() << problem;
}

}  // namespace heddle::test
