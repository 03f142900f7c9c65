// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "program/exceptions.hpp"

#include <gtest/gtest.h>

namespace heddle::node {
namespace {

TEST(Exceptions, match_by_kind_and_among_alternatives) {
    const auto error = TransactionError::nonce_too_low;

    EXPECT_TRUE(is_expected(error, "TransactionException.NONCE_MISMATCH_TOO_LOW"));
    EXPECT_TRUE(is_expected(
        error, "TransactionException.SENDER_NOT_EOA|TransactionException.NONCE_MISMATCH_TOO_LOW"));
    EXPECT_FALSE(is_expected(error, "TransactionException.NONCE_MISMATCH_TOO_HIGH"));
    EXPECT_FALSE(is_expected(error, "TransactionException.NONCE_MISMATCH_TOO_LOWER"));
    EXPECT_FALSE(is_expected(error, "NONCE_MISMATCH_TOO_LOW"));
    EXPECT_FALSE(is_expected(error, ""));
}

TEST(Exceptions, a_block_error_is_of_the_kind_of_its_transaction) {
    BlockError error;
    error.code = BlockErrorCode::invalid_transaction;
    error.transaction = TransactionError::insufficient_funds;

    EXPECT_TRUE(is_expected(error, "TransactionException.INSUFFICIENT_ACCOUNT_FUNDS"));
    EXPECT_FALSE(is_expected(error, "BlockException.INVALID_GASLIMIT"));
    error = BlockError{};
    error.code = BlockErrorCode::invalid_gas_limit;
    EXPECT_TRUE(is_expected(error, "BlockException.INVALID_GASLIMIT"));
    EXPECT_FALSE(is_expected(error, "TransactionException.INVALID_GASLIMIT"));
}

TEST(Exceptions, undecodable_blocks_name_structure_or_transaction) {
    BlockDecodeError error;
    EXPECT_TRUE(is_expected(error, "BlockException.RLP_STRUCTURES_ENCODING"));
    EXPECT_FALSE(is_expected(error, "BlockException.INVALID_REQUESTS"));
    error.transaction = TransactionDecodeError::with_blobs;
    EXPECT_TRUE(is_expected(error, "TransactionException.TYPE_3_TX_WITH_FULL_BLOBS"));
}

}  // namespace
}  // namespace heddle::node
