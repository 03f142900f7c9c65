// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/block_preamble.hpp"

#include <random>

#include <gtest/gtest.h>

#include "announced_seed.hpp"
#include "fake_chain.hpp"

namespace heddle::consensus_adapter::cometbft {
namespace {

BlockPreamble sample() {
    BlockPreamble preamble;
    preamble.beneficiary = address_from_low64(0xaabb);
    preamble.gas_limit = 30'000'000;
    return preamble;
}

TEST(BlockPreamble, its_bytes_are_the_table_of_its_header) {
    BlockPreamble preamble = sample();
    EXPECT_EQ(to_hex(encode_preamble(preamble)),
              "0x8001"
              "000000000000000000000000000000000000aabb"
              "0000000001c9c380");

    // One set: version, one set, one account (balance), one access, mode add.
    preamble.object_sets = {make_set(1, 1)};
    EXPECT_EQ(to_hex(encode_preamble(preamble)),
              "0x8001"
              "000000000000000000000000000000000000aabb"
              "0000000001c9c380"
              "01"
              "01"
              "01"
              "0000000000000000000000000000000000000001"
              "01"
              "01"
              "01");
}

TEST(BlockPreamble, one_with_an_access_list_is_of_the_second_version) {
    BlockPreamble preamble = sample();
    preamble.access_list = {0xc1, 0xc0};
    EXPECT_EQ(to_hex(encode_preamble(preamble)),
              "0x8002"
              "000000000000000000000000000000000000aabb"
              "0000000001c9c380"
              "c1c0");
    const auto decoded = decode_preamble(encode_preamble(preamble));
    ASSERT_TRUE(decoded.has_value());
    EXPECT_EQ(decoded->preamble, preamble);
}

TEST(BlockPreamble, no_transaction_begins_with_its_mark) {
    EXPECT_FALSE(decode_transaction(encode_preamble(sample())).has_value());
    EXPECT_FALSE(decode_preamble(encoded(make_transaction(0))).has_value());
}

TEST(BlockPreamble, random_ones_come_back) {
    std::mt19937_64 random{heddle::test::announced_seed()};
    for (int round = 0; round < 200; ++round) {
        BlockPreamble preamble;
        for (std::uint8_t& byte : preamble.beneficiary.bytes)
            byte = static_cast<std::uint8_t>(random());
        preamble.gas_limit = random();
        for (std::size_t sets = random() % 20; sets != 0; --sets) {
            const auto first = random() % 50;
            preamble.object_sets.push_back(make_set(first, 1 + random() % 30));
        }
        const auto decoded = decode_preamble(encode_preamble(preamble));
        ASSERT_TRUE(decoded.has_value()) << to_string(decoded.error());
        EXPECT_EQ(decoded->preamble, preamble);
        EXPECT_EQ(decoded->help_error, "");
    }
}

TEST(BlockPreamble, a_truncated_one_loses_its_sets_or_is_none) {
    BlockPreamble preamble = sample();
    preamble.object_sets = {make_set(1, 3), make_set(2, 1)};
    const Bytes bytes = encode_preamble(preamble);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const auto decoded = decode_preamble(BytesView{bytes}.first(size));
        if (size < kBarePreambleBytes) {
            ASSERT_FALSE(decoded.has_value()) << size;
            EXPECT_EQ(to_string(decoded.error()),
                      size == 0
                          ? "the first item is no preamble"
                          : "the preamble has " + std::to_string(size) + " bytes; the least is 30");
            continue;
        }
        ASSERT_TRUE(decoded.has_value()) << size << ": " << to_string(decoded.error());
        EXPECT_EQ(decoded->preamble, sample());
        EXPECT_EQ(decoded->help_error.empty(), size == kBarePreambleBytes) << size;
    }
}

TEST(BlockPreamble, another_version_is_none) {
    Bytes bytes = encode_preamble(sample());
    bytes[1] = 3;
    const auto decoded = decode_preamble(bytes);
    ASSERT_FALSE(decoded.has_value());
    EXPECT_EQ(decoded.error(), (PreambleError{PreambleErrorCode::unknown_version, 3}));
    EXPECT_EQ(to_string(decoded.error()), "the preamble has version 3; known are 1 and 2");
}

TEST(BlockPreamble, one_above_the_limit_loses_its_sets_unread) {
    Bytes bytes = encode_preamble(sample());
    bytes.resize(kMaxPreambleBytes + 1);
    const auto decoded = decode_preamble(bytes);
    ASSERT_TRUE(decoded.has_value());
    EXPECT_EQ(decoded->help_error, "the preamble has 16777217 bytes; the most is 16777216");
}

}  // namespace
}  // namespace heddle::consensus_adapter::cometbft
