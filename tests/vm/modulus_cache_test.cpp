// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "modulus_cache.hpp"

#include <gtest/gtest.h>

namespace heddle::vm {
namespace {

constexpr Uint256 kFirst{0x3c208c16d87cfd47, 0x97816a916871ca8d, 0xb85045b68181585d,
                         0x30644e72e131a029};
constexpr Uint256 kSecond{0x43e1f593f0000001, 0x2833e84879b97091, 0xb85045b68181585d,
                          0x30644e72e131a029};

TEST(ModulusCache, products_do_not_depend_on_what_came_before) {
    ModulusCache moduli;
    const Uint256 a = Uint256::max();
    const Uint256 b = kFirst - Uint256{2};
    for (const Uint256& modulus : {kFirst, kFirst, kFirst, kSecond, kFirst, kSecond, kSecond,
                                   kSecond, Uint256{}, Uint256{}, Uint256{1}, Uint256{1}, kFirst})
        EXPECT_EQ(moduli.multiply(a, b, modulus), mulmod(a, b, modulus)) << to_hex(modulus);
}

TEST(ModulusCache, zero_modulus_gives_zero_at_first_use) {
    EXPECT_EQ(ModulusCache().multiply(Uint256{2}, Uint256{3}, Uint256{}), Uint256{});
}

}  // namespace
}  // namespace heddle::vm
