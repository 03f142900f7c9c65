// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "chain/chain.hpp"
#include "chain/read_scope.hpp"
#include "rpc/queries/block_selector.hpp"
#include "test_chain.hpp"

namespace heddle::test {
namespace {

TestChain::Plan plan_with_balance(std::uint64_t balance) {
    TestChain::Plan plan;
    TestChain::set_account(plan.diff, account_of(1), 0, Uint256{balance});
    return plan;
}

Uint256 balance_of(const StateView& state) {
    return state.account(account_of(1)).value().balance;
}

TEST(ChainReads, all_who_ask_for_the_head_share_its_state) {
    TestChain made;
    const auto first = made.chain().shared_state_at(0).value();
    EXPECT_EQ(made.chain().shared_state_at(0).value(), first);

    (void)made.commit(plan_with_balance(5));
    const auto second = made.chain().shared_state_at(1).value();

    EXPECT_EQ(balance_of(*first), Uint256{10} * Uint256{kEther});
    EXPECT_EQ(balance_of(*second), Uint256{5});
    EXPECT_EQ(balance_of(*made.chain().shared_state_at(0).value()), balance_of(*first));
    EXPECT_FALSE(made.chain().shared_state_at(2).has_value());
}

/// With `--history 0` a checkpoint drops the state of a head that somebody has just been told of.
TEST(ChainReads, the_latest_state_is_there_however_little_history_is_kept) {
    ledger::DurableLedgerOptions options;
    options.history_blocks = 0;
    options.checkpoint_blocks = 1;
    TestChain made(Revision::osaka, options);
    std::atomic<bool> is_over = false;
    std::atomic<int> refusals = 0;
    std::vector<std::jthread> readers;
    for (int i = 0; i < 3; ++i)
        readers.emplace_back([&] {
            while (!is_over)
                try {
                    (void)node::rpc::select_state(made.chain(), node::rpc::BlockSelector{});
                } catch (const node::rpc::RpcError&) {
                    ++refusals;
                }
        });
    for (std::uint64_t i = 1; i <= 400; ++i)
        (void)made.commit(plan_with_balance(i));
    is_over = true;
    readers.clear();
    EXPECT_EQ(refusals, 0);
}

TEST(ChainReads, blocks_above_the_head_are_not_there) {
    TestChain made;
    (void)made.commit({});

    EXPECT_EQ(made.chain().served_block(1).value()->stored, made.chain().head_block());
    EXPECT_EQ(made.chain().served_block(0).value()->stored->block.header.number, 0U);
    EXPECT_EQ(made.chain().served_block(2).value(), nullptr);
}

TEST(ChainReads, who_is_in_a_hurry_finds_what_is_in_memory) {
    TestChain made;
    (void)made.commit({});
    const auto hurried = [&](std::uint64_t number) {
        const node::ReadScope reads{node::ReadScope::Mode::hurry};
        const bool is_there = made.chain().served_block(number).value() != nullptr;
        EXPECT_EQ(made.chain().stored_block(number).value() != nullptr, is_there);
        EXPECT_EQ(reads.is_postponed(), !is_there && number < 2);
        return is_there;
    };
    EXPECT_TRUE(hurried(1));  // the head
    EXPECT_FALSE(hurried(0));
    EXPECT_FALSE(hurried(2));  // there is none
    ASSERT_NE(made.chain().served_block(0).value(), nullptr);
    EXPECT_TRUE(hurried(0));
}

// Readers ask while blocks are committed: every answer is of one block, never older than the head
// that was there when it was asked for.
TEST(ChainReads, are_consistent_while_the_head_moves) {
    constexpr std::uint64_t kBlocks = 60;
    TestChain made;
    (void)made.commit(plan_with_balance(1));
    std::atomic<bool> is_done{false};
    std::atomic<std::uint64_t> wrong{0};
    std::vector<std::jthread> readers;
    for (int i = 0; i < 3; ++i)
        readers.emplace_back([&] {
            while (!is_done) {
                const std::uint64_t number = made.chain().head_block()->block.header.number;
                const auto state = made.chain().shared_state_at(number);
                const auto block = made.chain().served_block(number);
                const bool is_right = state.has_value() && balance_of(**state) == Uint256{number} &&
                                      block.has_value() &&
                                      (*block)->stored->block.header.number == number;
                wrong += is_right ? 0 : 1;
            }
        });

    for (std::uint64_t number = 2; number <= kBlocks; ++number)
        (void)made.commit(plan_with_balance(number));
    is_done = true;
    readers.clear();

    EXPECT_EQ(wrong, 0U);
}

}  // namespace
}  // namespace heddle::test
