// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/bytes.hpp>

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Bytes, hexadecimal_text_round_trips) {
    EXPECT_EQ(to_hex({}), "0x");
    EXPECT_EQ(to_hex(Bytes{0x00, 0x0f, 0xa0, 0xff}), "0x000fa0ff");
    EXPECT_EQ(from_hex("0x000fa0ff"), (Bytes{0x00, 0x0f, 0xa0, 0xff}));
    EXPECT_EQ(from_hex("000FA0fF"), (Bytes{0x00, 0x0f, 0xa0, 0xff}));
    EXPECT_EQ(from_hex("0x"), Bytes{});
    EXPECT_EQ(from_hex(""), Bytes{});
}

TEST(Bytes, text_that_is_not_hexadecimal_is_refused) {
    for (const char* text : {"0", "0x0", "0xzz", "0x0g", " 00", "0x00 ", "00x0", "0x0x00"})
        EXPECT_EQ(from_hex(text), std::nullopt) << text;
}

TEST(Bytes, decoding_in_place_wants_the_exact_size) {
    std::uint8_t out[2] = {};

    EXPECT_TRUE(decode_hex("0xbeef", out));
    EXPECT_EQ(out[0], 0xbe);
    EXPECT_EQ(out[1], 0xef);
    EXPECT_FALSE(decode_hex("0xbe", out));
    EXPECT_FALSE(decode_hex("0xbeef00", out));
    EXPECT_FALSE(decode_hex("0xbeeg", out));
}

TEST(Bytes, equality_compares_size_and_content) {
    EXPECT_TRUE(equal({}, {}));
    EXPECT_TRUE(equal(Bytes{1, 2}, Bytes{1, 2}));
    EXPECT_FALSE(equal(Bytes{1, 2}, Bytes{1, 3}));
    EXPECT_FALSE(equal(Bytes{1, 2}, Bytes{1}));
}

}  // namespace
}  // namespace heddle
