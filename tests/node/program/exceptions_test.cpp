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

// Fixtures that have no name for a fault say what geth said.
TEST(Exceptions, what_geth_says_is_told_by_its_beginning_whatever_the_numbers) {
    EXPECT_TRUE(is_expected(TransactionError::intrinsic_gas_too_low,
                            "TransactionException: intrinsic gas too low: have 0, want 15000"));
    EXPECT_TRUE(is_expected(TransactionError::blob_version_unknown,
                            "TransactionException: blob 12 has invalid hash version"));
    EXPECT_FALSE(is_expected(TransactionError::blob_version_unknown,
                             "TransactionException: blob has invalid hash version"));
    EXPECT_FALSE(is_expected(TransactionError::intrinsic_gas_too_low,
                             "TransactionException: intrinsic gas"));
    EXPECT_FALSE(is_expected(TransactionError::nonce_too_low,
                             "TransactionException: intrinsic gas too low: have 0, want 15000"));
    EXPECT_TRUE(is_expected(TransactionDecodeError::creation_forbidden,
                            "TransactionException: rlp: input string too short"));
    EXPECT_FALSE(is_expected(TransactionDecodeError::unknown_type,
                             "TransactionException: rlp: input string too short"));
}

TEST(Exceptions, older_names_mean_what_they_meant) {
    EXPECT_TRUE(is_expected(TransactionError::nonce_too_low, "TR_NonceTooLow"));
    EXPECT_FALSE(is_expected(TransactionError::nonce_too_high, "TR_NonceTooLow"));
    EXPECT_FALSE(is_expected(TransactionError::nonce_too_low, "TR_Nonce"));
    EXPECT_FALSE(
        is_expected(TransactionError::nonce_too_low, "TransactionException.TR_NonceTooLow"));
    EXPECT_TRUE(is_expected(TransactionError::type_not_supported, "TR_TypeNotSupported"));
    EXPECT_TRUE(is_expected(TransactionError::gas_price_overflow, "TR_NoFunds"));
    EXPECT_TRUE(is_expected(TransactionDecodeError::rlp, "TR_RLP_WRONGVALUE"));
    EXPECT_TRUE(is_expected(TransactionDecodeError::creation_forbidden, "TR_BLOBCREATE"));
    EXPECT_TRUE(is_expected(TransactionDecodeError::creation_forbidden, "TR_TypeNotSupported"));
    for (const TransactionError error :
         {TransactionError::insufficient_funds, TransactionError::intrinsic_gas_too_low})
        EXPECT_TRUE(is_expected(error, "TR_NoFundsOrGas"));
    BlockError error;
    error.code = BlockErrorCode::invalid_gas_limit;
    EXPECT_TRUE(is_expected(error, "InvalidGasLimit2"));
    EXPECT_FALSE(is_expected(error, "InvalidGasUsed"));
    error.code = BlockErrorCode::invalid_transaction;
    error.transaction = TransactionError::sender_not_eoa;
    EXPECT_TRUE(is_expected(error, "SenderNotEOAorNoCASH"));
    BlockDecodeError malformed;
    EXPECT_TRUE(is_expected(malformed, "RLP_BODY_UNMARSHAL_ERROR"));
}

