// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A call as eth_call, eth_estimateGas, eth_simulateV1 and debug_traceCall take it: parsing, what
// stands for members that are missing, and the transaction that it would be.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <types/transaction.hpp>
#include <vm/simulate.hpp>

#include "formats/json.hpp"

namespace heddle::node::simulation {

/// As the caller gave it; prices in wei.
struct CallRequest {
    std::optional<Address> from;
    std::optional<Address> to;  // nullopt: contract creation
    std::optional<std::uint64_t> gas;
    std::optional<Uint256> gas_price;
    std::optional<Uint256> max_fee_per_gas;
    std::optional<Uint256> max_priority_fee_per_gas;
    std::optional<Uint256> value;
    std::optional<std::uint64_t> nonce;
    std::optional<Bytes> data;  // "input", or else "data"
    std::optional<AccessList> access_list;
    std::optional<Uint256> chain_id;
    std::optional<Uint256> max_fee_per_blob_gas;
    std::optional<std::vector<Hash>> blob_versioned_hashes;
    std::optional<std::vector<Authorization>> authorization_list;
    /// Of a transaction that is to be sent; parse_call_request() leaves it out, for calls go by
    /// their other members.
    std::optional<TransactionType> type;

    [[nodiscard]] Address sender() const { return from.value_or(Address{}); }
};

/// The transaction that a call would be. It may have lists that are empty, and that a transaction
/// of its type does not have.
struct CallTransaction : Transaction {
    vm::CallLists lists;
};

/// Members of other names are ignored. Errors: InputError.
[[nodiscard]] CallRequest parse_call_request(const JsonView& json);

/// Fills what is missing: gas is `gas_cap` and never more, nonce, value and prices are zero.
/// @param has_base_fee  Whether the block has one (EIP-1559).
/// Errors: Failure refused for two kinds of prices at once, for prices by EIP-1559 where the block
/// has no base fee, for blobs or authorizations without a recipient, and for another chain's id.
void fill_defaults(CallRequest& request, std::uint64_t gas_cap, bool has_base_fee,
                   std::uint64_t chain_id);

/// With its sender and without a signature. What is still missing is zero. A legacy one carries the
/// access list, blobs and authorizations all the same: they count for execution.
/// Errors: Failure refused for blobs or authorizations without a recipient.
[[nodiscard]] CallTransaction to_transaction(const CallRequest& request);

}  // namespace heddle::node::simulation
