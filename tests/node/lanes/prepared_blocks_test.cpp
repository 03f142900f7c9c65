// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes/prepared_blocks.hpp"

#include <cstdint>

#include <gtest/gtest.h>

namespace heddle::node::lanes {
namespace {

using consensus_adapter::lanes::LaneBlock;
using consensus_adapter::lanes::PreparedBlock;

PreparedBlock block_of(std::uint64_t height, std::size_t bytes = 1) {
    LaneBlock block;
    block.height = height;
    block.items.emplace_back(bytes);
    return PreparedBlock{block, 1};
}

TEST(PreparedBlocks, gives_what_is_asked_for_and_forgets_what_is_below) {
    PreparedBlocks blocks;
    for (std::uint64_t height = 1; height <= 5; ++height)
        blocks.put(block_of(height));

    EXPECT_EQ(blocks.take(3).value().height(), 3u);
    EXPECT_FALSE(blocks.take(2).has_value());
    blocks.put(block_of(3));
    EXPECT_FALSE(blocks.take(3).has_value()) << "nobody asks for it again";
    EXPECT_EQ(blocks.take(4).value().height(), 4u);
    EXPECT_EQ(blocks.take(5).value().height(), 5u);
    EXPECT_FALSE(blocks.take(6).has_value());
}

TEST(PreparedBlocks, keeps_no_more_blocks_than_it_may) {
    PreparedBlocks blocks;
    for (std::uint64_t height = 1; height <= 2 * PreparedBlocks::kMostBlocks; ++height)
        blocks.put(block_of(height));

    std::size_t kept = 0;
    for (std::uint64_t height = 1; height <= 2 * PreparedBlocks::kMostBlocks; ++height)
        kept += blocks.take(height).has_value() ? 1 : 0;
    EXPECT_EQ(kept, PreparedBlocks::kMostBlocks);
}

TEST(PreparedBlocks, keeps_no_more_bytes_than_it_may_but_one_block_always) {
    PreparedBlocks blocks;
    constexpr std::size_t kLarge = PreparedBlocks::kMostBytes + 1;
    EXPECT_TRUE(blocks.has_room(kLarge));
    blocks.put(block_of(1, kLarge));
    EXPECT_FALSE(blocks.has_room(1));
    blocks.put(block_of(2));

    EXPECT_EQ(blocks.take(1).value().height(), 1u);
    EXPECT_FALSE(blocks.take(2).has_value());
    EXPECT_TRUE(blocks.has_room(kLarge)) << "nothing is counted that is gone";
}

}  // namespace
}  // namespace heddle::node::lanes
