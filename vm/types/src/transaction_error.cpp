// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/transaction_error.hpp>

namespace heddle {

std::string_view to_string(TransactionError error) noexcept {
    switch (error) {
        case TransactionError::type_not_supported:
            return "transaction type not supported yet";
        case TransactionError::invalid_signature:
            return "invalid signature";
        case TransactionError::chain_id_mismatch:
            return "signed for another chain";
        case TransactionError::nonce_too_low:
            return "nonce too low";
        case TransactionError::nonce_too_high:
            return "nonce too high";
        case TransactionError::nonce_overflow:
            return "nonce at its maximum";
        case TransactionError::sender_not_eoa:
            return "sender is a contract";
        case TransactionError::gas_limit_above_block:
            return "gas limit above what the block has left";
        case TransactionError::gas_limit_above_maximum:
            return "gas limit above the maximum";
        case TransactionError::intrinsic_gas_too_low:
            return "gas limit below intrinsic gas";
        case TransactionError::gas_below_floor:
            return "gas limit below the calldata floor";
        case TransactionError::max_fee_below_base_fee:
            return "max fee per gas below base fee";
        case TransactionError::priority_fee_above_max_fee:
            return "priority fee above max fee";
        case TransactionError::gas_price_overflow:
            return "gas limit times price exceeds 256 bits";
        case TransactionError::insufficient_funds:
            return "insufficient funds";
        case TransactionError::init_code_too_large:
            return "init code too large";
        case TransactionError::blob_fee_too_low:
            return "max fee per blob gas below blob base fee";
        case TransactionError::blob_count_zero:
            return "blob transaction without blobs";
        case TransactionError::blob_count_too_high:
            return "too many blobs";
        case TransactionError::blob_gas_above_block:
            return "blob gas above what the block has left";
        case TransactionError::blob_version_unknown:
            return "unknown blob hash version";
        case TransactionError::blob_creation:
            return "blob transaction without a recipient";
        case TransactionError::set_code_creation:
            return "set-code transaction without a recipient";
        case TransactionError::authorization_list_empty:
            return "empty authorization list";
    }
    return "unknown transaction error";
}

}  // namespace heddle
