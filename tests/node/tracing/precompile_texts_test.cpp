// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Words and their order as geth 1.17.8 has them. Points are the first of their kind, by x.
#include "tracing/precompile_texts.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <types/bytes.hpp>

namespace heddle::node {
namespace {

/// Numbers in hexadecimal digits, each in as many bytes, one behind the other.
Bytes fields(std::size_t bytes, std::initializer_list<std::string_view> numbers) {
    std::string digits = "0x";
    for (const std::string_view number : numbers)
        digits += std::string(2 * bytes - number.size(), '0') + std::string(number);
    return from_hex(digits).value();
}
Bytes operator+(Bytes a, const Bytes& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

constexpr std::string_view kBnPrime =
    "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47";
constexpr std::string_view kBlsPrime =
    "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f624"
    "1eabfffeb153ffffb9feffffffffaaab";
constexpr std::string_view kOrder =
    "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001";

const Bytes kBnPoint = fields(32, {"1", "2"});
const Bytes kBnOutside = fields(32, {"1", "3"});
/// Of the twist, but not of the group: x is 1.
const Bytes kBnTwist =
    fields(32, {"0", "1", "d1271953ed9ea0836846e70a1934187998c7f790cb4d7511b7f8da82de048a4",
                "2869111d5381f072f8e2728fdb825a51aadd70e52c9830e9ab4b871c0531f1bb"});

/// Of the curve, but not of the group.
const Bytes kG1 = fields(64, {"0", "2"});
const Bytes kG2 = fields(64, {"2", "0",
                              "18c6b864ae17dc9da64203ffefb966306425a7bc6aeb7c75247438372716284a"
                              "4173830420cd476ba1a365b95bfcec38",
                              "172e93db764a8400a7d5071b6b6f5de0da2f0f4a063119abca014006b7c40a2c"
                              "fe291a1924e65db0d6d0fcfbf3bf3d5c"});
const Bytes kG1Infinity(128);
const Bytes kG2Infinity(256);
const Bytes kG1Outside = fields(64, {"1", "1"});
const Bytes kG2Outside = fields(64, {"1", "0", "1", "0"});
const Bytes kScalar(32);

TEST(PrecompileTexts, the_first_point_that_is_wrong_tells) {
    const Bytes large = fields(32, {"1", kBnPrime});

    EXPECT_EQ(precompile_text(0x06, kBnPoint + large), "invalid fp.Element encoding");
    EXPECT_EQ(precompile_text(0x06, kBnOutside + large), "point is not on curve");
    EXPECT_EQ(precompile_text(0x06, fields(32, {"1"})), "point is not on curve") << "filled up";
    EXPECT_EQ(precompile_text(0x07, kBnOutside + large), "point is not on curve");
}

TEST(PrecompileTexts, pairings_on_bn254) {
    const Bytes infinity(128);

    EXPECT_EQ(precompile_text(0x08, kBnPoint), "bad elliptic curve pairing size");
    EXPECT_EQ(precompile_text(0x08, kBnPoint + kBnTwist), "point is not in correct subgroup");
    EXPECT_EQ(precompile_text(0x08, kBnPoint + fields(32, {"1", "1", "1", "1"})),
              "point is not on curve");
    EXPECT_EQ(precompile_text(0x08, kBnPoint + fields(32, {"1", "1", "1", kBnPrime})),
              "invalid fp.Element encoding");
    EXPECT_EQ(precompile_text(0x08, kBnPoint + infinity + kBnOutside + kBnTwist),
              "point is not on curve");
}

TEST(PrecompileTexts, groups_of_bls12) {
    const Bytes large = fields(64, {kBlsPrime, "1"});
    Bytes top = kG1Infinity;
    top[15] = 1;

    EXPECT_EQ(precompile_text(0x0b, kG1), "invalid input length");
    EXPECT_EQ(precompile_text(0x0b, kG1 + kG1Outside), "invalid point: not on curve");
    EXPECT_EQ(precompile_text(0x0b, kG1 + large), "invalid fp.Element encoding");
    EXPECT_EQ(precompile_text(0x0b, kG1 + top), "invalid field element top bytes");
    EXPECT_EQ(precompile_text(0x0c, kG1Infinity + kScalar + kG1 + kScalar),
              "g1 point is not on correct subgroup");
    EXPECT_EQ(precompile_text(0x0c, {}), "invalid input length");
    EXPECT_EQ(precompile_text(0x0d, kG2 + kG2Outside), "invalid point: not on curve");
    EXPECT_EQ(precompile_text(0x0e, kG2 + kScalar + kG2Outside + kScalar),
              "g2 point is not on correct subgroup");
    EXPECT_EQ(precompile_text(0x10, fields(64, {kBlsPrime})), "invalid fp.Element encoding");
    EXPECT_EQ(precompile_text(0x11, fields(64, {"1"})), "invalid input length");
}

TEST(PrecompileTexts, pairings_ask_for_the_curve_before_the_group) {
    EXPECT_EQ(precompile_text(0x0f, kG1 + kG2Infinity), "g1 point is not on correct subgroup");
    EXPECT_EQ(precompile_text(0x0f, kG1Infinity + kG2), "g2 point is not on correct subgroup");
    EXPECT_EQ(precompile_text(0x0f, kG1 + kG2), "g1 point is not on correct subgroup");
    EXPECT_EQ(precompile_text(0x0f, kG1 + kG2Outside), "invalid point: not on curve");
}

/// Input of the point evaluation, with the hash that belongs to the commitment: the infinity.
Bytes proof_input(std::string_view z, std::string_view y, const Bytes& proof) {
    const Bytes infinity = from_hex("0xc0").value() + Bytes(47);
    return fields(32, {"010657f37554c781402a22917dee2f75def7ab966d7b770905398eba3c444014", z, y}) +
           infinity + proof;
}
/// A compressed point whose first byte is `first`.
Bytes compressed(std::uint8_t first, std::string_view x) {
    Bytes point = fields(48, {x});
    point[0] |= first;
    return point;
}

TEST(PrecompileTexts, proofs_tell_what_is_wrong_with_them) {
    const auto text = [](const Bytes& input) {
        const std::string whole = precompile_text(0x0a, input);
        constexpr std::string_view kStart = "error verifying kzg proof: ";
        EXPECT_TRUE(whole.starts_with(kStart)) << whole;
        return whole.substr(std::min(kStart.size(), whole.size()));
    };
    const auto proof_of = [&](std::uint8_t first, std::string_view x) {
        return text(proof_input("0", "1", compressed(first, x)));
    };

    EXPECT_EQ(proof_of(0xc0, "0"), "can't verify opening proof");
    EXPECT_EQ(proof_of(0xc0, "1"), "invalid infinity point encoding");
    EXPECT_EQ(proof_of(0x00, "1"), "short buffer");
    EXPECT_EQ(proof_of(0x40, "0"), "short buffer");
    for (const unsigned form : {0x20u, 0x60u, 0xe0u})
        EXPECT_EQ(proof_of(static_cast<std::uint8_t>(form), "1"), "invalid point encoding");
    EXPECT_EQ(proof_of(0x80, kBlsPrime), "invalid fp.Element encoding");
    EXPECT_EQ(proof_of(0xa0, "1"), "invalid compressed coordinate: square root doesn't exist");
    EXPECT_EQ(proof_of(0x80, "4"), "invalid point: subgroup check failed");
    EXPECT_EQ(text(proof_input(kOrder, "1", Bytes(48))),
              "scalar is not canonical when interpreted as a big integer in big-endian");
    EXPECT_EQ(precompile_text(0x0a, Bytes(192)), "mismatched versioned hash");
    EXPECT_EQ(precompile_text(0x0a, Bytes(191)), "invalid input length");
}

}  // namespace
}  // namespace heddle::node
