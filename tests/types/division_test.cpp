// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "division.hpp"

#include <gtest/gtest.h>

#include "random.hpp"

namespace heddle::detail {
namespace {

// floor((2^128 - 1) / d) - 2^64 by the definition, one bit at a time.
std::uint64_t reciprocal_by_definition(std::uint64_t d) {
    std::uint64_t quotient = 0;
    uint128 rest = 0;
    for (int i = 0; i < 128; ++i) {
        rest = rest << 1 | 1;
        quotient <<= 1;
        if (rest >= d) {
            rest -= d;
            quotient |= 1;
        }
    }
    return quotient;
}

TEST(Division, reciprocals_equal_their_definition) {
    test::Random random(test::test_seed());
    for (int i = 0; i < 20'000; ++i) {
        const std::uint64_t d = random.edge_word() | std::uint64_t{1} << 63;

        const std::uint64_t expected = reciprocal_by_definition(d);

        ASSERT_EQ(reciprocal_by_table(d), expected) << d << " seed " << test::test_seed();
        ASSERT_EQ(reciprocal_2by1(d), expected) << d << " seed " << test::test_seed();
    }
}

// Quotient words that are at their largest take the branch that random numbers never reach.
TEST(Division, divisors_whose_top_words_equal_the_remainder) {
    test::Random random(test::test_seed());
    for (int i = 0; i < 20'000; ++i) {
        const std::uint64_t top = random.edge_word() | std::uint64_t{1} << 63;
        const std::uint64_t middle = random.edge_word();
        const Uint256 divisor{random.edge_word(), middle, top, 0};
        const Uint256 dividend{random.edge_word(), random.edge_word(), middle, top};

        const DivModResult result = divmod(dividend, divisor);

        ASSERT_LT(result.remainder, divisor) << to_hex(dividend) << " / " << to_hex(divisor);
        ASSERT_EQ(result.quotient * divisor + result.remainder, dividend)
            << to_hex(dividend) << " / " << to_hex(divisor);
    }
}

TEST(Division, power_of_two_has_one_bit) {
    EXPECT_FALSE(is_power_of_two(Uint256{}));
    EXPECT_TRUE(is_power_of_two(Uint256{1}));
    EXPECT_TRUE(is_power_of_two(Uint256{0, 0, 0, std::uint64_t{1} << 63}));
    EXPECT_FALSE(is_power_of_two(Uint256{1, 1, 0, 0}));
}

}  // namespace
}  // namespace heddle::detail
