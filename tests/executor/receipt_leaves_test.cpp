// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "stream/receipt_leaves.hpp"

#include <vector>

#include <gtest/gtest.h>

#include <vm/block.hpp>

namespace heddle::executor {
namespace {

std::vector<Receipt> some_receipts(std::size_t count) {
    std::vector<Receipt> receipts(count);
    for (std::size_t i = 0; i < count; ++i) {
        receipts[i].type = TransactionType::dynamic_fee;
        receipts[i].success = i % 3 != 0;
        receipts[i].cumulative_gas_used = 21'000 * (i + 1);
    }
    return receipts;
}

LeafRange all_of(const std::vector<Receipt>& receipts) {
    const auto count = static_cast<std::uint32_t>(receipts.size());
    return {.begin = 0, .end = count, .count = count};
}

TEST(ReceiptLeaves, give_the_root_of_the_receipts_however_they_were_hashed) {
    std::vector<Receipt> receipts = some_receipts(200);
    ReceiptLeaves leaves;
    LeafMaker maker;

    leaves.begin(130, true);
    leaves.hash(receipts.data(), {.begin = 100, .end = 130, .count = 200}, maker);
    leaves.reserve(200);
    leaves.hash(receipts.data(), {.begin = 130, .end = 200, .count = 200}, maker);
    for (std::uint32_t i = 0; i < 100; ++i)
        leaves.hash(receipts.data(), {.begin = i, .end = i + 1, .count = 200}, maker);

    EXPECT_EQ(leaves.root(receipts.size()), vm::receipts_root(receipts));
}

TEST(ReceiptLeaves, make_the_blooms_of_receipts_and_block) {
    std::vector<Receipt> receipts = some_receipts(60);
    LogsBloom expected;
    for (std::size_t i = 0; i < receipts.size(); i += 3) {
        Log& log = receipts[i].logs.emplace_back();
        log.address = address_from_low64(i % 5);
        log.topics.push_back(to_hash(Uint256{i}));
        expected |= logs_bloom(receipts[i].logs);
    }
    ReceiptLeaves leaves;
    LeafMaker maker;
    for (int block = 0; block < 2; ++block) {
        leaves.begin(receipts.size(), true);
        for (std::size_t i = 0; i < receipts.size(); ++i)
            leaves.add(i, receipts[i]);
        leaves.hash(receipts.data(), {.begin = 40, .end = 60, .count = 60}, maker);
        leaves.hash(receipts.data(), {.begin = 0, .end = 40, .count = 60}, maker);

        EXPECT_EQ(leaves.bloom(), expected);
        for (Receipt& receipt : receipts) {
            EXPECT_EQ(receipt.bloom, logs_bloom(receipt.logs));
            if (!receipt.logs.empty()) receipt.bloom.bytes.fill(0xff);  // what was there goes
        }
    }
}

TEST(ReceiptLeaves, leave_no_block_without_its_bloom) {
    std::vector<Receipt> receipts = some_receipts(20);
    receipts[7].logs.emplace_back().address = address_from_low64(7);
    const LogsBloom expected = logs_bloom(receipts[7].logs);
    for (const bool are_needed : {true, false}) {
        vm::BlockExecution execution;
        execution.receipts() = receipts;
        ReceiptLeaves leaves;
        LeafMaker maker;
        leaves.begin(receipts.size(), are_needed);
        if (are_needed) leaves.hash(execution.receipts().data(), all_of(receipts), maker);

        leaves.tell_bloom(execution);

        EXPECT_EQ(execution.result().logs_bloom, expected) << are_needed;
        EXPECT_EQ(execution.receipts()[7].bloom, expected) << are_needed;
    }
}

TEST(ReceiptLeaves, serve_one_block_after_the_other) {
    ReceiptLeaves leaves;
    LeafMaker maker;
    for (const std::size_t count : {7u, 3u, 0u, 20u}) {
        std::vector<Receipt> receipts = some_receipts(count);
        leaves.begin(count, true);
        leaves.hash(receipts.data(), all_of(receipts), maker);
        EXPECT_EQ(leaves.root(receipts.size()), vm::receipts_root(receipts)) << count;
    }
}

TEST(ReceiptLeaves, do_not_read_again_what_was_told_of_a_receipt_without_logs) {
    std::vector<Receipt> receipts = some_receipts(60);
    receipts[3].type = TransactionType::legacy;
    receipts[20].logs.emplace_back().address = address_from_low64(1);
    receipts[20].bloom = logs_bloom(receipts[20].logs);
    receipts[40].post_state = Hash{};
    std::vector<Receipt> kept(receipts.size());
    kept[20] = receipts[20];
    kept[40] = receipts[40];
    ReceiptLeaves leaves;
    LeafMaker maker;

    leaves.begin(receipts.size(), true);
    for (std::size_t i = 0; i < receipts.size(); ++i)
        leaves.add(i, receipts[i]);
    leaves.hash(kept.data(), all_of(kept), maker);

    EXPECT_EQ(leaves.root(receipts.size()), vm::receipts_root(receipts));
}

TEST(ReceiptLeaves, are_hashed_once_where_their_number_was_known) {
    for (const std::size_t count : {1u, 2u, 17u, 128u, 129u}) {
        std::vector<Receipt> receipts = some_receipts(count);
        const Hash expected = vm::receipts_root(receipts);
        ReceiptLeaves leaves;
        LeafMaker maker;
        leaves.begin(count, true);
        leaves.hash(receipts.data(), all_of(receipts), maker);

        receipts = some_receipts(0);
        receipts.resize(count);  // whoever encodes them again gets something else

        EXPECT_EQ(leaves.correct(receipts, maker), 0u) << count;
        EXPECT_EQ(leaves.root(count), expected) << count;
    }
}

TEST(ReceiptLeaves, are_hashed_again_where_there_are_fewer_than_expected) {
    std::vector<Receipt> receipts = some_receipts(33);
    ReceiptLeaves leaves;
    LeafMaker maker;
    leaves.begin(200, true);
    leaves.hash(receipts.data(), {.begin = 0, .end = 33, .count = 200}, maker);

    EXPECT_EQ(leaves.correct(receipts, maker), 2u) << "the first and the last";
    EXPECT_EQ(leaves.root(receipts.size()), vm::receipts_root(receipts));
}

TEST(ReceiptLeaves, forget_what_was_told_of_the_block_before) {
    const std::vector<Receipt> before = some_receipts(20);
    std::vector<Receipt> receipts = before;
    for (Receipt& receipt : receipts)
        receipt.cumulative_gas_used += 7;
    ReceiptLeaves leaves;
    LeafMaker maker;
    leaves.begin(before.size(), true);
    for (std::size_t i = 0; i < before.size(); ++i)
        leaves.add(i, before[i]);

    leaves.begin(receipts.size(), true);
    leaves.hash(receipts.data(), all_of(receipts), maker);

    EXPECT_EQ(leaves.root(receipts.size()), vm::receipts_root(receipts));
}

TEST(ReceiptLeaves, have_no_root_where_nobody_needs_one) {
    ReceiptLeaves leaves;
    leaves.begin(2, false);

    LeafMaker maker;

    EXPECT_FALSE(leaves.are_needed());
    EXPECT_EQ(leaves.correct(some_receipts(2), maker), 0u);
    EXPECT_FALSE(leaves.root(2).has_value());
}

}  // namespace
}  // namespace heddle::executor
