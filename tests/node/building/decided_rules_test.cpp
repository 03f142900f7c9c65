// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A decided block by the rules of every fork: who has not proposed it makes the same of it.
#include <gtest/gtest.h>

#include <consensus_adapter/block_rules.hpp>

#include "building/chain_application_fixture.hpp"

namespace heddle::node {
namespace {

OrderedBlock decided(const BlockPlan& plan, Proposal proposal) {
    OrderedBlock block;
    block.start = consensus_adapter::block_start(plan);
    block.start.transaction_count = proposal.transactions.size();
    block.transactions = std::move(proposal.transactions);
    return block;
}

Transaction payment(std::size_t from) {
    Transaction tx = transfer(from, 0, 1);
    tx.type = TransactionType::legacy;
    tx.max_priority_fee_per_gas = tx.max_fee_per_gas;
    EXPECT_TRUE(sign_transaction(tx, dev_accounts()[from].secret));
    return tx;
}

class DecidedRulesTest : public ChainApplicationTest, public testing::WithParamInterface<Revision> {
protected:
    DecidedRulesTest() : ChainApplicationTest(dev_genesis(GetParam())) {}
};

TEST_P(DecidedRulesTest, make_the_same_block_of_what_others_propose) {
    pool(payment(0));
    const BlockPlan wanted = plan();
    const auto proposal = application_.prepare(wanted);
    ASSERT_TRUE(proposal.has_value()) << to_string(proposal.error());
    ASSERT_EQ(proposal->transactions.size(), 1u);
    const auto own = finalize(decided(wanted, *proposal), Unexecutable::left_out);
    ASSERT_TRUE(own.has_value()) << to_string(own.error());

    ChainApplication other(chain_, node_.mempool(), {});
    Proposal list = *proposal;
    list.transactions.push_back(payment(0));  // which cannot be executed again
    for (const Proposal& given : {*proposal, list}) {
        const auto finalized = other.finalize(decided(wanted, given), Unexecutable::left_out);
        ASSERT_TRUE(finalized.has_value()) << to_string(finalized.error());
        EXPECT_EQ(finalized->hash, own->hash);
    }
    ASSERT_TRUE(other.commit().has_value());
}

INSTANTIATE_TEST_SUITE_P(Forks, DecidedRulesTest,
                         testing::Values(Revision::byzantium, Revision::berlin, Revision::london,
                                         Revision::paris, Revision::shanghai, Revision::cancun,
                                         Revision::prague, Revision::osaka, Revision::amsterdam),
                         [](const auto& info) { return std::string{to_string(info.param)}; });

}  // namespace
}  // namespace heddle::node
