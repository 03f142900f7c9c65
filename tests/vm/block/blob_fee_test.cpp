// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include <gtest/gtest.h>

#include <vm/validate.hpp>

#include "chain_fixture.hpp"

namespace heddle::vm {
namespace {

constexpr std::uint64_t kCancunFraction = 3'338'477;

TEST(BlobFee, follows_the_exponential_of_eip_4844) {
    EXPECT_EQ(blob_base_fee(0, kCancunFraction), Uint256{1});
    // Figures from go-ethereum's tests of the same formula.
    EXPECT_EQ(blob_base_fee(2'314'057, kCancunFraction), Uint256{1});
    EXPECT_EQ(blob_base_fee(2'314'058, kCancunFraction), Uint256{2});
    EXPECT_EQ(blob_base_fee(std::uint64_t{10} << 20, kCancunFraction), Uint256{23});
}

// BLOBBASEFEE shows a price that nobody can pay. Products on the way to it have more than 256 bits.
TEST(BlobFee, is_exact_as_far_as_256_bits_hold_it) {
    const auto number = [](std::string_view digits) { return uint256_from_string(digits).value(); };
    // As go-ethereum's BLOBBASEFEE says it.
    EXPECT_EQ(blob_base_fee(500'000'000, kCancunFraction),
              number("0x10ce22ab45809aee5874013c7c5cc21a469b331be0702f60719a490"));
    // The largest, by the formula with unbounded integers.
    EXPECT_EQ(blob_base_fee(592'398'315, kCancunFraction),
              number("0xfffffd7f37d871923e777c8e1698f4a355b593742cb7f676ce08cf31f51e8874"));
    EXPECT_EQ(blob_base_fee(592'398'316, kCancunFraction), Uint256::max());
}

TEST(BlobFee, saturates_at_once_for_absurd_excess) {
    EXPECT_EQ(blob_base_fee(~std::uint64_t{0}, kCancunFraction), Uint256::max());
    EXPECT_EQ(blob_base_fee(1, 0), Uint256::max());
}

TEST(ExcessBlobGas, is_what_exceeds_the_target) {
    const ChainConfig config = test::config_at(Revision::cancun);
    BlockHeader parent = test::parent_at(Revision::cancun);

    parent.excess_blob_gas = kGasPerBlob;
    parent.blob_gas_used = kGasPerBlob;
    EXPECT_EQ(next_excess_blob_gas(parent, parent.timestamp + 12, config), 0u);

    parent.blob_gas_used = 6 * kGasPerBlob;
    EXPECT_EQ(next_excess_blob_gas(parent, parent.timestamp + 12, config), 4 * kGasPerBlob);
}

TEST(ExcessBlobGas, is_zero_in_the_first_block_with_blobs) {
    const ChainConfig config = test::config_at(Revision::cancun);

    EXPECT_EQ(next_excess_blob_gas(test::parent_at(Revision::shanghai), 2'000, config), 0u);
}

TEST(ExcessBlobGas, uses_the_target_in_force_at_the_childs_time) {
    ChainConfig config = test::config_at(Revision::cancun);
    config.blob_schedule.push_back({2'000, 6, 9, 5'007'716});
    BlockHeader parent = test::parent_at(Revision::cancun);
    parent.excess_blob_gas = 10 * kGasPerBlob;

    EXPECT_EQ(next_excess_blob_gas(parent, 1'999, config), 7 * kGasPerBlob);
    EXPECT_EQ(next_excess_blob_gas(parent, 2'000, config), 4 * kGasPerBlob);
}

TEST(ExcessBlobGas, keeps_rising_below_the_reserve_price) {
    const ChainConfig config = test::config_at(Revision::osaka);
    BlockHeader parent = test::parent_at(Revision::osaka);
    parent.excess_blob_gas = 10 * kGasPerBlob;
    parent.blob_gas_used = 9 * kGasPerBlob;

    // EIP-7918: a blob costs 1 wei per gas, less than 2^13 gas at the base fee of 1 gwei.
    EXPECT_EQ(next_excess_blob_gas(parent, 2'000, config), 13 * kGasPerBlob);

    parent.base_fee_per_gas = Uint256{7};
    EXPECT_EQ(next_excess_blob_gas(parent, 2'000, config), 13 * kGasPerBlob);
    parent.blob_gas_used = 7 * kGasPerBlob;
    EXPECT_EQ(next_excess_blob_gas(parent, 2'000, config), 11 * kGasPerBlob);
}

TEST(ExcessBlobGas, rises_from_nothing_once_the_target_is_met_below_the_reserve_price) {
    const ChainConfig config = test::config_at(Revision::osaka);
    BlockHeader parent = test::parent_at(Revision::osaka);
    parent.excess_blob_gas = 0;
    parent.blob_gas_used = 6 * kGasPerBlob;
    EXPECT_EQ(next_excess_blob_gas(parent, 2'000, config), 2 * kGasPerBlob);
    parent.blob_gas_used = 5 * kGasPerBlob;
    EXPECT_EQ(next_excess_blob_gas(parent, 2'000, config), 0u);
}

TEST(ExcessBlobGas, falls_again_where_a_blob_costs_as_much_as_its_execution) {
    const ChainConfig config = test::config_at(Revision::osaka);
    BlockHeader parent = test::parent_at(Revision::osaka);
    parent.excess_blob_gas = 10 * kGasPerBlob;
    parent.blob_gas_used = 3 * kGasPerBlob;
    // At 1 wei per gas a blob costs as much as 2^13 gas at 16 wei.
    parent.base_fee_per_gas = Uint256{16};
    EXPECT_EQ(next_excess_blob_gas(parent, 2'000, config), 7 * kGasPerBlob);
    parent.base_fee_per_gas = Uint256{17};
    EXPECT_EQ(next_excess_blob_gas(parent, 2'000, config), 11 * kGasPerBlob);
    // Times 2^13 this has no bit left of 256.
    parent.base_fee_per_gas = Uint256{1} << 250;
    EXPECT_EQ(next_excess_blob_gas(parent, 2'000, config), 11 * kGasPerBlob);
    // Execution that costs nothing is no dearer than a blob.
    parent.base_fee_per_gas = Uint256{};
    EXPECT_EQ(next_excess_blob_gas(parent, 2'000, config), 7 * kGasPerBlob);
}

TEST(ExcessBlobGas, has_a_reserve_price_from_the_first_block_of_osaka_on) {
    ChainConfig config = test::config_at(Revision::prague);
    config.osaka_time = 2'000;
    BlockHeader parent = test::parent_at(Revision::prague);
    parent.excess_blob_gas = 10 * kGasPerBlob;
    parent.blob_gas_used = 4 * kGasPerBlob;

    EXPECT_EQ(next_excess_blob_gas(parent, 1'999, config), 11 * kGasPerBlob);
    EXPECT_EQ(next_excess_blob_gas(parent, 2'000, config), 12 * kGasPerBlob);
}

// A schedule may end blobs: then nothing is divided by their number.
TEST(ExcessBlobGas, stays_where_there_may_be_no_blobs) {
    ChainConfig config = test::config_at(Revision::osaka);
    config.blob_schedule.push_back({2'000, 0, 0, 5'007'716});
    BlockHeader parent = test::parent_at(Revision::osaka);
    parent.excess_blob_gas = 10 * kGasPerBlob;

    EXPECT_EQ(next_excess_blob_gas(parent, 2'000, config), 10 * kGasPerBlob);
}

// A genesis may begin with any excess.
TEST(ExcessBlobGas, does_not_pass_64_bits) {
    constexpr std::uint64_t kMost = ~std::uint64_t{0};
    BlockHeader parent = test::parent_at(Revision::cancun);
    parent.excess_blob_gas = kMost - kGasPerBlob;
    parent.blob_gas_used = 6 * kGasPerBlob;
    EXPECT_EQ(next_excess_blob_gas(parent, 2'000, test::config_at(Revision::cancun)),
              kMost - 3 * kGasPerBlob);

    // The reserve price decides where the base fee is beyond all blobs' prices.
    parent.base_fee_per_gas = Uint256::max();
    const ChainConfig config = [] {
        ChainConfig cheap = test::config_at(Revision::osaka);
        cheap.blob_schedule.push_back({2'000, 6, 9, kMost});
        return cheap;
    }();
    parent.blob_gas_used = 9 * kGasPerBlob;
    EXPECT_EQ(next_excess_blob_gas(parent, 2'000, config), kMost);
}

}  // namespace
}  // namespace heddle::vm
