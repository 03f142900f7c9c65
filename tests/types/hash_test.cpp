// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/hash.hpp>

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Hash, text_round_trips) {
    const std::string text = "0x" + std::string(62, '0') + "ab";

    const auto hash = hash_from_hex(text);

    ASSERT_TRUE(hash.has_value());
    EXPECT_EQ(hash->bytes[31], 0xab);
    EXPECT_EQ(to_string(*hash), text);
    EXPECT_EQ(hash_from_hex(text.substr(2)), hash);
}

TEST(Hash, text_of_another_length_is_refused) {
    EXPECT_EQ(hash_from_hex("0x" + std::string(63, '0')), std::nullopt);
    EXPECT_EQ(hash_from_hex("0x" + std::string(66, '0')), std::nullopt);
    EXPECT_EQ(hash_from_hex("0x" + std::string(63, '0') + "g"), std::nullopt);
    EXPECT_EQ(hash_from_hex(""), std::nullopt);
}

TEST(Hash, word_is_big_endian) {
    Hash hash;
    hash.bytes[0] = 0x80;
    hash.bytes[31] = 0x01;

    const Uint256 word = to_word(hash);

    EXPECT_EQ(word, (Uint256{1} << 255) + Uint256{1});
    EXPECT_EQ(to_hash(word), hash);
}

TEST(Hash, orders_as_its_bytes_do) {
    EXPECT_LT(to_hash(Uint256{1}), to_hash(Uint256{1} << 248));
    EXPECT_TRUE(Hash{}.is_zero());
    EXPECT_FALSE(kEmptyCodeHash.is_zero());
}

}  // namespace
}  // namespace heddle
