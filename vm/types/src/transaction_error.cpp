// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/transaction_error.hpp>

#include <array>
#include <cstddef>

#include <types/transaction_error_names.hpp>

namespace heddle {
namespace {

struct Row {
    TransactionError error;
    std::string_view text;
    std::string_view geth;
    std::string_view fixtures;
};

constexpr std::array kRows{
    Row{TransactionError::type_not_supported, "transaction type not supported yet",
        "transaction type not supported",
        "TYPE_NOT_SUPPORTED TYPE_1_TX_PRE_FORK TYPE_2_TX_PRE_FORK TYPE_3_TX_PRE_FORK "
        "TYPE_3_TX_ZERO_BLOBS_PRE_FORK TYPE_4_TX_PRE_FORK"},
    Row{TransactionError::invalid_signature, "invalid signature",
        "invalid transaction v, r, s values", "INVALID_SIGNATURE_VRS EC_RECOVERY_FAIL"},
    Row{TransactionError::chain_id_mismatch, "signed for another chain",
        "invalid chain id for signer", "INVALID_CHAINID INVALID_SIGNATURE_VRS"},
    Row{TransactionError::nonce_too_low, "nonce too low", "nonce too low",
        "NONCE_MISMATCH_TOO_LOW"},
    Row{TransactionError::nonce_too_high, "nonce too high", "nonce too high",
        "NONCE_MISMATCH_TOO_HIGH"},
    Row{TransactionError::nonce_overflow, "nonce at its maximum", "nonce has max value",
        "NONCE_IS_MAX NONCE_TOO_BIG NONCE_OVERFLOW"},
    Row{TransactionError::sender_not_eoa, "sender is a contract", "sender not an eoa",
        "SENDER_NOT_EOA"},
    Row{TransactionError::gas_limit_above_block, "gas limit above what the block has left",
        "gas limit reached", "GAS_ALLOWANCE_EXCEEDED"},
    Row{TransactionError::gas_limit_above_maximum, "gas limit above the maximum",
        "transaction gas limit too high", "GAS_LIMIT_EXCEEDS_MAXIMUM"},
    Row{TransactionError::intrinsic_gas_too_low, "gas limit below intrinsic gas",
        "intrinsic gas too low", "INTRINSIC_GAS_TOO_LOW"},
    // The executable specification has one error for this and the one before.
    Row{TransactionError::gas_below_floor, "gas limit below the calldata floor",
        "insufficient gas for floor data gas cost",
        "INTRINSIC_GAS_BELOW_FLOOR_GAS_COST INTRINSIC_GAS_TOO_LOW"},
    Row{TransactionError::intrinsic_gas_too_high, "intrinsic gas above the maximum",
        "transaction intrinsic gas too high", "GAS_LIMIT_EXCEEDS_MAXIMUM INTRINSIC_GAS_TOO_LOW"},
    Row{TransactionError::max_fee_below_base_fee, "max fee per gas below base fee",
        "max fee per gas less than block base fee", "INSUFFICIENT_MAX_FEE_PER_GAS"},
    Row{TransactionError::priority_fee_above_max_fee, "priority fee above max fee",
        "max priority fee per gas higher than max fee per gas",
        "PRIORITY_GREATER_THAN_MAX_FEE_PER_GAS PRIORITY_GREATER_THAN_MAX_FEE_PER_GAS_2"},
    Row{TransactionError::gas_price_overflow, "gas limit times price exceeds 256 bits",
        "insufficient funds for gas * price + value: required balance exceeds 256 bits",
        "GASLIMIT_PRICE_PRODUCT_OVERFLOW"},
    Row{TransactionError::insufficient_funds, "insufficient funds",
        "insufficient funds for gas * price + value", "INSUFFICIENT_ACCOUNT_FUNDS"},
    Row{TransactionError::init_code_too_large, "init code too large", "max initcode size exceeded",
        "INITCODE_SIZE_EXCEEDED"},
    Row{TransactionError::blob_fee_too_low, "max fee per blob gas below blob base fee",
        "max fee per blob gas less than block blob gas fee", "INSUFFICIENT_MAX_FEE_PER_BLOB_GAS"},
    Row{TransactionError::blob_count_zero, "blob transaction without blobs",
        "blob transaction missing blob hashes", "TYPE_3_TX_ZERO_BLOBS"},
    Row{TransactionError::blob_count_too_high, "too many blobs",
        "blob transaction has too many blobs", "TYPE_3_TX_BLOB_COUNT_EXCEEDED"},
    Row{TransactionError::blob_gas_above_block, "blob gas above what the block has left",
        "blob gas would exceed maximum allowance", "TYPE_3_TX_MAX_BLOB_GAS_ALLOWANCE_EXCEEDED"},
    Row{TransactionError::blob_version_unknown, "unknown blob hash version",
        "blob 0 has invalid hash version", "TYPE_3_TX_INVALID_BLOB_VERSIONED_HASH"},
    Row{TransactionError::blob_creation, "blob transaction without a recipient",
        "blob transaction of type create", "TYPE_3_TX_CONTRACT_CREATION"},
    Row{TransactionError::set_code_creation, "set-code transaction without a recipient",
        "EIP-7702 transaction cannot be used to create contract", "TYPE_4_TX_CONTRACT_CREATION"},
    Row{TransactionError::authorization_list_empty, "empty authorization list",
        "EIP-7702 transaction with empty auth list", "TYPE_4_EMPTY_AUTHORIZATION_LIST"},
    // Fixtures have the name for blocks only: with BlockErrorCode::invalid_deposit_layout.
    Row{TransactionError::malformed_deposit, "its deposit log is not laid out as EIP-6110 has it",
        "unable to parse deposit data", "INVALID_DEPOSIT_EVENT_LAYOUT"},
    // The same: with BlockErrorCode::access_list_too_large.
    Row{TransactionError::access_list_full, "its accesses do not fit the block's access list",
        "block access list exceeds gas limit", "BLOCK_ACCESS_LIST_GAS_LIMIT_EXCEEDED"},
};

constexpr bool is_complete() noexcept {
    for (std::size_t i = 0; i < kRows.size(); ++i)
        if (kRows[i].error != static_cast<TransactionError>(i)) return false;
    return kRows.back().error == kLastTransactionError;
}
static_assert(is_complete(), "an error has no row, or the rows are out of order");

constexpr const Row& row_of(TransactionError error) noexcept {
    return kRows[static_cast<std::size_t>(error)];
}

}  // namespace

std::string_view to_string(TransactionError error) noexcept {
    return row_of(error).text;
}

std::string_view geth_text(TransactionError error) noexcept {
    return row_of(error).geth;
}

std::string_view fixture_names(TransactionError error) noexcept {
    return row_of(error).fixtures;
}

}  // namespace heddle
