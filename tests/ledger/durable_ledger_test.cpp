// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <ledger/durable_ledger.hpp>

#include <chrono>
#include <cstddef>
#include <filesystem>

#include <gtest/gtest.h>

#include <ledger/state_root.hpp>

#include "copied_folder.hpp"
#include "storage/database.hpp"
#include "storage/schema.hpp"
#include "temporary_folder.hpp"
#include "twin_chain.hpp"

namespace heddle::ledger {
namespace {

namespace fs = std::filesystem;
using test::expect_stands_at;
using test::must_commit;
using test::must_create;
using test::must_open;
using test::options_for;
using test::Random;
using test::TwinChain;

class DurableLedgerTest : public testing::Test {
protected:
    test::TemporaryFolder folder_;
    const std::string directory_ = folder_ / "data";
};

TEST_F(DurableLedgerTest, new_ledger_holds_the_genesis_block) {
    const auto ledger = must_create(options_for(directory_));
    const TwinChain twin;

    expect_stands_at(*ledger, twin, 0);
    EXPECT_EQ(ledger->head().header.state_root, compute_state_root(twin.state(0)));
    EXPECT_EQ(ledger->block_hash(0), twin.committed(0).hash);
    EXPECT_EQ(ledger->chain(), Bytes{7});
    EXPECT_EQ(ledger->first_block(), 0u);
    EXPECT_EQ(ledger->first_state(), 0u);
    EXPECT_EQ(ledger->durable(), 0u);
    const auto block = ledger->block(0);
    ASSERT_TRUE(block.has_value() && block->has_value());
    EXPECT_EQ((*block)->block.header, ledger->head().header);
    EXPECT_TRUE((*block)->receipts.empty());
}

TEST_F(DurableLedgerTest, ledger_is_made_once) {
    EXPECT_FALSE(DurableLedger::exists(directory_));
    must_create(options_for(directory_)).reset();
    EXPECT_TRUE(DurableLedger::exists(directory_));

    const auto again =
        DurableLedger::create(options_for(directory_), TwinChain::genesis(), Bytes{});

    ASSERT_FALSE(again.has_value());
    EXPECT_EQ(again.error().code, LedgerErrorCode::already_exists);
}

TEST_F(DurableLedgerTest, what_it_keeps_of_the_chain_can_be_replaced) {
    {
        const auto ledger = must_create(options_for(directory_));
        ASSERT_TRUE(ledger->replace_chain(Bytes{8, 9}).has_value());
        EXPECT_EQ(ledger->chain(), (Bytes{8, 9}));
    }
    EXPECT_EQ(must_open(options_for(directory_))->chain(), (Bytes{8, 9}));
}

TEST_F(DurableLedgerTest, archive_is_opened_as_one_until_its_mark_is_cleared) {
    const auto open_with = [&](ArchiveMark mark) {
        auto options = options_for(directory_);
        options.archive_mark = mark;
        const auto opened = DurableLedger::open(std::move(options));
        return opened.has_value() ? std::nullopt : std::optional(opened.error().code);
    };
    must_create(options_for(directory_)).reset();
    EXPECT_EQ(open_with(ArchiveMark::heeded), std::nullopt);
    EXPECT_EQ(open_with(ArchiveMark::set), std::nullopt);

    EXPECT_EQ(open_with(ArchiveMark::heeded), LedgerErrorCode::archive);
    EXPECT_EQ(open_with(ArchiveMark::ignored), std::nullopt);
    EXPECT_EQ(open_with(ArchiveMark::heeded), LedgerErrorCode::archive);
    EXPECT_EQ(open_with(ArchiveMark::cleared), std::nullopt);
    EXPECT_EQ(open_with(ArchiveMark::heeded), std::nullopt);
}

TEST_F(DurableLedgerTest, what_it_takes_is_told_by_its_parts) {
    DurableLedgerOptions options = options_for(directory_);
    options.sync = {.blocks = 1'000, .interval = std::chrono::hours{1}};
    options.sync.linger = std::chrono::hours{1};  // nothing is written before somebody waits for it
    options.checkpoint_blocks = 1'000;
    const auto ledger = must_create(std::move(options));
    Random random(1);
    TwinChain twin;
    const LedgerMemory before = ledger->memory();
    EXPECT_EQ(before.waiting_blocks, 0u);
    EXPECT_EQ(before.waiting_bytes, 0u);
    EXPECT_EQ(before.changes, 0u);

    std::size_t last = 0;
    for (std::size_t count = 1; count <= 5; ++count) {
        must_commit(*ledger, twin.grow(random));
        const LedgerMemory memory = ledger->memory();
        EXPECT_EQ(memory.waiting_blocks, count);
        EXPECT_GT(memory.waiting_bytes, last + sizeof(StoredBlock));
        last = memory.waiting_bytes;
    }
    const LedgerMemory full = ledger->memory();
    EXPECT_GT(full.values, 0u);
    EXPECT_GT(full.tries, 0u);
    EXPECT_GT(full.changes, sizeof(Address));

    ASSERT_TRUE(ledger->wait_durable(5).has_value());
    const LedgerMemory written = ledger->memory();
    EXPECT_EQ(written.waiting_blocks, 0u);
    EXPECT_EQ(written.changes, full.changes) << "until there is a checkpoint";
    EXPECT_GE(written.write_buffers, before.write_buffers);
    EXPECT_GT(written.write_buffers, 0u);
}

TEST_F(DurableLedgerTest, ledger_that_is_not_there_is_not_opened) {
    const auto opened = DurableLedger::open(options_for(directory_));
    ASSERT_FALSE(opened.has_value());
    EXPECT_EQ(opened.error().code, LedgerErrorCode::not_found);
    EXPECT_FALSE(fs::exists(directory_));
}

TEST_F(DurableLedgerTest, ledger_in_use_is_locked) {
    const auto ledger = must_create(options_for(directory_));
    const auto second = DurableLedger::open(options_for(directory_));
    ASSERT_FALSE(second.has_value());
    EXPECT_EQ(second.error().code, LedgerErrorCode::locked);
}

TEST_F(DurableLedgerTest, chain_of_blocks_goes_as_in_memory) {
    Random random(1);
    TwinChain twin;
    auto ledger = must_create(options_for(directory_));
    for (std::uint64_t number = 1; number <= 200; ++number) {
        must_commit(*ledger, twin.grow(random));
        expect_stands_at(*ledger, twin, number);
        if (HasFatalFailure()) return;
    }
    ASSERT_TRUE(ledger->close().has_value());
    ledger.reset();

    ledger = must_open(options_for(directory_));

    expect_stands_at(*ledger, twin, 200);
    EXPECT_EQ(ledger->open_report().head, 200u);
    EXPECT_EQ(ledger->open_report().state_block, 200u);
    EXPECT_EQ(ledger->chain(), Bytes{7});
}

TEST_F(DurableLedgerTest, reopened_at_any_block_it_goes_on) {
    Random random(2);
    TwinChain twin;
    auto ledger = must_create(options_for(directory_));
    for (std::uint64_t number = 1; number <= 60; ++number) {
        must_commit(*ledger, twin.grow(random));
        if (!random.one_in(3)) continue;
        if (random.one_in(2)) {
            ASSERT_TRUE(ledger->close().has_value());
        }
        ledger.reset();
        auto options = options_for(directory_);
        options.checkpoint_blocks = 1 + random.below(20);
        ledger = must_open(options);
        expect_stands_at(*ledger, twin, number);
        if (HasFatalFailure()) return;
        EXPECT_EQ(ledger->open_report().state_block, number);
        EXPECT_EQ(ledger->durable(), number);
    }
}

/// What a crash of the process leaves is the folder as it is at that moment.
TEST_F(DurableLedgerTest, copy_of_the_folder_opens_at_a_committed_block) {
    Random random(3);
    TwinChain twin;
    auto options = options_for(directory_);
    options.checkpoint_blocks = 10;
    const auto ledger = must_create(options);
    for (std::uint64_t number = 1; number <= 25; ++number) {
        must_commit(*ledger, twin.grow(random));
        std::uint64_t least = ledger->durable();
        if (random.one_in(2)) {
            ASSERT_TRUE(ledger->wait_durable(number).has_value());
            least = number;
        }
        const std::string copy = folder_ / "copy";
        test::copy_at_one_moment(directory_, copy);

        auto opened = must_open(options_for(copy));

        const std::uint64_t head = opened->head().header.number;
        EXPECT_GE(head, least);
        EXPECT_LE(head, number);
        EXPECT_LE(opened->open_report().state_block, head);
        expect_stands_at(*opened, twin, head);
        if (HasFatalFailure()) return;
        // It goes on, and a second opening has nothing to bring forward.
        if (head == number) {
            must_commit(*opened, twin.child(random, {}));
        }
        const std::uint64_t last = opened->head().header.number;
        opened.reset();
        opened = must_open(options_for(copy));
        EXPECT_EQ(opened->head().header.number, last);
        EXPECT_EQ(opened->open_report().state_block, last);
        opened.reset();
        fs::remove_all(copy);
    }
}

TEST_F(DurableLedgerTest, wrong_root_changes_nothing_and_the_next_block_goes_on) {
    Random random(4);
    TwinChain twin;
    const auto ledger = must_create(options_for(directory_));
    for (std::uint64_t number = 1; number <= 60; ++number) {
        FinishedBlock wrong = twin.child(random, TwinChain::random_diff(random));
        wrong.block.header.state_root = keccak256(Bytes{1});
        const Hash hash = header_hash(wrong.block.header);

        const auto rejected = ledger->commit(std::move(wrong));

        ASSERT_FALSE(rejected.has_value());
        EXPECT_EQ(rejected.error().code, BlockErrorCode::state_root_mismatch);
        EXPECT_EQ(rejected.error().number, number);
        EXPECT_EQ(rejected.error().claimed, to_string(keccak256(Bytes{1})));
        expect_stands_at(*ledger, twin, number - 1);
        EXPECT_EQ(ledger->block_number(hash), std::nullopt);
        must_commit(*ledger, twin.grow(random));
        expect_stands_at(*ledger, twin, number);
        if (HasFatalFailure()) return;
    }
}

TEST_F(DurableLedgerTest, state_root_with_keeps_nothing) {
    Random random(5);
    TwinChain twin;
    const auto ledger = must_create(options_for(directory_));
    for (std::uint64_t number = 1; number <= 60; ++number) {
        const StateDiff diff = TwinChain::random_diff(random);
        FinishedBlock block = twin.grow(random, diff);

        EXPECT_EQ(ledger->state_root_with(diff), block.block.header.state_root);
        EXPECT_EQ(ledger->state_root_with(diff), block.block.header.state_root);

        expect_stands_at(*ledger, twin, number - 1);
        must_commit(*ledger, std::move(block));
        if (HasFatalFailure()) return;
    }
}

TEST_F(DurableLedgerTest, unchecked_root_is_filled_in) {
    Random random(6);
    TwinChain twin;
    const auto ledger = must_create(options_for(directory_));
    FinishedBlock block = twin.grow(random);
    const Hash root = block.block.header.state_root;
    block.block.header.state_root = {};
    block.check_state_root = false;

    EXPECT_EQ(ledger->commit(std::move(block)).value(), root);

    expect_stands_at(*ledger, twin, 1);
}

TEST_F(DurableLedgerTest, block_that_is_not_the_heads_child_is_rejected) {
    Random random(7);
    TwinChain twin;
    const auto ledger = must_create(options_for(directory_));
    FinishedBlock other_parent = twin.child(random, {});
    other_parent.block.header.parent_hash = {};
    FinishedBlock gap = twin.child(random, {});
    gap.block.header.number = 2;

    EXPECT_EQ(ledger->commit(std::move(other_parent)).error().code, BlockErrorCode::unknown_parent);
    EXPECT_EQ(ledger->commit(std::move(gap)).error().code, BlockErrorCode::invalid_number);
    expect_stands_at(*ledger, twin, 0);
}

StateDiff one_change(AccountChange change) {
    StateDiff diff;
    diff.accounts.push_back(std::move(change));
    return diff;
}

/// Destroyed and made again in the same block, in the next, and later, with the storage before in
/// the tables or not yet.
TEST_F(DurableLedgerTest, account_destroyed_with_its_storage_comes_back_without) {
    constexpr Address kContract = address_from_low64(3);
    for (const std::uint64_t checkpoint_blocks : {1u, 2u, 100u}) {
        Random random(8);
        TwinChain twin;
        auto options = options_for(folder_ / std::to_string(checkpoint_blocks));
        options.checkpoint_blocks = checkpoint_blocks;
        auto ledger = must_create(options);
        AccountChange made{kContract, Account{1, 0}, false, {}};
        for (std::uint64_t slot = 0; slot < 200; ++slot)
            made.storage.push_back({slot, slot + 1});
        const AccountChange again{kContract, Account{2, 0}, true, {{1, 2}, {5, 9}, {777, 1}}};
        const AccountChange gone{kContract, std::nullopt, true, {}};
        const AccountChange bare{kContract, Account{3, 0}, false, {{6, 6}}};
        for (const AccountChange& change :
             {made, again, gone, made, gone, bare, gone, made, gone}) {
            must_commit(*ledger, twin.grow(random, one_change(change)));
            expect_stands_at(*ledger, twin, twin.head());
            for (std::uint64_t slot = 0; slot < 200; ++slot)
                ASSERT_EQ(ledger->state().storage(kContract, slot),
                          twin.state(twin.head()).storage(kContract, slot));
            if (HasFatalFailure()) return;
        }
        for (std::uint64_t number = 0; number <= twin.head(); ++number) {
            const auto past = ledger->state_at(number);
            ASSERT_TRUE(past.has_value());
            for (std::uint64_t slot = 0; slot < 200; slot += 3)
                ASSERT_EQ((*past)->storage(kContract, slot),
                          twin.state(number).storage(kContract, slot));
        }
        ledger.reset();
        ledger = must_open(options);
        expect_stands_at(*ledger, twin, twin.head());
    }
}

/// The tables hold exactly the state: nothing is missing, nothing is left over.
void expect_tables_hold(const std::string& directory, const MemoryState& expected) {
    const auto database = Database::open({.directory = directory + "/ledger"});
    ASSERT_TRUE(database.has_value());
    std::size_t accounts = 0;
    Cursor cursor = (*database)->cursor(Table::accounts);
    for (cursor.seek({}); cursor.valid(); cursor.next(), ++accounts) {
        const auto entry = schema::decode_account_entry(cursor.value());
        ASSERT_TRUE(entry.has_value());
        EXPECT_TRUE(equal(cursor.key(), schema::hash_of(entry->address).view()));
        EXPECT_EQ(expected.account(entry->address), entry->record.account);
        EXPECT_EQ(entry->record.storage_root != kEmptyTrieRoot,
                  expected.has_storage(entry->address));
        std::size_t slots = 0;
        Cursor of_account = (*database)->cursor(Table::slots);
        for (of_account.seek(cursor.key()); of_account.has_prefix(cursor.key());
             of_account.next(), ++slots) {
            const auto slot = schema::decode_slot_entry(of_account.value());
            ASSERT_TRUE(slot.has_value());
            EXPECT_EQ(expected.storage(entry->address, slot->slot), slot->value);
        }
        EXPECT_EQ(slots, expected.storage_count(entry->address));
    }
    EXPECT_EQ(accounts, expected.account_count());
    std::size_t slots = 0;
    Cursor all = (*database)->cursor(Table::slots);
    for (all.seek({}); all.valid(); all.next())
        ++slots;
    std::size_t expected_slots = 0;
    expected.for_each_account([&](const Address& address, const Account&) {
        expected_slots += expected.storage_count(address);
    });
    EXPECT_EQ(slots, expected_slots);
}

TEST_F(DurableLedgerTest, closed_ledgers_tables_hold_the_heads_state_and_nothing_else) {
    Random random(9);
    TwinChain twin;
    auto ledger = must_create(options_for(directory_));
    for (int i = 0; i < 50; ++i)
        must_commit(*ledger, twin.grow(random));
    ASSERT_TRUE(ledger->close().has_value());
    EXPECT_TRUE(ledger->close().has_value());
    ledger.reset();
    expect_tables_hold(directory_, twin.state(50));
}

/// Far more state than memory: tries are dropped and read again all the time.
TEST_F(DurableLedgerTest, state_larger_than_memory_goes_as_in_memory) {
    constexpr std::uint64_t kAccounts = 3000;
    Random random(10);
    Genesis genesis;
    for (std::uint64_t i = 1; i <= kAccounts; ++i) {
        GenesisAccount& account = genesis.alloc.emplace_back();
        account.address = address_from_low64(i);
        account.balance = i;
        if (i % 300 != 0) continue;
        for (std::uint64_t slot = 0; slot < 500; ++slot)
            account.storage.emplace_back(slot, slot + i);
    }
    auto options = options_for(directory_);
    options.memory_bytes = std::size_t{256} << 10;
    options.checkpoint_blocks = 2;
    auto made = DurableLedger::create(options, genesis, Bytes{});
    ASSERT_TRUE(made.has_value()) << to_string(made.error());
    auto ledger = *std::move(made);
    MemoryLedger twin;
    ASSERT_EQ(twin.initialize(genesis).hash, ledger->head().hash);
    for (std::uint64_t number = 1; number <= 80; ++number) {
        FinishedBlock block;
        block.block.header.number = number;
        block.block.header.parent_hash = ledger->head().hash;
        block.check_state_root = false;
        for (std::uint64_t i = 1 + random.below(100); i <= kAccounts; i += 1 + random.below(100)) {
            AccountChange& change = block.diff.accounts.emplace_back();
            change.address = address_from_low64(i);
            if (random.one_in(10)) continue;
            change.account = Account{.nonce = number, .balance = i};
            if (i % 300 == 0)
                for (std::uint64_t slot = random.below(30); slot < 600;
                     slot += 1 + random.below(30))
                    change.storage.push_back({slot, random.one_in(3) ? Uint256{} : random.word()});
        }
        const auto root = twin.commit(block);
        ASSERT_EQ(ledger->commit(block).value(), root.value());
        for (int i = 0; i < 50; ++i) {
            const Address address = address_from_low64(1 + random.below(kAccounts));
            ASSERT_EQ(ledger->state().account(address), twin.state().account(address));
        }
        if (!random.one_in(20)) continue;
        ledger.reset();
        ledger = must_open(options);
    }
}

}  // namespace
}  // namespace heddle::ledger
