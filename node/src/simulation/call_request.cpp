// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "simulation/call_request.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include <vm/blob_proof.hpp>

#include "formats/strict_hex.hpp"
#include "simulation/failure.hpp"

namespace heddle::node::simulation {
namespace {

/// Gas is counted in signed 64-bit integers.
constexpr auto kMaxGas = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

template <typename T, typename Convert>
void read(const JsonView& json, std::string_view key, std::optional<T>& out, Convert convert) {
    if (const auto value = json.find(key)) out = convert(*value);
}

// Lists as strict as all else in a call: what is left out or mistyped in one, and taken for nothing
// or for another number, would be another call than was meant.

template <typename T, typename Convert>
std::vector<T> parse_list(const JsonView& json, Convert convert) {
    if (!json.is_array()) json.fail("expected a list");
    std::vector<T> list;
    list.reserve(json.size());
    for (std::size_t i = 0; i < json.size(); ++i)
        list.push_back(convert(json.element(i)));
    return list;
}

std::vector<Hash> parse_hashes(const JsonView& json) {
    return parse_list<Hash>(json, to_hash32);
}

AccessList parse_access_list(const JsonView& json) {
    return parse_list<AccessListEntry>(json, [](const JsonView& entry) {
        return AccessListEntry{to_address(entry.at("address")),
                               parse_hashes(entry.at("storageKeys"))};
    });
}

/// Calls know blobs by their hashes. What is given besides counts for nothing, but has to be what
/// it is called.
void check_blobs(const JsonView& json) {
    const auto check = [&](std::string_view key, std::size_t size, std::string_view name) {
        if (const auto list = json.find(key))
            (void)parse_list<Bytes>(
                *list, [&](const JsonView& item) { return to_fixed_bytes(item, size, name); });
    };
    check("blobs", vm::kBlobBytes, "a blob");
    check("commitments", vm::kKzgPointBytes, "a commitment");
    check("proofs", vm::kKzgPointBytes, "a proof");
}

std::vector<Authorization> parse_authorizations(const JsonView& json) {
    return parse_list<Authorization>(json, [](const JsonView& entry) {
        Authorization parsed;
        parsed.chain_id = to_uint256(entry.at("chainId"));
        parsed.address = to_address(entry.at("address"));
        parsed.nonce = to_uint64(entry.at("nonce"));
        parsed.y_parity = to_uint64(entry.at("yParity"));
        parsed.r = to_uint256(entry.at("r"));
        parsed.s = to_uint256(entry.at("s"));
        return parsed;
    });
}

TransactionType type_of(const CallRequest& request) {
    if (request.gas_price) return TransactionType::legacy;
    if (request.authorization_list) return TransactionType::set_code;
    if (request.blob_versioned_hashes) return TransactionType::blob;
    return TransactionType::dynamic_fee;
}

void check_recipient(const CallRequest& request) {
    if (request.to) return;
    if (request.blob_versioned_hashes)
        throw Failure(FailureKind::refused, "blob transaction of type create");
    if (request.authorization_list)
        throw Failure(FailureKind::refused,
                      "EIP-7702 transaction cannot be used to create contract");
}

}  // namespace

CallRequest parse_call_request(const JsonView& json) {
    if (!json.is_object()) json.fail("expected a call");
    const auto address = [](const JsonView& value) { return to_address(value); };
    CallRequest request;
    read(json, "from", request.from, address);
    read(json, "to", request.to, address);
    read(json, "gas", request.gas, to_uint64);
    read(json, "gasPrice", request.gas_price, to_uint256);
    read(json, "maxFeePerGas", request.max_fee_per_gas, to_uint256);
    read(json, "maxPriorityFeePerGas", request.max_priority_fee_per_gas, to_uint256);
    read(json, "value", request.value, to_uint256);
    read(json, "nonce", request.nonce, to_uint64);
    read(json, "data", request.data, to_bytes);
    read(json, "input", request.data, to_bytes);
    read(json, "accessList", request.access_list, parse_access_list);
    read(json, "chainId", request.chain_id, to_uint256);
    read(json, "maxFeePerBlobGas", request.max_fee_per_blob_gas, to_uint256);
    read(json, "blobVersionedHashes", request.blob_versioned_hashes, parse_hashes);
    read(json, "authorizationList", request.authorization_list, parse_authorizations);
    check_blobs(json);
    return request;
}

void fill_defaults(CallRequest& request, std::uint64_t gas_cap, bool has_base_fee,
                   std::uint64_t chain_id) {
    if (request.gas_price && (request.max_fee_per_gas || request.max_priority_fee_per_gas))
        throw Failure(FailureKind::refused,
                      "both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified");
    // Whatever they are: a zero that is given is given, too (execution-apis).
    if (!has_base_fee && (request.max_fee_per_gas || request.max_priority_fee_per_gas))
        throw Failure(
            FailureKind::refused,
            "maxFeePerGas and maxPriorityFeePerGas are not valid before London is active");
    check_recipient(request);
    if (request.chain_id && *request.chain_id != Uint256{chain_id})
        throw Failure(FailureKind::refused,
                      fmt::format("chainId does not match node's (have={}, want={})",
                                  to_decimal(*request.chain_id), chain_id));
    request.chain_id = chain_id;
    request.gas = std::min({request.gas.value_or(gas_cap), gas_cap, kMaxGas});
    if (!request.nonce) request.nonce = 0;
    if (!request.value) request.value = 0;
    if (!has_base_fee) {
        if (!request.gas_price) request.gas_price = 0;
    } else if (!request.gas_price) {
        if (!request.max_fee_per_gas) request.max_fee_per_gas = 0;
        if (!request.max_priority_fee_per_gas) request.max_priority_fee_per_gas = 0;
    }
}

CallTransaction to_transaction(const CallRequest& request) {
    check_recipient(request);
    CallTransaction tx;
    tx.lists = {.access_list = request.access_list.has_value(),
                .blobs = request.blob_versioned_hashes.has_value(),
                .authorizations = request.authorization_list.has_value(),
                .blob_price = request.max_fee_per_blob_gas.has_value()};
    tx.type = type_of(request);
    if (request.chain_id) tx.chain_id = request.chain_id->low64();
    tx.sender = request.sender();
    tx.nonce = request.nonce.value_or(0);
    tx.gas_limit = request.gas.value_or(0);
    tx.to = request.to;
    tx.value = request.value.value_or(Uint256{});
    if (request.data) tx.data = *request.data;
    if (request.access_list) tx.access_list = *request.access_list;
    if (request.gas_price) {
        tx.max_fee_per_gas = *request.gas_price;
        tx.max_priority_fee_per_gas = *request.gas_price;
    } else {
        tx.max_fee_per_gas = request.max_fee_per_gas.value_or(Uint256{});
        tx.max_priority_fee_per_gas = request.max_priority_fee_per_gas.value_or(Uint256{});
    }
    tx.max_fee_per_blob_gas = request.max_fee_per_blob_gas.value_or(Uint256{});
    if (request.blob_versioned_hashes) tx.blob_versioned_hashes = *request.blob_versioned_hashes;
    if (request.authorization_list) tx.authorization_list = *request.authorization_list;
    return tx;
}

}  // namespace heddle::node::simulation
