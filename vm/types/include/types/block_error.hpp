// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Why a block is rejected: the first rule it breaks, with the value expected and the one found.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <types/transaction_error.hpp>

namespace heddle {

enum class BlockErrorCode : std::uint8_t {
    malformed,             // bytes that do not decode
    unknown_parent,        // parent_hash is not the hash of the block before
    invalid_number,        // not the parent's number plus one
    invalid_timestamp,     // not after the parent's
    invalid_gas_limit,     // changes too much, below 5,000 or above 2^63 - 1
    gas_used_above_limit,  // header's gas_used exceeds its gas_limit
    extra_data_too_long,   // above 32 bytes
    invalid_difficulty,    // differs from the formula, or not zero from Paris on
    invalid_nonce,         // not zero from Paris on
    invalid_ommers,        // count, depth, duplicate, or an ommer's own header
    invalid_ommers_hash,
    invalid_dao_extra_data,   // the ten blocks from the DAO fork on
    invalid_base_fee,         // differs from EIP-1559's, missing, or too early
    invalid_withdrawals,      // missing, too early, or withdrawals_root differs
    invalid_blob_gas_used,    // header's value differs from the sum over transactions
    invalid_excess_blob_gas,  // differs from the formula
    blob_gas_above_limit,
    invalid_header_fields,  // a field of a later fork present, or one of this fork missing
    invalid_transactions_root,
    invalid_transaction,  // `transaction` and `index` say which and why
    invalid_gas_used,     // header's gas_used differs from execution
    invalid_receipts_root,
    invalid_logs_bloom,
    invalid_requests,         // requests_hash differs (EIP-7685)
    invalid_deposit_layout,   // a deposit event that EIP-6110 forbids
    system_contract_missing,  // EIP-7002, 7251, 8282
    system_call_failed,
    invalid_access_list,    // block_access_list_hash differs, or the list claimed is none
    access_list_too_large,  // more items than the gas limit allows (EIP-7928)
    block_too_large,        // RLP above EIP-7934's limit
    state_root_mismatch,
    execution_halted,  // an earlier block of the stream was rejected
    storage_failed,    // right or wrong, it cannot be kept: `detail` says why
};
[[nodiscard]] std::string_view to_string(BlockErrorCode code) noexcept;

struct BlockError {
    BlockErrorCode code = BlockErrorCode::malformed;
    std::uint64_t number = 0;          // of the block
    std::optional<std::size_t> index;  // of the transaction, ommer, …
    std::optional<TransactionError> transaction;
    std::string claimed;   // what the block says; may be empty
    std::string computed;  // what the rules or execution give; may be empty
    std::string detail;    // what else helps; may be empty
};
/// One sentence: block, field, claimed and computed value.
[[nodiscard]] std::string to_string(const BlockError& error);

}  // namespace heddle
