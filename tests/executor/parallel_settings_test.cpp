// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "parallel_settings.hpp"

#include <gtest/gtest.h>

namespace heddle::executor {
namespace {

BlockStart block_of(std::size_t transactions, std::uint64_t gas) {
    BlockStart block;
    block.transaction_count = transactions;
    block.header.gas_used = gas;
    return block;
}

TEST(SmallBlocks, have_few_transactions_of_little_gas_wherever_they_stand) {
    EXPECT_TRUE(is_small(block_of(1, 21'000), false));
    EXPECT_TRUE(is_small(block_of(3, 2'000'000), false));
    EXPECT_FALSE(is_small(block_of(4, 84'000), false));
}

// Blocks of three transactions of 16 Mgas ran in order, whatever was beside them.
TEST(SmallBlocks, are_not_large_for_having_few_transactions) {
    EXPECT_FALSE(is_small(block_of(1, 16'000'000), false));
    EXPECT_FALSE(is_small(block_of(3, 48'000'000), false));
    EXPECT_FALSE(is_small(block_of(3, 48'000'000), true));
}

TEST(SmallBlocks, are_larger_where_nothing_is_beside_them) {
    EXPECT_TRUE(is_small(block_of(16, 2'000'000), true));
    EXPECT_FALSE(is_small(block_of(16, 2'000'000), false));
    EXPECT_TRUE(is_small(block_of(80, 80 * 21'000), true)) << "plain transfers";
    EXPECT_FALSE(is_small(block_of(80, 1'500'000 + 80 * 25'000), true));
    EXPECT_TRUE(is_small(block_of(1, 60'000'000), true)) << "there is nothing to share";
}

TEST(LightBlocks, hold_little_else_than_plain_transfers) {
    BlockStart block = block_of(1'000, 1'000 * 21'000);
    block.are_senders_known = true;
    EXPECT_TRUE(is_light(block));
    block.header.gas_used = 1'000 * 30'000 + 1;
    EXPECT_FALSE(is_light(block));
}

TEST(LightBlocks, leave_no_senders_to_one_thread) {
    EXPECT_FALSE(is_light(block_of(1'000, 1'000 * 21'000)));
}

TEST(LightBlocks, have_a_header_that_says_what_they_use) {
    BlockStart block = block_of(1'000, 0);
    block.are_senders_known = true;
    block.mode = BlockMode::propose;
    EXPECT_FALSE(is_light(block));
}

}  // namespace
}  // namespace heddle::executor
