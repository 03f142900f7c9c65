// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Why a transaction cannot be executed at its place in a block (YP 6.2 and later EIPs).
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle {

enum class TransactionError : std::uint8_t {
    type_not_supported,  // its type comes with a later fork
    invalid_signature,   // no sender recovers, or s in the upper half (EIP-2)
    chain_id_mismatch,
    nonce_too_low,
    nonce_too_high,
    nonce_overflow,           // EIP-2681
    sender_not_eoa,           // EIP-3607, EIP-7702
    gas_limit_above_block,    // more than what is left of the block's gas limit
    gas_limit_above_maximum,  // EIP-7825
    intrinsic_gas_too_low,
    gas_below_floor,             // EIP-7623
    intrinsic_gas_too_high,      // EIP-8037
    max_fee_below_base_fee,      // EIP-1559
    priority_fee_above_max_fee,  // EIP-1559
    gas_price_overflow,          // gas_limit times price leaves 256 bits
    insufficient_funds,
    init_code_too_large,       // EIP-3860
    blob_fee_too_low,          // EIP-4844
    blob_count_zero,           // EIP-4844
    blob_count_too_high,       // per transaction: EIP-7594; per block before
    blob_gas_above_block,      // more than what is left of the block's blob gas
    blob_version_unknown,      // a versioned hash that does not start with 0x01
    blob_creation,             // type 3 without a recipient
    set_code_creation,         // type 4 without a recipient
    authorization_list_empty,  // EIP-7702
    malformed_deposit,         // no block may have the log that it would leave (EIP-6110)
    access_list_full,          // its accesses are more than the block's list can take (EIP-7928)
};
[[nodiscard]] std::string_view to_string(TransactionError error) noexcept;

}  // namespace heddle
