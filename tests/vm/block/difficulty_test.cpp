// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "chain_fixture.hpp"

namespace heddle::vm {
namespace {

BlockHeader parent_with(std::uint64_t difficulty) {
    BlockHeader parent;
    parent.number = 9;
    parent.timestamp = 1'000;
    parent.difficulty = Uint256{difficulty};
    return parent;
}

TEST(Difficulty, moves_by_one_step_in_frontier) {
    const ChainConfig config = test::config_at(Revision::frontier);
    const BlockHeader parent = parent_with(2'048'000);

    EXPECT_EQ(next_difficulty(parent, 10, 1'012, config), Uint256{2'049'000});
    EXPECT_EQ(next_difficulty(parent, 10, 1'013, config), Uint256{2'047'000});
}

TEST(Difficulty, falls_further_the_longer_a_homestead_block_takes) {
    const ChainConfig config = test::config_at(Revision::homestead);
    const BlockHeader parent = parent_with(2'048'000);

    EXPECT_EQ(next_difficulty(parent, 10, 1'009, config), Uint256{2'049'000});
    EXPECT_EQ(next_difficulty(parent, 10, 1'030, config), Uint256{2'046'000});
    EXPECT_EQ(next_difficulty(parent, 10, ~std::uint64_t{0}, config), Uint256{1'949'000});
}

TEST(Difficulty, counts_a_byzantium_parent_with_ommers_as_more) {
    const ChainConfig config = test::config_at(Revision::byzantium);
    BlockHeader parent = parent_with(2'048'000);
    EXPECT_EQ(next_difficulty(parent, 10, 1'008, config), Uint256{2'049'000});

    parent.ommers_hash = Hash{};
    EXPECT_EQ(next_difficulty(parent, 10, 1'008, config), Uint256{2'050'000});
}

TEST(Difficulty, never_falls_below_the_minimum) {
    const ChainConfig config = test::config_at(Revision::homestead);

    EXPECT_EQ(next_difficulty(parent_with(131'072), 10, 2'000, config), Uint256{131'072});
}

TEST(Difficulty, doubles_the_bomb_every_hundred_thousand_blocks) {
    const ChainConfig config = test::config_at(Revision::frontier);
    const BlockHeader parent = parent_with(2'048'000);

    EXPECT_EQ(next_difficulty(parent, 199'999, 1'001, config), Uint256{2'049'000});
    EXPECT_EQ(next_difficulty(parent, 200'000, 1'001, config), Uint256{2'049'001});
    EXPECT_EQ(next_difficulty(parent, 400'000, 1'001, config), Uint256{2'049'004});
}

TEST(Difficulty, puts_the_bomb_off_fork_by_fork) {
    ChainConfig config = test::config_at(Revision::london);
    const BlockHeader parent = parent_with(2'048'000);
    EXPECT_EQ(next_difficulty(parent, 10'000'000, 1'001, config), Uint256{2'049'002});

    config.arrow_glacier_block = 0;
    EXPECT_EQ(next_difficulty(parent, 10'900'000, 1'001, config), Uint256{2'049'001});
    config.gray_glacier_block = 0;
    EXPECT_EQ(next_difficulty(parent, 11'600'000, 1'001, config), Uint256{2'049'001});
}

}  // namespace
}  // namespace heddle::vm
