// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "simulation/unsigned_transaction.hpp"

#include <gtest/gtest.h>

namespace heddle::node::simulation {
namespace {

Transaction transfer(TransactionType type) {
    Transaction tx;
    tx.type = type;
    tx.chain_id = 1337;
    tx.gas_limit = 50'000'000;
    tx.max_fee_per_gas = 1;
    tx.max_priority_fee_per_gas = 1;
    tx.to = address_from_hex("0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    return tx;
}

TEST(UnsignedTransaction, a_legacy_one_has_a_v_of_zero) {
    // As go-ethereum hashes it.
    EXPECT_EQ(to_string(unsigned_hash(transfer(TransactionType::legacy))),
              "0xce43a86f855b060e5b3dda42fa01a2b914d8eeeefa9330719b84807c639ee03a");
}

TEST(UnsignedTransaction, a_typed_one_is_what_it_would_be_with_zeros) {
    Transaction tx = transfer(TransactionType::dynamic_fee);
    const Hash hash = transaction_hash(tx);
    EXPECT_EQ(unsigned_hash(tx), hash);
    tx.y_parity = 1;
    tx.r = 5;
    tx.s = 6;
    EXPECT_EQ(unsigned_hash(tx), hash);
    Bytes item;
    Bytes expected;
    encode_unsigned_item(tx, item);
    encode_transaction_item(transfer(TransactionType::dynamic_fee), expected);
    EXPECT_EQ(item, expected);
}

}  // namespace
}  // namespace heddle::node::simulation
