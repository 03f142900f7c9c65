// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "gas_plausibility.hpp"

#include <gtest/gtest.h>

#include "sample_blocks.hpp"

namespace heddle::consensus_adapter {
namespace {

constexpr std::uint64_t kGasLimit = 60'000'000;
constexpr std::size_t kFits = 10'000;  // what it pays for, of 10 bytes each: a large block

/// The smallest transactions that decode.
Block block_of(std::uint64_t number, std::size_t count, std::uint64_t gas_limit = kGasLimit) {
    Block block;
    block.header.number = number;
    block.header.gas_limit = gas_limit;
    Transaction tx;
    tx.r = tx.s = Uint256{1};
    block.transactions.assign(count, tx);
    return block;
}

std::size_t decoded_of(const GasPlausibility& plausibility, const Block& block) {
    const auto decoded = plausibility.decode(test::encode(block));
    if (!decoded.has_value()) return 0;
    EXPECT_EQ(decoded->transaction_count, block.transactions.size());
    EXPECT_EQ(decoded->block.header, block.header);
    return decoded->block.transactions.size();
}

TEST(GasPlausibility, what_the_gas_limit_pays_for_is_decoded) {
    const GasPlausibility plausibility(0, kGasLimit);
    EXPECT_EQ(decoded_of(plausibility, block_of(1, kFits)), kFits);
    EXPECT_EQ(decoded_of(GasPlausibility({}, {}), block_of(7, kFits)), kFits);
    EXPECT_EQ(decoded_of(GasPlausibility(0, {}), block_of(1, kFits)), kFits);
}

TEST(GasPlausibility, more_than_the_gas_limit_pays_for_is_refused) {
    const GasPlausibility plausibility(0, kGasLimit);
    const auto decoded = plausibility.decode(test::encode(block_of(1, kFits + 1)));
    ASSERT_FALSE(decoded.has_value());
    EXPECT_EQ(decoded.error().fault, ContentFault::too_many_transactions);
    EXPECT_EQ(decoded.error().reason, "10001 of them, and the gas limit is 60000000");
}

TEST(GasPlausibility, of_what_cannot_be_the_next_block_there_is_the_header) {
    const GasPlausibility plausibility(0, kGasLimit);
    EXPECT_EQ(decoded_of(plausibility, block_of(2, kFits)), 0u) << "a gap";
    EXPECT_EQ(decoded_of(plausibility, block_of(0, kFits)), 0u) << "there already";
    const std::uint64_t bound = kGasLimit + kGasLimit / 1024;
    EXPECT_EQ(decoded_of(plausibility, block_of(1, kFits, bound)), 0u);
    EXPECT_EQ(decoded_of(plausibility, block_of(1, kFits, bound - 1)), kFits);
}

TEST(GasPlausibility, blocks_further_on_have_a_bound) {
    GasPlausibility plausibility(7, 1'024'000);
    EXPECT_EQ(GasPlausibility({}, {}).bound().at(7), ~std::uint64_t{0});
    EXPECT_EQ(plausibility.bound().at(8), 2 * 1'025'000u) << "it may be the first with a base fee";
    Block block = block_of(8, 0, 1'024'000);
    block.header.base_fee_per_gas = Uint256{7};
    plausibility.pass(block.header);
    EXPECT_EQ(plausibility.bound().at(9), 1'025'000u);
    EXPECT_EQ(plausibility.bound().at(10), 1'025'000u + 1'000u);
    EXPECT_EQ(plausibility.bound().at(~std::uint64_t{0}), ~std::uint64_t{0});
    EXPECT_EQ((GasBound{0, 1'023}.at(~std::uint64_t{0})), 1'023u);
    // What cannot follow raises nothing, nor does what comes after it.
    block.header.number = 9;
    block.header.gas_limit = ~std::uint64_t{0};
    plausibility.pass(block.header);
    ++block.header.number;
    plausibility.pass(block.header);
    EXPECT_EQ(plausibility.bound().at(9), 1'025'000u);
}

TEST(PaidBlock, is_decoded_as_far_as_its_gas_limit_and_the_bound_pay) {
    const auto reason_of = [](const Block& block, const GasBound& bound) {
        const auto decoded = decode_paid_block(test::encode(block), bound);
        if (decoded.has_value()) EXPECT_EQ(*decoded, block);
        return decoded.has_value() ? std::string{} : decoded.error();
    };
    const Block block = block_of(9, kFits);
    EXPECT_EQ(reason_of(block, {}), "");
    EXPECT_EQ(reason_of(block, {8, kGasLimit}), "");
    EXPECT_EQ(reason_of(block, {8, kGasLimit / 2}),
              "too many transactions: 10000 of them, and the gas limit can be 30029296 at most, "
              "whatever it says");
    EXPECT_EQ(reason_of(block_of(9, kFits + 1), {}),
              "too many transactions: 10001 of them, and the gas limit is 60000000");
    EXPECT_EQ(reason_of(block_of(9, 1, 0), {8, 0}), "") << "small ones are for whoever executes";
    EXPECT_NE(decode_paid_block(Bytes{0xc1}, {}).has_value(), true);
    const BlockHeader after = block_of(9, 0, kGasLimit).header;
    EXPECT_EQ(bound_after(after).at(9), 2 * kGasLimit);
}

TEST(GasPlausibility, the_first_block_with_a_base_fee_may_have_twice_the_gas) {
    GasPlausibility plausibility(0, kGasLimit);
    Block block = block_of(1, kFits, 2 * kGasLimit);
    EXPECT_EQ(decoded_of(plausibility, block), 0u);
    block.header.base_fee_per_gas = Uint256{7};
    EXPECT_EQ(decoded_of(plausibility, block), kFits);
    plausibility.pass(block.header);
    block.header.number = 2;
    block.header.gas_limit = 4 * kGasLimit;
    EXPECT_EQ(decoded_of(plausibility, block), 0u) << "only once";
}

TEST(GasPlausibility, twice_a_huge_gas_limit_is_no_small_one) {
    constexpr std::uint64_t kHuge = (std::uint64_t{1} << 63) + 1;
    Block block = block_of(1, kFits, kHuge);
    block.header.base_fee_per_gas = Uint256{7};
    EXPECT_EQ(decoded_of(GasPlausibility(0, kHuge), block), kFits);
}

// Only the file tells whether the head has a base fee.
TEST(GasPlausibility, behind_a_head_with_a_base_fee_no_block_has_twice_the_gas) {
    GasPlausibility plausibility(1, kGasLimit);
    Block block = block_of(1, kFits);
    block.header.base_fee_per_gas = Uint256{7};
    plausibility.pass(block.header);
    block.header.number = 2;
    EXPECT_EQ(decoded_of(plausibility, block), kFits);
    block.header.gas_limit = 2 * kGasLimit;
    EXPECT_EQ(decoded_of(plausibility, block), 0u);
}

TEST(GasPlausibility, behind_a_block_that_cannot_follow_nothing_counts) {
    GasPlausibility plausibility(0, kGasLimit);
    plausibility.pass(block_of(1, 0, 2 * kGasLimit).header);
    EXPECT_EQ(decoded_of(plausibility, block_of(2, kFits, 2 * kGasLimit)), 0u);
}

// Files may overlap. What comes once more was taken for a block that cannot follow.
TEST(GasPlausibility, what_comes_once_more_changes_nothing) {
    GasPlausibility plausibility(0, kGasLimit);
    plausibility.pass(block_of(1, 0).header);
    plausibility.pass(block_of(2, 0).header);
    for (const std::uint64_t number : {1U, 2U}) {
        EXPECT_EQ(decoded_of(plausibility, block_of(number, kFits)), 0u) << "there already";
        plausibility.pass(block_of(number, 0, 9 * kGasLimit).header);
    }
    EXPECT_EQ(decoded_of(plausibility, block_of(3, kFits, 9 * kGasLimit)), 0u);
    EXPECT_EQ(decoded_of(plausibility, block_of(3, kFits)), kFits);
}

// Files may begin with blocks that are there, whose headers nobody has checked yet.
TEST(GasPlausibility, what_follows_the_head_is_measured_by_the_head) {
    GasPlausibility plausibility(2, kGasLimit);
    plausibility.pass(block_of(1, 0, 9 * kGasLimit).header);
    plausibility.pass(block_of(2, 0, 9 * kGasLimit).header);
    EXPECT_EQ(decoded_of(plausibility, block_of(3, kFits, 9 * kGasLimit)), 0u);
    EXPECT_EQ(decoded_of(plausibility, block_of(3, kFits)), kFits);
}

TEST(GasPlausibility, small_blocks_are_decoded_whatever_they_say) {
    const GasPlausibility plausibility(0, kGasLimit);
    EXPECT_EQ(decoded_of(plausibility, block_of(5, 100, 1)), 100u);
}

TEST(GasPlausibility, bytes_that_are_no_block_are_told_as_ever) {
    Bytes bytes = test::encode(block_of(1, kFits));
    bytes[bytes.size() - 3] = 0;  // r of the last transaction, behind which there are no ommers
    const auto decoded = GasPlausibility(0, kGasLimit).decode(bytes);
    ASSERT_FALSE(decoded.has_value());
    EXPECT_EQ(decoded.error().fault, ContentFault::malformed_block);
    EXPECT_EQ(decoded.error().reason, to_string(decode_block(bytes).error()));
}

}  // namespace
}  // namespace heddle::consensus_adapter
