// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/block_error.hpp>

#include <fmt/format.h>

namespace heddle {

std::string_view to_string(BlockErrorCode code) noexcept {
    switch (code) {
        case BlockErrorCode::malformed:
            return "malformed block";
        case BlockErrorCode::unknown_parent:
            return "unknown parent hash";
        case BlockErrorCode::invalid_number:
            return "invalid block number";
        case BlockErrorCode::invalid_timestamp:
            return "invalid timestamp";
        case BlockErrorCode::invalid_gas_limit:
            return "invalid gas limit";
        case BlockErrorCode::gas_used_above_limit:
            return "gas used above gas limit";
        case BlockErrorCode::extra_data_too_long:
            return "extra data too long";
        case BlockErrorCode::invalid_difficulty:
            return "invalid difficulty";
        case BlockErrorCode::invalid_nonce:
            return "invalid nonce";
        case BlockErrorCode::invalid_ommers:
            return "invalid ommers";
        case BlockErrorCode::invalid_ommers_hash:
            return "invalid ommers hash";
        case BlockErrorCode::invalid_dao_extra_data:
            return "invalid extra data at the DAO fork";
        case BlockErrorCode::invalid_base_fee:
            return "invalid base fee";
        case BlockErrorCode::invalid_withdrawals:
            return "invalid withdrawals";
        case BlockErrorCode::invalid_blob_gas_used:
            return "invalid blob gas used";
        case BlockErrorCode::invalid_excess_blob_gas:
            return "invalid excess blob gas";
        case BlockErrorCode::blob_gas_above_limit:
            return "blob gas above limit";
        case BlockErrorCode::invalid_header_fields:
            return "header fields of another fork";
        case BlockErrorCode::invalid_transactions_root:
            return "invalid transactions root";
        case BlockErrorCode::invalid_transaction:
            return "invalid transaction";
        case BlockErrorCode::invalid_gas_used:
            return "invalid gas used";
        case BlockErrorCode::invalid_receipts_root:
            return "invalid receipts root";
        case BlockErrorCode::invalid_logs_bloom:
            return "invalid logs bloom";
        case BlockErrorCode::invalid_requests:
            return "invalid requests hash";
        case BlockErrorCode::invalid_deposit_layout:
            return "invalid deposit event layout";
        case BlockErrorCode::system_contract_missing:
            return "system contract missing";
        case BlockErrorCode::system_call_failed:
            return "system call failed";
        case BlockErrorCode::invalid_access_list:
            return "invalid block access list";
        case BlockErrorCode::access_list_too_large:
            return "block access list too large";
        case BlockErrorCode::block_too_large:
            return "block too large";
        case BlockErrorCode::state_root_mismatch:
            return "invalid state root";
        case BlockErrorCode::execution_halted:
            return "an earlier block was rejected";
        case BlockErrorCode::storage_failed:
            return "not stored";
    }
    return "unknown block error";
}

std::string to_string(const BlockError& error) {
    std::string text = fmt::format("block {}: {}", error.number, to_string(error.code));
    if (error.index.has_value()) text += fmt::format(" {}", *error.index);
    if (error.transaction.has_value()) text += fmt::format(": {}", to_string(*error.transaction));
    if (!error.claimed.empty()) text += fmt::format(", block says {}", error.claimed);
    if (!error.computed.empty()) text += fmt::format(", computed {}", error.computed);
    if (!error.detail.empty()) text += fmt::format(" ({})", error.detail);
    return text;
}

}  // namespace heddle
