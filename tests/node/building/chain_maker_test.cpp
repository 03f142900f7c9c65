// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks made one by one: what they hold, and what a refused transaction leaves behind.
#include "building/chain_maker.hpp"

#include <gtest/gtest.h>

#include <ledger/state_root.hpp>
#include <workload/generator.hpp>
#include <workload/world.hpp>

namespace heddle::node {
namespace {

workload::Options transfers() {
    workload::Options options;
    options.workload = workload::Workload::transfers;
    options.accounts = 4;
    return options;
}

class ChainMakerTest : public testing::Test {
protected:
    static BlockPlan plan(std::uint64_t number) {
        BlockPlan result;
        result.timestamp = workload::kGenesisTimestamp + 12 * number;
        result.beneficiary = address_from_low64(0xfee);
        return result;
    }
    Transaction next() { return generator_.next(maker_.base_fee_per_gas(), maker_.blobs_left()); }

    workload::Generator generator_{transfers()};
    Genesis genesis_ = workload::make_genesis(generator_.world().alloc, transfers(), 60'000'000);
    ChainMaker maker_{genesis_};
};

TEST_F(ChainMakerTest, starts_at_the_genesis_block_with_its_state_root) {
    ledger::MemoryState state;
    for (const GenesisAccount& account : genesis_.alloc)
        state.add(account);

    EXPECT_EQ(maker_.head().number, 0u);
    EXPECT_EQ(maker_.head().state_root, ledger::compute_state_root(state));
    EXPECT_EQ(maker_.head_hash(), header_hash(maker_.head()));
}

TEST_F(ChainMakerTest, blocks_follow_each_other_and_pay_the_beneficiary) {
    for (std::uint64_t number = 1; number <= 3; ++number) {
        const Hash parent = maker_.head_hash();
        ASSERT_TRUE(maker_.begin_block(plan(number)).has_value());
        ASSERT_TRUE(maker_.add(next()).has_value());
        const auto block = maker_.seal();

        ASSERT_TRUE(block.has_value());
        EXPECT_EQ(block->header.parent_hash, parent);
        EXPECT_EQ(block->header.number, number);
        EXPECT_EQ(block->header.gas_used, 21'000u);
        EXPECT_EQ(maker_.receipts().size(), 1u);
    }
    EXPECT_FALSE(maker_.state().account(address_from_low64(0xfee))->balance.is_zero());
}

TEST_F(ChainMakerTest, a_refused_transaction_leaves_the_block_as_it_was) {
    ASSERT_TRUE(maker_.begin_block(plan(1)).has_value());
    const Transaction tx = next();
    ASSERT_TRUE(maker_.add(tx).has_value());

    const auto again = maker_.add(tx);

    ASSERT_FALSE(again.has_value());
    EXPECT_EQ(again.error(), TransactionError::nonce_too_low);
    EXPECT_EQ(maker_.gas_used(), 21'000u);
    const auto block = maker_.seal();
    ASSERT_TRUE(block.has_value());
    EXPECT_EQ(block->transactions.size(), 1u);
}

TEST_F(ChainMakerTest, an_empty_block_still_changes_the_state_through_system_calls) {
    const Hash before = maker_.head().state_root;
    ASSERT_TRUE(maker_.begin_block(plan(1)).has_value());

    const auto block = maker_.seal();

    ASSERT_TRUE(block.has_value());
    EXPECT_NE(block->header.state_root, before);  // EIP-2935, EIP-4788
    EXPECT_EQ(block->header.receipts_root, kEmptyTrieRoot);
    EXPECT_EQ(block->header.requests_hash, kEmptyRequestsHash);
}

TEST_F(ChainMakerTest, a_timestamp_not_after_the_parents_is_refused) {
    BlockPlan late = plan(0);
    ASSERT_TRUE(maker_.begin_block(late).has_value());

    const auto block = maker_.seal();

    ASSERT_FALSE(block.has_value());
    EXPECT_EQ(block.error().code, BlockErrorCode::invalid_timestamp);
}

}  // namespace
}  // namespace heddle::node
