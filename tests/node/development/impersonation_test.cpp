// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "development/impersonation.hpp"

#include <gtest/gtest.h>

#include <types/bytes.hpp>

namespace heddle::node {
namespace {

TEST(Impersonation, knows_those_that_were_added_or_all) {
    Impersonation accounts;
    const Address first = address_from_low64(1);
    const Address second = address_from_low64(2);
    EXPECT_TRUE(accounts.add(first));
    EXPECT_TRUE(accounts.contains(first));
    EXPECT_FALSE(accounts.contains(second));
    accounts.set_all(true);
    EXPECT_TRUE(accounts.contains(second));
    accounts.set_all(false);
    EXPECT_TRUE(accounts.remove(first));
    EXPECT_FALSE(accounts.remove(first));
    EXPECT_FALSE(accounts.contains(first));
}

TEST(Impersonation, takes_no_more_than_it_says) {
    Impersonation accounts;
    for (std::uint64_t i = 0; i < Impersonation::kMost; ++i)
        ASSERT_TRUE(accounts.add(address_from_low64(i + 1)));
    EXPECT_FALSE(accounts.add(address_from_low64(Impersonation::kMost + 1)));
    EXPECT_TRUE(accounts.add(address_from_low64(1))) << "it is one of them";
}

TEST(Impersonation, a_made_up_signature_decodes_and_is_of_one_sender) {
    Transaction tx;
    tx.type = TransactionType::dynamic_fee;
    tx.chain_id = 1;
    tx.to = Address{};
    Transaction other = tx;
    sign_as(Address{}, tx);
    sign_as(address_from_low64(1), other);
    Bytes encoded;
    encode_transaction(tx, encoded);

    const auto decoded = decode_transaction(encoded);

    ASSERT_TRUE(decoded.has_value()) << to_string(decoded.error());
    EXPECT_EQ(decoded->r, tx.r);
    EXPECT_NE(transaction_hash(tx), transaction_hash(other));
    EXPECT_EQ(tx.sender, Address{});
}

}  // namespace
}  // namespace heddle::node
