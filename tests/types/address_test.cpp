// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/address.hpp>

#include <gtest/gtest.h>

#include <types/hash.hpp>

namespace heddle {
namespace {

Address address(std::string_view text) {
    return address_from_hex(text).value();
}

TEST(Address, checksummed_text_equals_the_examples_of_eip_55) {
    for (const char* text : {"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
                             "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
                             "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
                             "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
                             "0x52908400098527886E0F7030069857D2E4169EE7",
                             "0xde709f2102306220921060314715629080e2fb77"})
        EXPECT_EQ(to_checksum_string(address(text)), text);
}

TEST(Address, text_round_trips_and_is_exactly_forty_digits) {
    const std::string text = "0x00000000219ab540356cbb839cbe05303d7705fa";

    EXPECT_EQ(to_string(address(text)), text);
    EXPECT_EQ(address_from_hex(text.substr(2)), address(text));
    EXPECT_EQ(address_from_hex(text + "0"), std::nullopt);
    EXPECT_EQ(address_from_hex(text.substr(0, 41)), std::nullopt);
    EXPECT_EQ(address_from_hex("0x00000000219ab540356cbb839cbe05303d7705fg"), std::nullopt);
}

TEST(Address, word_keeps_the_low_160_bits) {
    const Address some = address("0x0102030405060708090a0b0c0d0e0f1011121314");

    const Uint256 word = to_word(some);

    EXPECT_EQ(to_hex(word), "0x102030405060708090a0b0c0d0e0f1011121314");
    EXPECT_EQ(address_from_word(word), some);
    EXPECT_EQ(address_from_word(word | Uint256::max() << 160), some);
    EXPECT_EQ(address_from_low64(0x1011121314), address_from_word(Uint256{0x1011121314}));
}

// From EIP-161's discussion of contract addresses: known creations of one account on mainnet.
TEST(Address, creation_hashes_sender_and_nonce) {
    const Address sender = address("0x6ac7ea33f8831ea9dcc53393aaa88b25a785dbf0");

    EXPECT_EQ(to_string(create_address(sender, 0)), "0xcd234a471b72ba2f1ccf0a70fcaba648a5eecd8d");
    EXPECT_EQ(to_string(create_address(sender, 1)), "0x343c43a37d37dff08ae8c4a11544c718abb4fcf8");
    EXPECT_EQ(to_string(create_address(sender, 2)), "0xf778b86fa74e846c4f0a1fbd1335fe81c00a0c91");
}

TEST(Address, creation_encodes_every_width_of_nonce_canonically) {
    const Address sender = address("0x6ac7ea33f8831ea9dcc53393aaa88b25a785dbf0");
    for (unsigned bits = 0; bits < 64; ++bits)
        for (const std::uint64_t nonce :
             {std::uint64_t{1} << bits, (std::uint64_t{1} << bits) - 1}) {
            Bytes digits;
            for (std::uint64_t rest = nonce; rest != 0; rest >>= 8)
                digits.insert(digits.begin(), static_cast<std::uint8_t>(rest));
            Bytes encoded{0x94};
            encoded.insert(encoded.end(), sender.bytes.begin(), sender.bytes.end());
            if (digits.size() != 1 || digits[0] >= 0x80)
                encoded.push_back(static_cast<std::uint8_t>(0x80 + digits.size()));
            encoded.insert(encoded.end(), digits.begin(), digits.end());
            encoded.insert(encoded.begin(), static_cast<std::uint8_t>(0xc0 + encoded.size()));

            EXPECT_EQ(create_address(sender, nonce), address_from_word(to_word(keccak256(encoded))))
                << nonce;
        }
}

// Examples of EIP-1014.
TEST(Address, creation_by_salt_equals_the_examples_of_eip_1014) {
    EXPECT_EQ(to_checksum_string(create2_address(Address{}, Uint256{}, keccak256(Bytes{0x00}))),
              "0x4D1A2e2bB4F88F0250f26Ffff098B0b30B26BF38");
    EXPECT_EQ(
        to_checksum_string(create2_address(address("0xdeadbeef00000000000000000000000000000000"),
                                           Uint256{}, keccak256(Bytes{0x00}))),
        "0xB928f69Bb1D91Cd65274e3c79d8986362984fDA3");
    EXPECT_EQ(to_checksum_string(
                  create2_address(address("0x00000000000000000000000000000000deadbeef"),
                                  Uint256{0xcafebabe}, keccak256(Bytes{0xde, 0xad, 0xbe, 0xef}))),
              "0x60f3f640a8508fC6a86d45DF051962668E1e8AC7");
}

}  // namespace
}  // namespace heddle