// Every reason for which a transaction is rejected had a name before, but for those of later forks.
TEST(Exceptions, every_older_reason_has_an_older_name) {
    const std::pair<TransactionError, const char*> names[] = {
        {TransactionError::type_not_supported, "TR_TypeNotSupported"},
        {TransactionError::invalid_signature, "InvalidVRS"},
        {TransactionError::chain_id_mismatch, "InvalidChainID"},
        {TransactionError::nonce_too_low, "TR_NonceTooLow"},
        {TransactionError::nonce_too_high, "TR_NonceTooHigh"},
        {TransactionError::nonce_overflow, "TR_NonceHasMaxValue"},
        {TransactionError::sender_not_eoa, "SenderNotEOA"},
        {TransactionError::gas_limit_above_block, "TR_GasLimitReached"},
        {TransactionError::intrinsic_gas_too_low, "TR_IntrinsicGas"},
        {TransactionError::max_fee_below_base_fee, "TR_FeeCapLessThanBlocks"},
        {TransactionError::priority_fee_above_max_fee, "TR_TipGtFeeCap"},
        {TransactionError::gas_price_overflow, "GasLimitPriceProductOverflow"},
        {TransactionError::insufficient_funds, "TR_NoFunds"},
        {TransactionError::init_code_too_large, "TR_InitCodeLimitExceeded"},
        {TransactionError::blob_count_zero, "TR_EMPTYBLOB"},
        {TransactionError::blob_gas_above_block, "TR_BLOBLIST_OVERSIZE"},
        {TransactionError::blob_version_unknown, "TR_BLOBVERSION_INVALID"},
        {TransactionError::blob_creation, "TR_BLOBCREATE"}};
    for (const auto& [error, name] : names)
        EXPECT_TRUE(is_expected(error, name)) << name;
}

TEST(Exceptions, a_block_error_is_of_the_kind_of_its_transaction) {
    BlockError error;
    error.code = BlockErrorCode::invalid_transaction;
    error.transaction = TransactionError::insufficient_funds;

    EXPECT_TRUE(is_expected(error, "TransactionException.INSUFFICIENT_ACCOUNT_FUNDS"));
    EXPECT_FALSE(is_expected(error, "BlockException.INVALID_GASLIMIT"));
    EXPECT_FALSE(is_expected(error, "BlockException.GAS_USED_OVERFLOW"));
    error.transaction = TransactionError::gas_limit_above_block;
    EXPECT_TRUE(is_expected(error, "BlockException.GAS_USED_OVERFLOW"));
    error = BlockError{};
    error.code = BlockErrorCode::invalid_gas_limit;
    EXPECT_TRUE(is_expected(error, "BlockException.INVALID_GASLIMIT"));
    EXPECT_FALSE(is_expected(error, "TransactionException.INVALID_GASLIMIT"));
}

TEST(Exceptions, fields_of_headers_stand_for_the_errors_that_they_cause) {
    BlockError error;
    error.code = BlockErrorCode::invalid_access_list;
    EXPECT_TRUE(is_expected(error, "Header: blockAccessListHash"));
    EXPECT_FALSE(is_expected(error, "Header: blockAccessListHash missing"));
    EXPECT_FALSE(is_expected(error, "Header: gasUsed"));
    EXPECT_FALSE(is_expected(error, "Header: "));
    error.code = BlockErrorCode::invalid_header_fields;
    EXPECT_TRUE(is_expected(error, "Header: blockAccessListHash missing"));
    error.code = BlockErrorCode::gas_used_above_limit;
    EXPECT_TRUE(is_expected(error, "Header: gasLimit below gasUsed"));
    EXPECT_FALSE(is_expected(error, "Header: gasUsed"));
    BlockDecodeError undecodable;
    undecodable.part = BlockDecodeError::Part::header;
    EXPECT_TRUE(is_expected(undecodable, "Header: slotNumber missing"));
    undecodable.part = BlockDecodeError::Part::transaction;
    EXPECT_FALSE(is_expected(undecodable, "Header: slotNumber missing"));
}

TEST(Exceptions, geths_own_text_counts_with_and_without_figures) {
    EXPECT_TRUE(is_expected(TransactionError::intrinsic_gas_too_low,
                            "TransactionException: intrinsic gas too low: have 1, want 2"));
    EXPECT_TRUE(is_expected(TransactionError::gas_limit_above_block,
                            "TransactionException: gas limit reached"));
    EXPECT_FALSE(is_expected(TransactionError::gas_below_floor,
                             "TransactionException: intrinsic gas too low: have 1, want 2"));
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
