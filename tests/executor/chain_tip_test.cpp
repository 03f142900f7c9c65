// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "stream/chain_tip.hpp"

#include <gtest/gtest.h>

namespace heddle::executor {
namespace {

TEST(ChainTip, knows_nothing_in_witness_mode) {
    const ChainTip tip;

    EXPECT_EQ(tip.parent(), nullptr);
    EXPECT_EQ(tip.total_difficulty(), std::nullopt);
}

TEST(ChainTip, puts_the_newest_block_first_and_keeps_seven) {
    BlockHeader genesis;
    ChainTip tip{make_chain_head(genesis, Uint256{1})};
    EXPECT_EQ(tip.parent()->hash, header_hash(genesis));

    for (std::uint64_t number = 1; number <= 9; ++number) {
        BlockHeader header;
        header.number = number;
        header.difficulty = Uint256{number};
        tip.extend(header, to_hash(Uint256{number}), {to_hash(Uint256{100 + number})});
    }

    ASSERT_EQ(tip.ancestors().size(), kAncestorsForOmmers);
    for (std::size_t i = 0; i < kAncestorsForOmmers; ++i) {
        EXPECT_EQ(tip.ancestors()[i].header.number, 9 - i);
        EXPECT_EQ(tip.ancestors()[i].hash, to_hash(Uint256{9 - i}));
        EXPECT_EQ(tip.ancestors()[i].ommers.size(), 1u);
    }
    EXPECT_EQ(tip.total_difficulty(), Uint256{1 + 45});
}

}  // namespace
}  // namespace heddle::executor
