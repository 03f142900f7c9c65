// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "state_test_json.hpp"
#include "authority.hpp"

#include <iterator>

#include <fmt/format.h>

#include <types/sender_recovery.hpp>

namespace heddle::test {
namespace {

std::string access_list_json(const AccessList& list) {
    std::string text;
    for (const AccessListEntry& entry : list) {
        std::string keys;
        for (const Hash& key : entry.storage_keys)
            fmt::format_to(std::back_inserter(keys), R"({}"{}")", keys.empty() ? "" : ",",
                           to_string(key));
        fmt::format_to(std::back_inserter(text), R"({}{{"address":"{}","storageKeys":[{}]}})",
                       text.empty() ? "" : ",", to_string(entry.address), keys);
    }
    return "[" + text + "]";
}

std::string hashes_json(const std::vector<Hash>& hashes) {
    std::string text;
    for (const Hash& hash : hashes)
        fmt::format_to(std::back_inserter(text), R"({}"{}")", text.empty() ? "" : ",",
                       to_string(hash));
    return "[" + text + "]";
}

std::string authorizations_json(const std::vector<Authorization>& authorizations) {
    std::string text;
    for (const Authorization& entry : authorizations) {
        fmt::format_to(
            std::back_inserter(text),
            R"({}{{"chainId":"{}","address":"{}","nonce":"{:#x}","v":"{}","r":"{}","s":"{}")",
            text.empty() ? "" : ",", to_hex(entry.chain_id), to_string(entry.address), entry.nonce,
            to_hex(entry.y_parity), to_hex(entry.r), to_hex(entry.s));
        if (const auto signer = test::authority_of(entry))
            fmt::format_to(std::back_inserter(text), R"(,"signer":"{}")", to_string(*signer));
        text += "}";
    }
    return "[" + text + "]";
}

}  // namespace

std::string pre_json(const std::vector<GenesisAccount>& accounts) {
    std::string text;
    for (const GenesisAccount& account : accounts) {
        std::string storage;
        for (const auto& [slot, value] : account.storage)
            fmt::format_to(std::back_inserter(storage), R"({}"{}":"{}")",
                           storage.empty() ? "" : ",", to_string(to_hash(slot)),
                           to_string(to_hash(value)));
        fmt::format_to(std::back_inserter(text),
                       R"({}"{}":{{"balance":"{}","nonce":"{:#x}","code":"{}","storage":{{{}}}}})",
                       text.empty() ? "" : ",", to_string(account.address), to_hex(account.balance),
                       account.nonce, to_hex(account.code), storage);
    }
    return "{" + text + "}";
}

std::string transaction_json(const TransactionVariants& variants) {
    const Transaction& tx = variants.tx;
    std::string text = fmt::format(
        R"({{"nonce":"{:#x}","sender":"{}","secretKey":"{}","to":"{}","data":["{}","{}"],)"
        R"("gasLimit":["{:#x}","{:#x}"],"value":["{}","{}"])",
        tx.nonce, to_string(tx.sender.value()), to_string(variants.secret),
        tx.to ? to_string(*tx.to) : "", to_hex(variants.data[0]), to_hex(variants.data[1]),
        variants.gas[0], variants.gas[1], to_hex(variants.values[0]), to_hex(variants.values[1]));
    if (tx.type >= TransactionType::dynamic_fee)
        fmt::format_to(std::back_inserter(text),
                       R"(,"maxFeePerGas":"{}","maxPriorityFeePerGas":"{}")",
                       to_hex(tx.max_fee_per_gas), to_hex(tx.max_priority_fee_per_gas));
    else
        fmt::format_to(std::back_inserter(text), R"(,"gasPrice":"{}")", to_hex(tx.max_fee_per_gas));
    if (tx.type != TransactionType::legacy) {
        const std::string list = access_list_json(tx.access_list);
        fmt::format_to(std::back_inserter(text), R"(,"accessLists":[{},{}])", list, list);
    }
    if (tx.type == TransactionType::blob)
        fmt::format_to(std::back_inserter(text),
                       R"(,"maxFeePerBlobGas":"{}","blobVersionedHashes":{})",
                       to_hex(tx.max_fee_per_blob_gas), hashes_json(tx.blob_versioned_hashes));
    if (tx.type == TransactionType::set_code)
        fmt::format_to(std::back_inserter(text), R"(,"authorizationList":{})",
                       authorizations_json(tx.authorization_list));
    return text + "}";
}

}  // namespace heddle::test
