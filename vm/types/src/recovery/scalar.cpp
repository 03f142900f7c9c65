// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "recovery/scalar.hpp"

#include <types/assert.hpp>
#include <types/modulus.hpp>

namespace heddle::recovery {
namespace {

const Modulus kOrder{kGroupOrder};

// The lattice of pairs (a, b) with a + b * lambda = 0 modulo the order has a short basis
// (Gallant, Lambert, Vanstone, CRYPTO 2001): (a1, b1) and (a2, b2) of 128 bits. The constants are
// those of libsecp256k1, and the test derives that they do what they should.
constexpr Uint256 kLambda{0xdf02967c1b23bd72, 0x122e22ea20816678, 0xa5261c028812645a,
                          0x5363ad4cc05c30e0};
constexpr Uint256 kMinusB1{0x6f547fa90abfe4c3, 0xe4437ed6010e8828, 0, 0};
constexpr Uint256 kMinusB2{0xd765cda83db1562c, 0x8a280ac50774346d, 0xfffffffffffffffe, ~0ull};
/// round(2^384 * b2 / order) and round(2^384 * -b1 / order).
constexpr Uint256 kG1{0xe893209a45dbb031, 0x3daa8a1471e8ca7f, 0xe86c90e49284eb15,
                      0x3086d221a7d46bcd};
constexpr Uint256 kG2{0x1571b4ae8ac47f71, 0x221208ac9df506c6, 0x6f547fa90abfe4c4,
                      0xe4437ed6010e8828};

/// (2^130 - 2^129 - 1) * (1 + lambda): what the signs of all bits and the offsets below add up to.
constexpr Uint256 kOffset{0xb5c2c1dcde9798d9, 0x589ae84826ba29e4, 0xc2bdd6bf7c118d6b,
                          0xa4e88a7dcb13034e};
/// Added to each half, which is between -2^128 and 2^128, to make it positive.
constexpr Uint256 kHalfOffset{0, 0, 1, 0};
constexpr Uint256 kHalfOrder{0xdfe92f46681b20a0, 0x5d576e7357a4501d, ~0ull, 0x7fffffffffffffff};

Uint256 add_scalars(const Uint256& a, const Uint256& b) noexcept {
    Uint256 sum;
    const bool is_above = add_overflow(a, b, sum);
    return is_above || sum >= kGroupOrder ? sum - kGroupOrder : sum;
}

/// round(a * b / 2^384).
Uint256 multiply_shifted(const Uint256& a, const Uint256& b) noexcept {
    std::uint64_t product[8] = {};
    for (std::size_t i = 0; i < 4; ++i) {
        std::uint64_t carry = 0;
        for (std::size_t j = 0; j < 4; ++j) {
            const uint128 t = uint128{a.words[i]} * b.words[j] + product[i + j] + carry;
            product[i + j] = static_cast<std::uint64_t>(t);
            carry = static_cast<std::uint64_t>(t >> 64);
        }
        product[i + 4] = carry;
    }
    return Uint256{product[6], product[7], 0, 0} + Uint256{product[5] >> 63};
}

/// a / 2 modulo the order, for a below it.
Uint256 halve(const Uint256& a) noexcept {
    if ((a.words[0] & 1) == 0) return a >> 1;
    return (a >> 1) + kHalfOrder + Uint256{1};
}

/// The inverse, by the binary extended algorithm of Euclid (Knuth, 4.5.2): of u and v the larger
/// one shrinks until one of them is 1; x and y say what times `a` they are.
Uint256 invert(const Uint256& a) noexcept {
    Uint256 u = a;
    Uint256 v = kGroupOrder;
    Uint256 x{1};
    Uint256 y{};
    while (u != Uint256{1} && v != Uint256{1}) {
        for (; (u.words[0] & 1) == 0; u = u >> 1)
            x = halve(x);
        for (; (v.words[0] & 1) == 0; v = v >> 1)
            y = halve(y);
        if (u >= v) {
            u -= v;
            x = add_scalars(x, negate_scalar(y));
        } else {
            v -= u;
            y = add_scalars(y, negate_scalar(x));
        }
    }
    return u == Uint256{1} ? x : y;
}

/// One of split_scalar()'s integers, from a half that is small or the order less something small.
Uint256 with_offset(const Uint256& half) noexcept {
    return half > kHalfOrder ? kHalfOffset - (kGroupOrder - half) : kHalfOffset + half;
}

}  // namespace

Uint256 multiply_scalars(const Uint256& a, const Uint256& b) noexcept {
    return kOrder.multiply(a, b);
}

Uint256 negate_scalar(const Uint256& a) noexcept {
    return a.is_zero() ? a : kGroupOrder - a;
}

void invert_scalars(std::span<Uint256> scalars) noexcept {
    HEDDLE_ASSERT(scalars.size() <= kMostInverses);
    std::array<Uint256, kMostInverses> before;  // products of all before each
    Uint256 product{1};
    for (std::size_t i = 0; i < scalars.size(); ++i) {
        before[i] = product;
        product = multiply_scalars(product, scalars[i]);
    }
    Uint256 inverse = invert(product);
    for (std::size_t i = scalars.size(); i-- > 0;) {
        const Uint256 next = multiply_scalars(inverse, scalars[i]);
        scalars[i] = multiply_scalars(inverse, before[i]);
        inverse = next;
    }
}

std::array<Uint256, 2> split_scalar(const Uint256& u) noexcept {
    const Uint256 k = halve(add_scalars(u, kOffset));
    const Uint256 c1 = multiply_scalars(multiply_shifted(k, kG1), kMinusB1);
    const Uint256 c2 = multiply_scalars(multiply_shifted(k, kG2), kMinusB2);
    const Uint256 second = add_scalars(c1, c2);
    const Uint256 first = add_scalars(k, negate_scalar(multiply_scalars(second, kLambda)));
    return {with_offset(first), with_offset(second)};
}

}  // namespace heddle::recovery
