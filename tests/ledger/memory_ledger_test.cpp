// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <ledger/memory_ledger.hpp>

#include "random.hpp"

namespace heddle::ledger {
namespace {

constexpr Address kAlice = address_from_low64(0xa11ce);
constexpr Address kBob = address_from_low64(0xb0b);

Genesis small_genesis() {
    Genesis genesis;
    genesis.header.difficulty = 17;
    genesis.header.gas_limit = 5000;
    genesis.alloc.push_back(
        {.address = kAlice, .nonce = 0, .balance = 100, .code = {}, .storage = {}});
    genesis.alloc.push_back(
        {.address = kBob, .nonce = 1, .balance = 0, .code = {0x00}, .storage = {{1, 2}, {3, 4}}});
    return genesis;
}

StateDiff set_balance(const Address& address, std::uint64_t balance) {
    StateDiff diff;
    diff.accounts.push_back({address, Account{.balance = balance}, false, {}});
    return diff;
}

/// A child of the head, its state root not stated.
FinishedBlock next_block(const MemoryLedger& ledger, StateDiff diff) {
    FinishedBlock block;
    block.block.header.number = ledger.head().header.number + 1;
    block.block.header.parent_hash = ledger.head().hash;
    block.block.header.difficulty = 1;
    block.diff = std::move(diff);
    block.check_state_root = false;
    return block;
}

TEST(MemoryLedger, genesis_fills_in_the_state_root) {
    MemoryLedger ledger;

    const CommittedBlock& genesis = ledger.initialize(small_genesis());

    EXPECT_EQ(genesis.header.state_root, compute_state_root(ledger.state()));
    EXPECT_EQ(genesis.hash, header_hash(genesis.header));
    EXPECT_EQ(genesis.total_difficulty, Uint256(17));
    EXPECT_EQ(ledger.block_hash(0), genesis.hash);
    EXPECT_EQ(ledger.state().account(kAlice)->balance, Uint256(100));
    EXPECT_EQ(ledger.state().storage(kBob, 3), Uint256(4));
}

TEST(MemoryLedger, good_block_becomes_the_head) {
    MemoryLedger ledger;
    ledger.initialize(small_genesis());
    FinishedBlock block = next_block(ledger, set_balance(kAlice, 99));
    block.block.header.state_root = ledger.state_root_with(block.diff);
    block.check_state_root = true;
    const Hash hash = header_hash(block.block.header);
    const Hash claimed = block.block.header.state_root;

    const auto root = ledger.commit(std::move(block));

    ASSERT_TRUE(root.has_value());
    EXPECT_EQ(*root, claimed);
    EXPECT_EQ(ledger.head().hash, hash);
    EXPECT_EQ(ledger.head().total_difficulty, Uint256(18));
    EXPECT_EQ(ledger.state().account(kAlice)->balance, Uint256(99));
    EXPECT_EQ(ledger.state_root(), compute_state_root(ledger.state()));
}

TEST(MemoryLedger, blocks_are_the_same_whatever_is_foreseen_of_them) {
    test::Random random{71};
    MemoryLedger ledger;
    MemoryLedger twin;
    ledger.initialize(small_genesis());
    twin.initialize(small_genesis());
    for (int i = 0; i < 60; ++i) {
        const StateDiff diff = random.diff(8, 5);
        const Hash root = twin.state_root_with(diff);
        for (std::uint64_t wrong = random.below(3); wrong != 0; --wrong)
            ledger.foresee(ledger.head().hash, random.diff(8, 5));
        if (random.one_in(2)) ledger.foresee(ledger.head().hash, diff);
        if (random.one_in(4)) EXPECT_EQ(ledger.state_root_with(diff), root);
        EXPECT_EQ(ledger.state_root(), twin.state_root());
        FinishedBlock block = next_block(ledger, diff);
        block.block.header.state_root = root;
        block.check_state_root = true;
        if (random.one_in(4)) {
            FinishedBlock wrong = block;
            wrong.block.header.state_root.bytes[3] ^= 1;
            ASSERT_FALSE(ledger.commit(std::move(wrong)).has_value());
        }

        ASSERT_TRUE(twin.commit(block).has_value());
        ASSERT_TRUE(ledger.commit(std::move(block)).has_value());

        ASSERT_EQ(ledger.head().hash, twin.head().hash);
        ASSERT_EQ(compute_state_root(ledger.state()), root);
    }
}

TEST(MemoryLedger, unchecked_root_is_filled_in) {
    MemoryLedger ledger;
    ledger.initialize(small_genesis());

    const auto root = ledger.commit(next_block(ledger, set_balance(kAlice, 1)));

    ASSERT_TRUE(root.has_value());
    EXPECT_EQ(ledger.head().header.state_root, *root);
    EXPECT_EQ(ledger.head().hash, header_hash(ledger.head().header));
}

TEST(MemoryLedger, wrong_root_changes_nothing_and_the_next_block_goes_on) {
    test::Random random(8);
    MemoryLedger ledger;
    ledger.initialize(small_genesis());
    for (int i = 0; i < 200; ++i) {
        const Hash head_before = ledger.head().hash;
        const Hash root_before = ledger.state_root();
        FinishedBlock wrong = next_block(ledger, random.diff(15, 6));
        wrong.check_state_root = true;
        wrong.block.header.state_root = keccak256(Bytes{1});

        const auto rejected = ledger.commit(std::move(wrong));

        ASSERT_FALSE(rejected.has_value());
        EXPECT_EQ(rejected.error().code, BlockErrorCode::state_root_mismatch);
        EXPECT_EQ(rejected.error().number, ledger.head().header.number + 1);
        EXPECT_EQ(rejected.error().claimed, to_string(keccak256(Bytes{1})));
        EXPECT_NE(rejected.error().computed, rejected.error().claimed);
        ASSERT_EQ(ledger.head().hash, head_before);
        ASSERT_EQ(ledger.state_root(), root_before);
        ASSERT_EQ(compute_state_root(ledger.state()), root_before);

        ASSERT_TRUE(ledger.commit(next_block(ledger, random.diff(15, 6))).has_value());
        ASSERT_EQ(compute_state_root(ledger.state()), ledger.state_root());
    }
}

TEST(MemoryLedger, state_root_with_keeps_nothing) {
    test::Random random(9);
    MemoryLedger ledger;
    ledger.initialize(small_genesis());
    for (int i = 0; i < 100; ++i) {
        const StateDiff diff = random.diff(15, 6);
        const Hash before = ledger.state_root();

        const Hash root = ledger.state_root_with(diff);

        ASSERT_EQ(ledger.state_root(), before);
        ASSERT_EQ(ledger.commit(next_block(ledger, diff)), root);
    }
}

TEST(MemoryLedger, block_that_is_not_the_heads_child_is_rejected) {
    MemoryLedger ledger;
    ledger.initialize(small_genesis());
    FinishedBlock other_parent = next_block(ledger, {});
    other_parent.block.header.parent_hash = {};
    FinishedBlock gap = next_block(ledger, {});
    gap.block.header.number = 2;

    EXPECT_EQ(ledger.commit(std::move(other_parent)).error().code, BlockErrorCode::unknown_parent);
    EXPECT_EQ(ledger.commit(std::move(gap)).error().code, BlockErrorCode::invalid_number);
    EXPECT_EQ(ledger.head().header.number, 0u);
}

TEST(MemoryLedger, keeps_as_many_headers_as_blockhash_needs) {
    MemoryLedger ledger({.header_count = 1});
    ledger.initialize(small_genesis());
    std::vector<Hash> hashes{ledger.head().hash};
    for (int i = 0; i < 300; ++i) {
        ASSERT_TRUE(ledger.commit(next_block(ledger, {})).has_value());
        hashes.push_back(ledger.head().hash);
    }

    // The next block, 301, may ask for 45 to 300.
    for (std::uint64_t number = 45; number <= 300; ++number)
        EXPECT_EQ(ledger.block_hash(number), hashes[number]);
    EXPECT_EQ(ledger.block(43), nullptr);
    EXPECT_EQ(ledger.block(301), nullptr);
    EXPECT_DEATH(static_cast<void>(ledger.block_hash(0)), "");
}

TEST(MemoryLedger, keeps_everything_on_request) {
    MemoryLedger ledger({.keep_blocks = true});
    ledger.initialize(small_genesis());
    for (int i = 0; i < 300; ++i) {
        FinishedBlock block = next_block(ledger, {});
        block.block.transactions.resize(1);
        block.receipts.resize(1);
        block.block.withdrawals.emplace();
        ASSERT_TRUE(ledger.commit(std::move(block)).has_value());
    }

    ASSERT_NE(ledger.block(0), nullptr);
    EXPECT_EQ(ledger.block(1)->transactions.size(), 1u);
    EXPECT_EQ(ledger.block(1)->receipts.size(), 1u);
    EXPECT_TRUE(ledger.block(300)->withdrawals.has_value());
}

TEST(MemoryLedger, starts_at_any_block) {
    MemoryState state;
    state.set_account(kAlice, {.balance = 5});
    BlockHeader header;
    header.number = 1000;
    header.state_root = compute_state_root(state);
    MemoryLedger ledger;

    ledger.initialize(state, header, 77);

    EXPECT_EQ(ledger.state_root(), header.state_root);
    EXPECT_EQ(ledger.head().total_difficulty, Uint256(77));
    EXPECT_EQ(ledger.block_hash(1000), header_hash(header));
    ASSERT_TRUE(ledger.commit(next_block(ledger, set_balance(kAlice, 6))).has_value());
    EXPECT_EQ(ledger.head().header.number, 1001u);
}

}  // namespace
}  // namespace heddle::ledger
