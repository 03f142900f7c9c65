// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/validator_updates.hpp"

#include <gtest/gtest.h>

namespace heddle::consensus_adapter::cometbft {
namespace {

Bytes key(std::uint8_t number) {
    return Bytes(32, number);
}
Validator validator(std::uint8_t number, std::int64_t power) {
    return {key(number), power};
}
Member member(std::uint8_t number, std::int64_t power) {
    return {validator_address(key(number)), power};
}

using Validators = std::vector<Validator>;

TEST(ValidatorUpdates, an_address_is_the_start_of_the_keys_sha256) {
    // From coreutils: printf '\0%.0s' {1..32} | sha256sum.
    EXPECT_EQ(to_hex(validator_address(Bytes(32))), "0x66687aadf862bd776c8fc18b8e9f8e2008971485");
}

struct Case {
    const char* name;
    std::vector<Member> members;
    Validators wanted;
    Validators updates;
    const char* error;  // part of it; null: none
};

TEST(ValidatorUpdates, only_real_changes_that_cometbft_takes_are_sent) {
    const std::vector<Case> cases{
        {"nothing wanted", {member(1, 10)}, {}, {}, nullptr},
        {"nothing new", {member(1, 10)}, {validator(1, 10)}, {}, nullptr},
        {"another power", {member(1, 10)}, {validator(1, 11)}, {validator(1, 11)}, nullptr},
        {"a new one", {member(1, 10)}, {validator(2, 5)}, {validator(2, 5)}, nullptr},
        {"one leaves",
         {member(1, 10), member(2, 10)},
         {validator(2, 0)},
         {validator(2, 0)},
         nullptr},
        {"one that is none leaves", {member(1, 10)}, {validator(2, 0)}, {}, nullptr},
        {"in the order of keys",
         {member(1, 10)},
         {validator(9, 1), validator(3, 1), validator(1, 0)},
         {validator(1, 0), validator(3, 1), validator(9, 1)},
         nullptr},
        {"the last leaves", {member(1, 10)}, {validator(1, 0)}, {}, "no validator would be left"},
        {"all leave",
         {member(1, 10), member(2, 1)},
         {validator(1, 0), validator(2, 0)},
         {},
         "no validator would be left"},
        {"one for another",
         {member(1, 10)},
         {validator(1, 0), validator(2, 1)},
         {validator(1, 0), validator(2, 1)},
         nullptr},
        {"twice the same", {member(1, 10)}, {validator(2, 1), validator(2, 2)}, {}, "twice"},
        {"a negative power", {member(1, 10)}, {validator(2, -1)}, {}, "the power -1"},
        {"a short key", {member(1, 10)}, {{Bytes(31), 1}}, {}, "31 bytes"},
        {"too much power", {member(1, 10)}, {validator(2, kMaxTotalPower + 1)}, {}, "from 0 to"},
        {"too much power together",
         {member(1, 10)},
         {validator(2, kMaxTotalPower - 9)},
         {},
         "the power of all"},
        {"as much power as can be",
         {member(1, 10)},
         {validator(2, kMaxTotalPower - 10)},
         {validator(2, kMaxTotalPower - 10)},
         nullptr},
        {"power from one to another",
         {member(1, kMaxTotalPower - 1), member(2, 1)},
         {validator(1, 1), validator(2, kMaxTotalPower - 1)},
         {validator(1, 1), validator(2, kMaxTotalPower - 1)},
         nullptr},
    };
    for (const Case& c : cases) {
        const auto updates = validator_updates(c.members, c.wanted);
        if (c.error != nullptr) {
            ASSERT_FALSE(updates.has_value()) << c.name;
            EXPECT_NE(updates.error().find(c.error), std::string::npos)
                << c.name << ": " << updates.error();
            continue;
        }
        ASSERT_TRUE(updates.has_value()) << c.name << ": " << updates.error();
        EXPECT_EQ(*updates, c.updates) << c.name;
    }
}

TEST(ValidatorUpdates, more_validators_than_cometbft_counts_are_refused) {
    Validators wanted;
    for (std::size_t i = 0; i < kMaxValidators; ++i) {
        Validator& next = wanted.emplace_back();
        next.ed25519_key = Bytes(32);
        next.ed25519_key[0] = static_cast<std::uint8_t>(i >> 8);
        next.ed25519_key[1] = static_cast<std::uint8_t>(i);
        next.power = 1;
    }
    EXPECT_TRUE(validator_updates({}, wanted).has_value());
    const std::vector<Member> members{member(0xff, 1)};
    const auto updates = validator_updates(members, wanted);
    ASSERT_FALSE(updates.has_value());
    EXPECT_EQ(updates.error(), "there would be 10001 validators; the most is 10000");
}

}  // namespace
}  // namespace heddle::consensus_adapter::cometbft
