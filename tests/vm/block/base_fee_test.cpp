// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "chain_fixture.hpp"

namespace heddle::vm {
namespace {

const ChainConfig kConfig = test::config_at(Revision::london);

BlockHeader parent_with(std::uint64_t gas_used, std::uint64_t base_fee) {
    BlockHeader parent = test::parent_at(Revision::london);
    parent.gas_limit = 20'000'000;
    parent.gas_used = gas_used;
    parent.base_fee_per_gas = Uint256{base_fee};
    return parent;
}

TEST(BaseFee, stays_when_the_parent_met_the_target) {
    EXPECT_EQ(next_base_fee(parent_with(10'000'000, 1'000'000'000), kConfig),
              Uint256{1'000'000'000});
}

TEST(BaseFee, falls_by_a_tenth_part_of_what_was_left_unused) {
    // From EIP-1559's formula: 10^9 - 10^9 * 10^6 / 10^7 / 8.
    EXPECT_EQ(next_base_fee(parent_with(9'000'000, 1'000'000'000), kConfig), Uint256{987'500'000});
}

TEST(BaseFee, rises_by_an_eighth_after_a_full_block) {
    EXPECT_EQ(next_base_fee(parent_with(20'000'000, 1'000'000'000), kConfig),
              Uint256{1'125'000'000});
}

TEST(BaseFee, rises_by_one_wei_at_least) {
    EXPECT_EQ(next_base_fee(parent_with(10'000'001, 7), kConfig), Uint256{8});
}

TEST(BaseFee, does_not_fall_below_seven_wei) {
    EXPECT_EQ(next_base_fee(parent_with(0, 7), kConfig), Uint256{7});
}

TEST(BaseFee, of_any_size_changes_by_an_eighth_at_most) {
    const Uint256 huge = Uint256{1} << 250;  // times the target it has more than 256 bits
    BlockHeader parent = parent_with(0, 0);
    parent.base_fee_per_gas = huge;
    EXPECT_EQ(next_base_fee(parent, kConfig), huge - (Uint256{1} << 247));
    parent.gas_used = parent.gas_limit;
    EXPECT_EQ(next_base_fee(parent, kConfig), huge + (Uint256{1} << 247));
}

TEST(BaseFee, starts_at_one_gwei_with_london) {
    ChainConfig config = kConfig;
    config.london_block = 101;
    BlockHeader parent = parent_with(20'000'000, 0);
    parent.base_fee_per_gas.reset();

    EXPECT_EQ(next_base_fee(parent, config), Uint256{1'000'000'000});
}

}  // namespace
}  // namespace heddle::vm
