// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/queries/codec.hpp"

#include <algorithm>
#include <vector>

#include <types/assert.hpp>
#include <types/transaction_hashes.hpp>

namespace heddle::node::rpc {
namespace {

/// As legacy transactions carry it (YP App. F, EIP-155); y_parity in all others.
Uint256 v_of(const Transaction& tx) {
    if (tx.r.is_zero() && tx.s.is_zero()) return tx.y_parity;  // simulated: nobody signed it
    if (tx.type != TransactionType::legacy) return tx.y_parity;
    if (!tx.chain_id.has_value()) return 27u + tx.y_parity;
    return Uint256{*tx.chain_id} * 2 + Uint256{35u + tx.y_parity};
}

/// What is paid per gas, in wei; outside a block, the most that may be.
Uint256 gas_price_of(const Transaction& tx, const std::optional<TransactionPlace>& place) {
    if (!place.has_value() || !place->base_fee_per_gas.has_value()) return tx.max_fee_per_gas;
    Uint256 wanted;
    if (add_overflow(tx.max_priority_fee_per_gas, *place->base_fee_per_gas, wanted))
        return tx.max_fee_per_gas;
    return std::min(wanted, tx.max_fee_per_gas);
}

void write_to(const std::optional<Address>& to, JsonWriter& out) {
    out.key("to");
    if (to.has_value())
        out.address(*to);
    else
        out.null();
}

void write_place(const std::optional<TransactionPlace>& place, JsonWriter& out) {
    const auto quantity = [&](std::string_view name, std::uint64_t value) {
        out.key(name);
        if (place.has_value())
            out.quantity(value);
        else
            out.null();
    };
    const TransactionPlace known = place.value_or(TransactionPlace{});
    out.key("blockHash");
    if (place.has_value())
        out.hash(known.block_hash);
    else
        out.null();
    quantity("blockNumber", known.block_number);
    quantity("blockTimestamp", known.block_timestamp);
    quantity("transactionIndex", known.index);
}

void write_authorizations(const std::vector<Authorization>& list, JsonWriter& out) {
    out.key("authorizationList");
    out.begin_array();
    for (const Authorization& item : list) {
        out.begin_object();
        out.key("chainId");
        out.quantity(item.chain_id);
        out.key("address");
        out.address(item.address);
        out.key("nonce");
        out.quantity(item.nonce);
        out.key("yParity");
        out.quantity(item.y_parity);
        out.key("r");
        out.quantity(item.r);
        out.key("s");
        out.quantity(item.s);
        out.end_object();
    }
    out.end_array();
}

/// What later types add to a legacy transaction.
void write_typed_members(const Transaction& tx, JsonWriter& out) {
    if (tx.type >= TransactionType::dynamic_fee) {
        out.key("maxFeePerGas");
        out.quantity(tx.max_fee_per_gas);
        out.key("maxPriorityFeePerGas");
        out.quantity(tx.max_priority_fee_per_gas);
    }
    if (tx.type >= TransactionType::access_list) {
        out.key("accessList");
        write_access_list(tx.access_list, out);
        out.key("yParity");
        out.quantity(std::uint64_t{tx.y_parity});
    }
    if (tx.type == TransactionType::blob) {
        out.key("maxFeePerBlobGas");
        out.quantity(tx.max_fee_per_blob_gas);
        out.key("blobVersionedHashes");
        out.begin_array();
        for (const Hash& hash : tx.blob_versioned_hashes)
            out.hash(hash);
        out.end_array();
    }
    if (tx.type == TransactionType::set_code) write_authorizations(tx.authorization_list, out);
}

void write_transactions(const Block& block, const Hash& hash,
                        std::span<const Hash> transaction_hashes, bool is_full, JsonWriter& out) {
    out.key("transactions");
    out.begin_array();
    for (std::size_t i = 0; i < block.transactions.size(); ++i) {
        if (is_full)
            write_transaction(block.transactions[i], transaction_hashes[i],
                              place_of(block.header, hash, static_cast<std::uint32_t>(i)), out);
        else
            out.hash(transaction_hashes[i]);
    }
    out.end_array();
}

void write_withdrawals(const std::vector<Withdrawal>& withdrawals, JsonWriter& out) {
    out.key("withdrawals");
    out.begin_array();
    for (const Withdrawal& withdrawal : withdrawals) {
        out.begin_object();
        out.key("index");
        out.quantity(withdrawal.index);
        out.key("validatorIndex");
        out.quantity(withdrawal.validator_index);
        out.key("address");
        out.address(withdrawal.address);
        out.key("amount");
        out.quantity(withdrawal.amount);
        out.end_object();
    }
    out.end_array();
}

/// Everything but what a block that is not sealed yet has no value for: hash, miner, nonce.
void write_unsealed_members(const BlockHeader& header, JsonWriter& out) {
    const auto hash = [&](std::string_view name, const Hash& value) {
        out.key(name);
        out.hash(value);
    };
    const auto quantity = [&](std::string_view name, const auto& value) {
        out.key(name);
        out.quantity(value);
    };
    hash("parentHash", header.parent_hash);
    hash("sha3Uncles", header.ommers_hash);
    hash("stateRoot", header.state_root);
    hash("transactionsRoot", header.transactions_root);
    hash("receiptsRoot", header.receipts_root);
    out.key("logsBloom");
    out.hex(header.logs_bloom.bytes);
    quantity("difficulty", header.difficulty);
    quantity("number", header.number);
    quantity("gasLimit", header.gas_limit);
    quantity("gasUsed", header.gas_used);
    quantity("timestamp", header.timestamp);
    out.key("extraData");
    out.hex(header.extra_data);
    hash("mixHash", header.prev_randao);
    if (header.base_fee_per_gas.has_value()) quantity("baseFeePerGas", *header.base_fee_per_gas);
    if (header.withdrawals_root.has_value()) hash("withdrawalsRoot", *header.withdrawals_root);
    if (header.blob_gas_used.has_value()) quantity("blobGasUsed", *header.blob_gas_used);
    if (header.excess_blob_gas.has_value()) quantity("excessBlobGas", *header.excess_blob_gas);
    if (header.parent_beacon_block_root.has_value())
        hash("parentBeaconBlockRoot", *header.parent_beacon_block_root);
    if (header.requests_hash.has_value()) hash("requestsHash", *header.requests_hash);
    if (header.block_access_list_hash.has_value())
        hash("blockAccessListHash", *header.block_access_list_hash);
    if (header.slot_number.has_value()) quantity("slotNumber", *header.slot_number);
}

}  // namespace

TransactionPlace place_of(const BlockHeader& header, const Hash& hash, std::uint32_t index) {
    return {.block_hash = hash,
            .block_number = header.number,
            .block_timestamp = header.timestamp,
            .index = index,
            .base_fee_per_gas = header.base_fee_per_gas};
}

void write_access_list(const AccessList& list, JsonWriter& out) {
    out.begin_array();
    for (const AccessListEntry& entry : list) {
        out.begin_object();
        out.key("address");
        out.address(entry.address);
        out.key("storageKeys");
        out.begin_array();
        for (const Hash& key : entry.storage_keys)
            out.hash(key);
        out.end_array();
        out.end_object();
    }
    out.end_array();
}

void write_transaction(const Transaction& tx, const Hash& hash,
                       const std::optional<TransactionPlace>& place, JsonWriter& out) {
    HEDDLE_ASSERT(tx.sender.has_value());
    out.begin_object();
    write_place(place, out);
    out.key("from");
    out.address(*tx.sender);
    out.key("gas");
    out.quantity(tx.gas_limit);
    out.key("gasPrice");
    out.quantity(gas_price_of(tx, place));
    out.key("hash");
    out.hash(hash);
    out.key("input");
    out.hex(tx.data);
    out.key("nonce");
    out.quantity(tx.nonce);
    write_to(tx.to, out);
    out.key("value");
    out.quantity(tx.value);
    out.key("type");
    out.quantity(static_cast<std::uint64_t>(tx.type));
    if (tx.chain_id.has_value()) {
        out.key("chainId");
        out.quantity(*tx.chain_id);
    }
    write_typed_members(tx, out);
    out.key("v");
    out.quantity(v_of(tx));
    out.key("r");
    out.quantity(tx.r);
    out.key("s");
    out.quantity(tx.s);
    out.end_object();
}

void write_lone_transaction(const Transaction& tx, const Hash& hash, JsonWriter& out,
                            const std::function<void()>& more) {
    const bool is_legacy = tx.type == TransactionType::legacy;
    const bool is_signed = !tx.r.is_zero() || !tx.s.is_zero();
    const auto quantity = [&](std::string_view name, const auto& value) {
        out.key(name);
        out.quantity(value);
    };
    const auto null = [&](std::string_view name) {
        out.key(name);
        out.null();
    };
    out.begin_object();
    quantity("type", static_cast<std::uint64_t>(tx.type));
    // That of a legacy transaction is in its signature (EIP-155).
    if (tx.chain_id.has_value() && (is_signed || !is_legacy)) quantity("chainId", *tx.chain_id);
    quantity("nonce", tx.nonce);
    write_to(tx.to, out);
    quantity("gas", tx.gas_limit);
    if (tx.type >= TransactionType::dynamic_fee) {
        null("gasPrice");
    } else {
        quantity("gasPrice", tx.max_fee_per_gas);
        null("maxPriorityFeePerGas");
        null("maxFeePerGas");
    }
    quantity("value", tx.value);
    out.key("input");
    out.hex(tx.data);
    write_typed_members(tx, out);
    quantity("v", is_signed ? v_of(tx) : Uint256{});
    quantity("r", tx.r);
    quantity("s", tx.s);
    if (more) more();
    out.key("hash");
    out.hash(hash);
    out.end_object();
}

void write_header_members(const BlockHeader& header, const Hash& hash, JsonWriter& out) {
    out.key("hash");
    out.hash(hash);
    out.key("miner");
    out.address(header.beneficiary);
    out.key("nonce");
    out.hex(header.nonce);
    write_unsealed_members(header, out);
}

void write_block(const Block& block, const BlockDigest& digest, bool with_transactions,
                 JsonWriter& out) {
    const auto& [hash, transaction_hashes, size_bytes] = digest;
    HEDDLE_ASSERT(transaction_hashes.size() == block.transactions.size());
    out.begin_object();
    write_header_members(block.header, hash, out);
    out.key("size");
    out.quantity(std::uint64_t{size_bytes});
    write_transactions(block, hash, transaction_hashes, with_transactions, out);
    out.key("uncles");
    out.begin_array();
    for (const BlockHeader& ommer : block.ommers)
        out.hash(header_hash(ommer));
    out.end_array();
    if (block.withdrawals.has_value()) write_withdrawals(*block.withdrawals, out);
    out.end_object();
}

void write_block(const Block& block, const Hash& hash, bool with_transactions,
                 std::size_t size_bytes, JsonWriter& out) {
    const std::vector<Hash> hashes = transaction_hashes(block.transactions);
    write_block(block, {hash, hashes, size_bytes}, with_transactions, out);
}

void write_pending_block(const Block& block, std::span<const Hash> transaction_hashes,
                         bool with_transactions, JsonWriter& out) {
    Bytes encoded;
    encode_block(block, encoded);
    out.begin_object();
    for (const char* name : {"hash", "miner", "nonce"}) {
        out.key(name);
        out.null();
    }
    write_unsealed_members(block.header, out);
    out.key("size");
    out.quantity(std::uint64_t{encoded.size()});
    out.key("transactions");
    out.begin_array();
    for (std::size_t i = 0; i < transaction_hashes.size(); ++i) {
        if (with_transactions)
            write_transaction(block.transactions[i], transaction_hashes[i], std::nullopt, out);
        else
            out.hash(transaction_hashes[i]);
    }
    out.end_array();
    out.key("uncles");
    out.begin_array();
    out.end_array();
    if (block.withdrawals.has_value()) write_withdrawals(*block.withdrawals, out);
    out.end_object();
}

void write_ommer(const BlockHeader& ommer, JsonWriter& out) {
    Bytes encoded;
    encode_block(Block{ommer, {}, {}, {}}, encoded);
    out.begin_object();
    write_header_members(ommer, header_hash(ommer), out);
    out.key("size");
    out.quantity(std::uint64_t{encoded.size()});
    out.key("uncles");
    out.begin_array();
    out.end_array();
    out.end_object();
}

void write_log(const Log& log, const LogPlace& place, JsonWriter& out) {
    out.begin_object();
    out.key("address");
    out.address(log.address);
    out.key("topics");
    out.begin_array();
    for (const Hash& topic : log.topics)
        out.hash(topic);
    out.end_array();
    out.key("data");
    out.hex(log.data);
    out.key("blockNumber");
    out.quantity(place.block_number);
    out.key("transactionHash");
    out.hash(place.transaction_hash);
    out.key("transactionIndex");
    out.quantity(std::uint64_t{place.transaction_index});
    out.key("blockHash");
    out.hash(place.block_hash);
    out.key("blockTimestamp");
    out.quantity(place.block_timestamp);
    out.key("logIndex");
    out.quantity(std::uint64_t{place.log_index});
    out.key("removed");
    out.boolean(place.is_removed);
    out.end_object();
}

void write_receipt(const Receipt& receipt, const Transaction& tx, const Hash& hash,
                   const ReceiptPlace& where, JsonWriter& out) {
    const TransactionPlace& place = where.transaction;
    HEDDLE_ASSERT(tx.sender.has_value());
    const auto quantity = [&](std::string_view name, const auto& value) {
        out.key(name);
        out.quantity(value);
    };
    out.begin_object();
    out.key("blockHash");
    out.hash(place.block_hash);
    quantity("blockNumber", place.block_number);
    out.key("transactionHash");
    out.hash(hash);
    quantity("transactionIndex", std::uint64_t{place.index});
    out.key("from");
    out.address(*tx.sender);
    write_to(tx.to, out);
    quantity("gasUsed", receipt.gas_used);
    quantity("cumulativeGasUsed", receipt.cumulative_gas_used);
    quantity("effectiveGasPrice", receipt.effective_gas_price);
    quantity("type", static_cast<std::uint64_t>(tx.type));
    if (tx.type == TransactionType::blob) {
        quantity("blobGasUsed", receipt.blob_gas_used);
        quantity("blobGasPrice", where.blob_base_fee);
    }
    out.key("contractAddress");
    if (receipt.contract_address.has_value())
        out.address(*receipt.contract_address);
    else
        out.null();
    if (receipt.post_state.has_value()) {
        out.key("root");
        out.hash(*receipt.post_state);
    } else {
        quantity("status", std::uint64_t{receipt.success ? 1u : 0u});
    }
    out.key("logsBloom");
    out.hex(receipt.bloom.bytes);
    out.key("logs");
    out.begin_array();
    LogPlace log_place{.block_hash = place.block_hash,
                       .block_number = place.block_number,
                       .block_timestamp = place.block_timestamp,
                       .transaction_hash = hash,
                       .transaction_index = place.index,
                       .log_index = where.first_log_index};
    for (const Log& log : receipt.logs) {
        write_log(log, log_place, out);
        ++log_place.log_index;
    }
    out.end_array();
    if (where.tells_time) {
        out.key("timestamp");
        out.number(place.block_timestamp);
    }
    out.end_object();
}

}  // namespace heddle::node::rpc
