// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain/block_tries.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <ledger/state_root.hpp>

#include "test_chain.hpp"

namespace heddle::node {
namespace {

using test::TestChain;

class BlockTriesTest : public testing::Test {
protected:
    /// A block that makes so many accounts.
    void commit(std::uint64_t accounts) {
        TestChain::Plan plan;
        for (std::uint64_t i = 0; i < accounts; ++i) {
            AccountChange change{address_from_low64(++made_), Account{1, 1}, false, {}};
            change.storage = {{1, made_}};
            plan.diff.accounts.push_back(std::move(change));
        }
        (void)made_chain_.commit(std::move(plan));
    }
    [[nodiscard]] Chain& chain() { return made_chain_.chain(); }
    [[nodiscard]] Hash root_of(std::uint64_t number) {
        return chain().header(number).value()->header.state_root;
    }

    TestChain made_chain_;
    std::uint64_t made_ = 1'000'000;
};

constexpr std::uint64_t kMany = 1'500;  // with a slot each, more than is moved under a lock

TEST_F(BlockTriesTest, what_is_far_is_proved_while_blocks_are_committed) {
    const Address first = address_from_low64(made_ + 1);
    for (int i = 0; i < 4; ++i)
        commit(kMany);
    // Whoever asked while holding what commits need would wait for itself.
    int commits = 0;
    BlockTries tries(chain(), 1, [&] {
        if (commits++ < 3) commit(1);
        return true;
    });

    const auto proof = tries.prove(first, {1});

    ASSERT_TRUE(proof.has_value()) << to_string(proof.error());
    EXPECT_GE(commits, 3);
    EXPECT_EQ(chain().head().header.number, 7u);
    ASSERT_EQ(proof->slots.size(), 1u);
    EXPECT_EQ(proof->slots[0].value, Uint256{1'000'001});
    EXPECT_EQ(keccak256(proof->nodes.front()), root_of(1));
    // The same tries answer the next question.
    EXPECT_EQ(tries.root_with({}).value(), root_of(1));
    EXPECT_TRUE(tries.nodes(std::vector<ledger::TrieKey>{{std::nullopt, Hash{}}}).has_value());
}

TEST_F(BlockTriesTest, near_and_far_say_the_same) {
    commit(20);
    commit(20);
    const Address first = address_from_low64(made_ - 3);
    StateDiff diff;
    diff.accounts.push_back({first, Account{7, 7}, false, {{1, 5}, {2, 6}}});
    BlockTries near(chain(), 1, {});
    const auto near_proof = near.prove(first, {1, 2});
    const Hash near_root = near.root_with(diff).value();
    for (int i = 0; i < 3; ++i)
        commit(kMany);
    BlockTries far(chain(), 1, {});

    const auto far_proof = far.prove(first, {1, 2});

    ASSERT_TRUE(near_proof.has_value());
    ASSERT_TRUE(far_proof.has_value());
    EXPECT_EQ(near_proof->nodes, far_proof->nodes);
    EXPECT_EQ(near_proof->storage_root, far_proof->storage_root);
    EXPECT_EQ(far.root_with(diff).value(), near_root);
}

TEST_F(BlockTriesTest, a_question_with_many_values_keeps_no_commit_waiting) {
    commit(10);
    StateDiff diff;
    for (std::uint64_t i = 0; i < 4'000; ++i)
        diff.accounts.push_back({address_from_low64(5'000'000 + i), Account{1, 1}, false, {}});
    int commits = 0;
    BlockTries tries(chain(), 1, [&] {
        if (commits++ == 0) commit(1);
        return true;
    });

    const auto root = tries.root_with(diff);

    ASSERT_TRUE(root.has_value()) << to_string(root.error());
    EXPECT_GE(commits, 4) << "asked after each thousand of them";
    // What the ledger says of it, which has to move its own tries.
    EXPECT_EQ(made_chain_.ledger().state_root_with(1, diff).value(), *root);
}

TEST_F(BlockTriesTest, who_is_out_of_time_is_refused) {
    for (int i = 0; i < 3; ++i)
        commit(kMany);
    BlockTries tries(chain(), 1, [] { return false; });

    const auto proof = tries.prove(address_from_low64(1), {});

    ASSERT_FALSE(proof.has_value());
    EXPECT_EQ(proof.error().code, ledger::LedgerErrorCode::unavailable);
}

}  // namespace
}  // namespace heddle::node
