// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <ctime>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "block_ends.hpp"
#include "chain_fixture.hpp"

namespace heddle::vm {
namespace {

const Address kMiner = address_from_low64(0xa);
const Address kOther = address_from_low64(0xb);
const Uint256 kEther{1'000'000'000'000'000'000};

void apply_rewards(std::span<const OmmerReward> ommers, const Uint256& reward, Revision revision,
                   test::MapState& state) {
    BlockEnv env;
    env.beneficiary = kMiner;
    env.revision = revision;
    state.apply(reward_changes(env, reward, ommers, state).diff);
}

void apply_withdrawals(std::span<const Withdrawal> withdrawals, test::MapState& state) {
    state.apply(withdrawal_changes(withdrawals, Revision::shanghai, state).diff);
}

TEST(Rewards, shrink_fork_by_fork) {
    EXPECT_EQ(block_reward(Revision::frontier), Uint256{5} * kEther);
    EXPECT_EQ(block_reward(Revision::byzantium), Uint256{3} * kEther);
    EXPECT_EQ(block_reward(Revision::london), Uint256{2} * kEther);
    EXPECT_FALSE(block_reward(Revision::paris).has_value());
}

TEST(Rewards, share_with_ommers_by_their_depth) {
    test::MapState state;
    const OmmerReward ommers[] = {{kOther, 1}, {kOther, 6}};

    apply_rewards(ommers, Uint256{32} * kEther, Revision::homestead, state);

    EXPECT_EQ(state.accounts.at(kMiner).balance, Uint256{34} * kEther);
    EXPECT_EQ(state.accounts.at(kOther).balance, Uint256{28 + 8} * kEther);
}

TEST(Rewards, add_up_where_the_miner_also_mined_the_ommer) {
    test::MapState state;
    state.accounts[kMiner].balance = Uint256{7};
    const OmmerReward ommers[] = {{kMiner, 2}};

    apply_rewards(ommers, Uint256{32}, Revision::homestead, state);

    EXPECT_EQ(state.accounts.at(kMiner).balance, Uint256{7 + 32 + 1 + 24});
}

TEST(Rewards, of_nothing_create_the_beneficiary_before_spurious_dragon_only) {
    test::MapState before;
    apply_rewards({}, {}, Revision::homestead, before);
    EXPECT_TRUE(before.accounts.contains(kMiner));

    test::MapState after;
    apply_rewards({}, {}, Revision::spurious_dragon, after);
    EXPECT_TRUE(after.accounts.empty());
}

TEST(Withdrawals, credit_gwei) {
    test::MapState state;
    const Withdrawal withdrawals[] = {{0, 0, kMiner, 3}, {1, 0, kOther, 4}, {2, 0, kMiner, 5}};

    apply_withdrawals(withdrawals, state);

    EXPECT_EQ(state.accounts.at(kMiner).balance, Uint256{8'000'000'000});
    EXPECT_EQ(state.accounts.at(kOther).balance, Uint256{4'000'000'000});
}

TEST(Withdrawals, of_nothing_create_no_account_and_remove_an_empty_one) {
    test::MapState state;
    state.accounts[kOther] = {};
    const Withdrawal withdrawals[] = {{0, 0, kMiner, 0}, {1, 0, kOther, 0}};

    apply_withdrawals(withdrawals, state);

    EXPECT_TRUE(state.accounts.empty());
}

TEST(Withdrawals, do_not_overflow) {
    test::MapState state;
    const Withdrawal withdrawals[] = {{0, 0, kMiner, ~std::uint64_t{0}}};

    apply_withdrawals(withdrawals, state);

    EXPECT_EQ(state.accounts.at(kMiner).balance,
              Uint256{~std::uint64_t{0}} * Uint256{1'000'000'000});
}

// Before Osaka a block may have any number of them: looking each up among all others would take
// minutes.
TEST(Withdrawals, are_as_many_as_fit_into_a_block) {
    constexpr std::uint64_t kCount = 200'000;
    std::vector<Withdrawal> withdrawals;
    for (std::uint64_t i = 0; i < 2 * kCount; ++i)
        withdrawals.push_back({i, 0, address_from_low64(1 + i % kCount), 1});
    test::MapState state;

    const std::clock_t begin = std::clock();
    const StepChanges changes = withdrawal_changes(withdrawals, Revision::shanghai, state);
    const std::clock_t seconds = (std::clock() - begin) / CLOCKS_PER_SEC;

    EXPECT_EQ(changes.diff.accounts.size(), kCount);
    EXPECT_EQ(changes.accesses.accounts.size(), kCount);
    EXPECT_EQ(changes.diff.accounts.back().account->balance, Uint256{2'000'000'000});
    EXPECT_LT(seconds, 10);
}

}  // namespace
}  // namespace heddle::vm
