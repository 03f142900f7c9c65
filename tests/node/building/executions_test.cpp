// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How often a block is executed: once by whoever proposes it, once by whoever does not.
#include <utility>

#include <gtest/gtest.h>

#include "building/chain_application_fixture.hpp"

namespace heddle::node {
namespace {

TEST_F(ChainApplicationTest, a_block_that_was_proposed_here_is_not_executed_again) {
    for (std::size_t i = 0; i < 3; ++i)
        pool(count(i, 0));
    const BlockPlan wanted = plan();
    auto proposal = application_.prepare(wanted);
    ASSERT_TRUE(proposal.has_value());
    const OrderedBlock block = block_of(wanted, *std::move(proposal));

    const auto kept = finalize(block);
    const auto executed = finalize(block);  // what was kept is used up

    ASSERT_TRUE(kept.has_value() && executed.has_value());
    EXPECT_EQ(kept->executions, 0u);
    EXPECT_EQ(executed->executions, 1u);
    EXPECT_EQ(kept->hash, executed->hash);
    EXPECT_EQ(kept->receipts, executed->receipts);
    ASSERT_TRUE(application_.commit().has_value());
    EXPECT_EQ(counter(), 3u);
}

TEST_F(ChainApplicationTest, a_block_decided_otherwise_than_proposed_is_executed) {
    pool(count(0, 0));
    pool(count(1, 0));
    const BlockPlan wanted = plan();
    const auto executions_of = [&](const BlockPlan& decided, auto change) {
        auto proposal = application_.prepare(wanted);
        EXPECT_TRUE(proposal.has_value());
        OrderedBlock block = block_of(decided, *std::move(proposal));
        change(block);
        const auto finalized = finalize(std::move(block));
        EXPECT_TRUE(finalized.has_value());
        return finalized->executions;
    };
    const auto nothing = [](OrderedBlock&) {};
    BlockPlan later = wanted;
    ++later.timestamp;
    BlockPlan other_beneficiary = wanted;
    other_beneficiary.beneficiary = address_from_low64(0xfef);

    EXPECT_EQ(executions_of(wanted, nothing), 0u);
    EXPECT_EQ(executions_of(later, nothing), 1u);
    EXPECT_EQ(executions_of(other_beneficiary, nothing), 1u);
    EXPECT_EQ(executions_of(wanted, [](OrderedBlock& block) { block.transactions.pop_back(); }),
              1u);
    EXPECT_EQ(executions_of(wanted,
                            [](OrderedBlock& block) {
                                std::swap(block.transactions[0], block.transactions[1]);
                            }),
              1u);
    EXPECT_EQ(executions_of(wanted,
                            [](OrderedBlock& block) {
                                block.start.withdrawals = {{0, 0, address_from_low64(1), 5}};
                            }),
              1u);
}

TEST_F(ChainApplicationTest, what_was_proposed_on_another_head_is_executed) {
    pool(count(0, 0));
    const BlockPlan wanted = plan();
    const auto stale = application_.prepare(wanted);
    ASSERT_TRUE(stale.has_value());
    ASSERT_TRUE(finalize(block_of(wanted, {})).has_value());
    ASSERT_TRUE(application_.commit().has_value());

    const auto finalized = finalize(block_of(plan(), *stale));

    ASSERT_TRUE(finalized.has_value());
    EXPECT_EQ(finalized->executions, 1u);
}

TEST_F(ChainApplicationTest, a_list_with_unexecutable_transactions_costs_two_executions) {
    const BlockPlan wanted = plan();
    Proposal list;
    list.transactions = {transfer(0, 0, 1), transfer(0, 5, 1), transfer(1, 0, 1)};

    const auto finalized = finalize(block_of(wanted, list), Unexecutable::left_out);

    ASSERT_TRUE(finalized.has_value());
    EXPECT_EQ(finalized->executions, 2u);
    EXPECT_EQ(finalized->receipts.size(), 2u);
}

}  // namespace
}  // namespace heddle::node
