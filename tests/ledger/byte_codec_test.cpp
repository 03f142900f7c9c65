// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "random.hpp"
#include "storage/byte_codec.hpp"

namespace heddle::ledger {
namespace {

const std::vector<std::uint64_t> kNumbers{0,     1,     127,        128,        255,  256,
                                          16383, 16384, 1ull << 62, 1ull << 63, ~0ull};

TEST(ByteCodec, numbers_come_back) {
    for (const std::uint64_t number : kNumbers) {
        Bytes bytes;
        append_uint64(number, bytes);
        append_varint(number, bytes);
        append_word(number, bytes);
        append_word(Uint256(number, number, number, number), bytes);

        ByteReader reader(bytes);

        EXPECT_EQ(reader.uint64(), number);
        EXPECT_EQ(reader.varint(), number);
        EXPECT_EQ(reader.word(), Uint256(number));
        EXPECT_EQ(reader.word(), Uint256(number, number, number, number));
        EXPECT_TRUE(reader.is_done());
    }
}

TEST(ByteCodec, numbers_look_as_documented) {
    Bytes bytes;
    append_uint64(0x0102, bytes);
    append_varint(300, bytes);
    append_word(0, bytes);
    append_word(0x1234, bytes);

    EXPECT_EQ(to_hex(bytes),
              "0x0000000000000102"
              "ac02"
              "00"
              "021234");
}

TEST(ByteCodec, big_endian_keys_are_in_the_order_of_their_numbers) {
    test::Random random(1);
    for (int i = 0; i < 200; ++i) {
        const std::uint64_t a = random.word().low64() >> random.below(64);
        const std::uint64_t b = random.word().low64() >> random.below(64);
        Bytes a_bytes;
        Bytes b_bytes;
        append_uint64(a, a_bytes);
        append_uint64(b, b_bytes);
        EXPECT_EQ(a < b, a_bytes < b_bytes);
    }
}

TEST(ByteCodec, hashes_and_addresses_come_back) {
    const Hash hash = keccak256(Bytes{1});
    const Address address = address_from_low64(0x1234);
    Bytes bytes;
    append(hash.view(), bytes);
    append(address.view(), bytes);

    ByteReader reader(bytes);

    EXPECT_EQ(reader.hash(), hash);
    EXPECT_EQ(reader.address(), address);
    EXPECT_TRUE(reader.is_done());
}

TEST(ByteCodec, numbers_that_could_be_shorter_are_refused) {
    for (const char* text : {"8000", "ff00", "80808000", "ffffffffffffffffff00"}) {
        const Bytes bytes = *from_hex(text);
        ByteReader reader(bytes);
        (void)reader.varint();
        EXPECT_FALSE(reader.is_good()) << text;
    }
    for (const char* text : {"0100", "020001", "2100000000000000000000000000000000"}) {
        const Bytes bytes = *from_hex(text);
        ByteReader reader(bytes);
        EXPECT_EQ(reader.word(), Uint256());
        EXPECT_FALSE(reader.is_good()) << text;
    }
}

TEST(ByteCodec, varint_beyond_64_bits_is_refused) {
    Bytes most;
    append_varint(std::numeric_limits<std::uint64_t>::max(), most);
    ASSERT_EQ(to_hex(most), "0xffffffffffffffffff01");
    for (const char* text : {"ffffffffffffffffff02", "ffffffffffffffffff7f",
                             "ffffffffffffffffffff01", "8080808080808080808080"}) {
        const Bytes bytes = *from_hex(text);
        ByteReader reader(bytes);
        (void)reader.varint();
        EXPECT_FALSE(reader.is_good()) << text;
    }
}

TEST(ByteCodec, after_the_first_thing_that_does_not_fit_everything_is_zero) {
    const Bytes bytes(40, 0xff);
    ByteReader reader(bytes);
    (void)reader.hash();
    ASSERT_TRUE(reader.is_good());

    EXPECT_EQ(reader.hash(), Hash{});
    EXPECT_EQ(reader.uint64(), 0u);
    EXPECT_EQ(reader.varint(), 0u);
    EXPECT_EQ(reader.byte(), 0u);
    EXPECT_TRUE(reader.rest().empty());
    EXPECT_FALSE(reader.is_good());
    EXPECT_FALSE(reader.is_done());
}

TEST(ByteCodec, bytes_left_are_not_done) {
    const Bytes bytes{1, 2};
    ByteReader reader(bytes);
    EXPECT_EQ(reader.byte(), 1u);
    EXPECT_TRUE(reader.is_good());
    EXPECT_FALSE(reader.is_done());
    EXPECT_EQ(reader.rest().size(), 1u);
    EXPECT_TRUE(reader.is_done());
}

}  // namespace
}  // namespace heddle::ledger
