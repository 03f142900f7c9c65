// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain/block_cache.hpp"

#include <memory>

#include <gtest/gtest.h>

namespace heddle::node {
namespace {

SharedServedBlock make_block(std::uint64_t number, std::size_t extra_bytes = 0) {
    auto stored = std::make_shared<ledger::StoredBlock>();
    stored->block.header.number = number;
    stored->block.header.extra_data.resize(extra_bytes);
    return make_served_block(std::move(stored));
}

TEST(ServedBlock, knows_hashes_sizes_and_where_the_logs_begin) {
    ledger::StoredBlock stored;
    stored.block.transactions.resize(3);
    stored.block.transactions[1].nonce = 7;
    stored.receipts.resize(3);
    stored.receipts[0].logs.resize(2);
    stored.receipts[1].logs.resize(3);
    Bytes encoded;
    encode_block(stored.block, encoded);

    const auto served = make_served_block(std::make_shared<const ledger::StoredBlock>(stored));

    EXPECT_EQ(served->transaction_hashes[1], transaction_hash(stored.block.transactions[1]));
    EXPECT_EQ(served->first_log_indices, (std::vector<std::uint32_t>{0, 2, 5}));
    EXPECT_EQ(served->size_bytes, encoded.size());
}

TEST(BlockCache, keeps_the_blocks_used_last) {
    constexpr std::size_t kBlock = 100'000;
    BlockCache cache(3 * 2 * kBlock);
    cache.add(make_block(1, kBlock), cache.clear_count());
    cache.add(make_block(2, kBlock), cache.clear_count());
    ASSERT_NE(cache.find(1), nullptr);

    cache.add(make_block(3, kBlock), cache.clear_count());

    EXPECT_NE(cache.find(1), nullptr);
    EXPECT_EQ(cache.find(2), nullptr);
    EXPECT_NE(cache.find(3), nullptr);
}

TEST(BlockCache, keeps_one_block_whatever_its_size) {
    BlockCache cache(1);
    cache.add(make_block(1), cache.clear_count());
    cache.add(make_block(2, 1000), cache.clear_count());

    EXPECT_EQ(cache.find(1), nullptr);
    EXPECT_EQ(cache.find(2)->stored->block.header.number, 2U);
}

TEST(BlockCache, adding_a_block_twice_keeps_the_first) {
    BlockCache cache(std::size_t{1} << 20);
    const SharedServedBlock first = make_block(1);
    cache.add(first, cache.clear_count());
    cache.add(make_block(1), cache.clear_count());

    EXPECT_EQ(cache.find(1), first);
}

TEST(BlockCache, a_block_that_was_read_before_others_were_taken_back_is_not_kept) {
    BlockCache cache(std::size_t{1} << 20);
    const std::uint64_t before = cache.clear_count();
    cache.clear();
    cache.add(make_block(1), before);
    EXPECT_EQ(cache.find(1), nullptr);

    cache.add(make_block(1), cache.clear_count());
    EXPECT_NE(cache.find(1), nullptr);
}

}  // namespace
}  // namespace heddle::node
