// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Who puts proposals together: what the builders take of the same pool, and what they leave in it.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "building/chain_application_fixture.hpp"

namespace heddle::node {
namespace {

class BuildersTest : public ChainApplicationTest {
protected:
    static ChainApplicationOptions options(Builder builder) {
        ChainApplicationOptions result;
        result.builder = builder;
        result.executor.parallel.workers = 2;
        return result;
    }
    Proposal prepare(ChainApplication& application, const BlockPlan& wanted) {
        auto proposal = application.prepare(wanted);
        EXPECT_TRUE(proposal.has_value());
        return *std::move(proposal);
    }
    static std::vector<Hash> sorted_hashes(const Proposal& proposal) {
        std::vector<Hash> hashes;
        for (const Transaction& tx : proposal.transactions)
            hashes.push_back(transaction_hash(tx));
        std::ranges::sort(hashes);
        return hashes;
    }

    ChainApplication serial_{chain_, node_.mempool(), options(Builder::serial)};
    ChainApplication aria_{chain_, node_.mempool(), options(Builder::aria)};
};

TEST_F(BuildersTest, take_the_same_of_a_pool_that_fits) {
    for (std::size_t sender = 0; sender < 5; ++sender)
        for (std::uint64_t nonce = 0; nonce < 6; ++nonce)
            pool(nonce % 2 == 0 ? count(sender, nonce) : transfer(sender, nonce, sender + 1));

    const Proposal serial = prepare(serial_, plan());
    const Proposal aria = prepare(aria_, plan());

    EXPECT_EQ(serial.transactions.size(), 30u);
    EXPECT_EQ(sorted_hashes(aria), sorted_hashes(serial));
    EXPECT_EQ(aria.object_sets.size(), 30u);
}

TEST_F(BuildersTest, agree_on_the_block_that_one_of_them_has_put_together) {
    for (std::size_t sender = 0; sender < 5; ++sender) {
        pool(count(sender, 0));
        pool(transfer(sender, 1, 7));
    }
    const BlockPlan wanted = plan();
    const OrderedBlock block = block_of(wanted, prepare(aria_, wanted));

    const auto executed = serial_.finalize(block, Unexecutable::refused);
    ASSERT_TRUE(executed.has_value());
    EXPECT_EQ(executed->executions, 1u);
    EXPECT_EQ(executed->wrongly_declared, 0u);
    const auto kept = aria_.finalize(block, Unexecutable::refused);

    ASSERT_TRUE(kept.has_value());
    EXPECT_EQ(kept->executions, 0u);
    EXPECT_EQ(kept->hash, executed->hash);
    EXPECT_EQ(kept->receipts, executed->receipts);
}

TEST_F(BuildersTest, leave_in_the_pool_what_does_not_fit) {
    for (std::size_t sender = 0; sender < 5; ++sender)
        pool(burn(sender, 0));  // sixteen of sixty million gas each

    EXPECT_EQ(prepare(serial_, plan()).transactions.size(), 3u);
    EXPECT_EQ(prepare(aria_, plan()).transactions.size(), 3u);
    EXPECT_EQ(node_.mempool().status().pending, 5u);
}

}  // namespace
}  // namespace heddle::node
