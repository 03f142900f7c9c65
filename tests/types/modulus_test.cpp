// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <types/modulus.hpp>

#include <gtest/gtest.h>

#include "random.hpp"

namespace heddle {
namespace {

// mulmod() itself is tested against GMP.
TEST(Modulus, product_equals_that_of_one_division) {
    test::Random random(test::test_seed());
    for (int i = 0; i < 20'000; ++i) {
        const Modulus modulus(random.edge_uint256());
        for (int j = 0; j < 8; ++j) {
            const Uint256 a = random.edge_uint256();
            const Uint256 b = random.edge_uint256();
            ASSERT_EQ(modulus.multiply(a, b), mulmod(a, b, modulus.value()))
                << to_hex(a) << " * " << to_hex(b) << " mod " << to_hex(modulus.value()) << " seed "
                << test::test_seed();
        }
    }
}

// Products next to multiples of the modulus are where an estimated quotient is off.
TEST(Modulus, products_next_to_multiples_of_the_modulus) {
    test::Random random(test::test_seed());
    for (int i = 0; i < 20'000; ++i) {
        const Uint256 value = random.edge_uint256() | Uint256{0, 0, 0, 1};
        const Modulus modulus(value);
        const Uint256 factor = random.edge_uint256();
        for (const Uint256& other : {value, value - Uint256{1}, value + Uint256{1}, value << 1})
            ASSERT_EQ(modulus.multiply(factor, other), mulmod(factor, other, value))
                << to_hex(factor) << " * " << to_hex(other) << " mod " << to_hex(value) << " seed "
                << test::test_seed();
    }
}

TEST(Modulus, zero_gives_zero) {
    EXPECT_EQ(Modulus().multiply(Uint256::max(), Uint256::max()), Uint256{});
    EXPECT_EQ(Modulus(Uint256{}).multiply(Uint256{2}, Uint256{3}), Uint256{});
    EXPECT_EQ(Modulus(Uint256{1}).multiply(Uint256{2}, Uint256{3}), Uint256{});
}

}  // namespace
}  // namespace heddle
