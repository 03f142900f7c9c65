// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/testing_api.hpp"

#include <utility>
#include <vector>

#include <consensus_adapter/block_rules.hpp>
#include <types/block_error.hpp>
#include <types/transaction_error.hpp>
#include <vm/next_header.hpp>

#include "building/block_builder.hpp"
#include "building/block_room.hpp"
#include "building/pooled_candidates.hpp"
#include "chain/block_tries.hpp"
#include "formats/fixture_codec.hpp"
#include "mempool/blob_sidecar.hpp"
#include "rpc/envelope/arguments.hpp"
#include "rpc/queries/block_selector.hpp"
#include "rpc/queries/pending_block.hpp"

namespace heddle::node::rpc {
namespace {

/// engine_forkchoiceUpdatedV4's PayloadAttributesV4; those of earlier versions are a part of it.
struct PayloadAttributes {
    std::uint64_t timestamp = 0;
    Hash prev_randao;
    Address fee_recipient;
    std::vector<Withdrawal> withdrawals;
    Hash parent_beacon_block_root;
    std::optional<std::uint64_t> slot_number;       // nullopt: the one after the parent's
    std::optional<std::uint64_t> target_gas_limit;  // nullopt: the node's
};

PayloadAttributes parse_attributes(const JsonView& json) {
    PayloadAttributes attributes;
    attributes.timestamp = to_uint64(json.at("timestamp"));
    attributes.prev_randao = to_hash32(json.at("prevRandao"));
    attributes.fee_recipient = to_address(json.at("suggestedFeeRecipient"));
    if (const auto withdrawals = json.find("withdrawals"))
        attributes.withdrawals = parse_withdrawals(*withdrawals);
    if (const auto root = json.find("parentBeaconBlockRoot"))
        attributes.parent_beacon_block_root = to_hash32(*root);
    if (const auto slot = json.find("slotNumber")) attributes.slot_number = to_uint64(*slot);
    if (const auto limit = json.find("targetGasLimit"))
        attributes.target_gas_limit = to_uint64(*limit);
    return attributes;
}

/// A block under construction on some parent, and what does not go into it but beside it.
struct Draft {
    ledger::StoredHeader parent;
    std::unique_ptr<ledger::PastState> state;
    std::unique_ptr<BlockBuilder> builder;
    std::vector<Transaction> transactions;
    std::vector<Bytes> sidecars;
    std::size_t room = kUnboundedRoom;  // bytes that more transactions may take
};

[[noreturn]] void fail(const std::string& problem) {
    throw RpcError(Code::server_error, problem);
}

ledger::StoredHeader find_parent(const Chain& chain, const Hash& hash) {
    const auto number = take(chain.block_number(hash));
    if (!number.has_value()) fail("unknown parent " + to_string(hash));
    return take(chain.header(*number)).value();
}

Draft begin(const Services& services, const ledger::StoredHeader& parent,
            const PayloadAttributes& attributes, Bytes extra_data) {
    const Chain& chain = services.chain;
    const bool has_target = attributes.target_gas_limit.has_value();
    if (attributes.timestamp <= parent.header.timestamp)
        fail("invalid timestamp, parent " + std::to_string(parent.header.timestamp) + " given " +
             std::to_string(attributes.timestamp));
    vm::BlockAttributes made{
        .timestamp = attributes.timestamp,
        .gas_limit = parent.header.gas_limit,
        .beneficiary = attributes.fee_recipient,
        .extra_data = std::move(extra_data),
        .prev_randao = attributes.prev_randao,
        .parent_beacon_block_root = attributes.parent_beacon_block_root,
        .slot_number = attributes.slot_number,
    };
    if (has_target || services.gas_limit != 0)
        made.gas_limit = consensus_adapter::next_gas_limit(
            parent.header.gas_limit, attributes.target_gas_limit.value_or(services.gas_limit));
    BlockHeader header = vm::next_header({parent.header, parent.hash, parent.total_difficulty},
                                         made, chain.config());
    const BlockEnv env = chain.env_of_next(header, parent);

    Draft draft;
    draft.parent = parent;
    draft.state = take(chain.state_at(parent.header.number));
    draft.builder = std::make_unique<BlockBuilder>(chain.config(), *draft.state,
                                                   chain.block_hashes(), chain.code_cache());
    draft.room = room_for_transactions(env.revision, attributes.withdrawals.size());
    const auto begun = draft.builder->begin(std::move(header), env, attributes.withdrawals);
    if (!begun.has_value()) fail(to_string(begun.error()));
    return draft;
}

/// All of these transactions, in this order.
void add_given(const JsonView& list, const Call& call, Draft& draft) {
    for (std::size_t i = 0; i < list.size(); ++i) {
        Bytes encoded = to_bytes(list.element(i));
        if (has_sidecar(encoded)) {
            const auto parts = split_network_form(encoded);
            if (!parts.has_value()) fail("transaction " + std::to_string(i) + ": malformed blobs");
            draft.sidecars.emplace_back(parts->sidecar.begin(), parts->sidecar.end());
            encoded = Bytes{parts->canonical};
        }
        auto tx = decode_transaction(encoded);
        if (!tx.has_value())
            throw RpcError(Code::invalid_params, "transaction " + std::to_string(i) + ": " +
                                                     std::string{to_string(tx.error())});
        call.check_deadline();
        const std::size_t size = bytes_in_block(encoded.size(), tx->type);
        if (size > draft.room)
            fail("transaction " + std::to_string(i) + ": the block would be too large");
        draft.room -= size;
        if (const auto added = add_counted(*draft.builder, *tx, call); !added.has_value())
            fail("transaction " + std::to_string(i) + ": " + std::string{to_string(added.error())});
        draft.transactions.push_back(*std::move(tx));
    }
}

/// As many of the mempool's as a block of this node has room for.
void add_pooled(const Services& services, const Call& call, std::size_t withdrawals, Draft& draft) {
    const BlockEnv& env = draft.builder->env();
    draft.room = room_in_own_block(env.revision, withdrawals);
    const auto best = services.mempool.best(env.base_fee_per_gas, env.blob_base_fee);
    while (const SharedTransaction candidate = best->next()) {
        call.check_deadline();
        const std::size_t size = size_in_block(*candidate);
        if (size <= draft.room && add_counted(*draft.builder, candidate->tx, call).has_value()) {
            draft.room -= size;
            draft.transactions.push_back(candidate->tx);
            if (!candidate->sidecar.empty()) draft.sidecars.push_back(candidate->sidecar);
        } else {
            best->skip_sender();
        }
    }
}

void write_list(std::string_view name, const std::vector<Bytes>& items, JsonWriter& out) {
    out.key(name);
    out.begin_array();
    for (const Bytes& item : items)
        out.hex(item);
    out.end_array();
}

void write_blobs(const std::vector<Bytes>& sidecars, JsonWriter& out) {
    std::vector<BlobSidecar> decoded;
    for (const Bytes& sidecar : sidecars)
        if (auto parts = decode_sidecar(sidecar)) decoded.push_back(*std::move(parts));
    const auto write = [&](std::string_view name, std::vector<BytesView> BlobSidecar::* items) {
        out.key(name);
        out.begin_array();
        for (const BlobSidecar& sidecar : decoded)
            for (const BytesView item : sidecar.*items)
                out.hex(item);
        out.end_array();
    };
    out.key("blobsBundle");
    out.begin_object();
    write("commitments", &BlobSidecar::commitments);
    write("proofs", &BlobSidecar::proofs);
    write("blobs", &BlobSidecar::blobs);
    out.end_object();
}

/// engine_getPayload's ExecutionPayloadV4, or what its fork has of it.
void write_payload(const BlockBuilder::Built& built, JsonWriter& out) {
    const Block& block = built.block;
    const BlockHeader& header = block.header;
    const auto member = [&](std::string_view name, auto write) {
        out.key(name);
        write();
    };
    out.key("executionPayload");
    out.begin_object();
    member("parentHash", [&] { out.hash(header.parent_hash); });
    member("feeRecipient", [&] { out.address(header.beneficiary); });
    member("stateRoot", [&] { out.hash(header.state_root); });
    member("receiptsRoot", [&] { out.hash(header.receipts_root); });
    member("logsBloom", [&] { out.hex(header.logs_bloom.bytes); });
    member("prevRandao", [&] { out.hash(header.prev_randao); });
    member("blockNumber", [&] { out.quantity(header.number); });
    member("gasLimit", [&] { out.quantity(header.gas_limit); });
    member("gasUsed", [&] { out.quantity(header.gas_used); });
    member("timestamp", [&] { out.quantity(header.timestamp); });
    member("extraData", [&] { out.hex(header.extra_data); });
    member("baseFeePerGas", [&] { out.quantity(header.base_fee_per_gas.value_or(Uint256{})); });
    member("blockHash", [&] { out.hash(header_hash(header)); });
    std::vector<Bytes> transactions(block.transactions.size());
    for (std::size_t i = 0; i < transactions.size(); ++i)
        encode_transaction(block.transactions[i], transactions[i]);
    write_list("transactions", transactions, out);
    if (block.withdrawals.has_value()) {
        out.key("withdrawals");
        out.begin_array();
        for (const Withdrawal& withdrawal : *block.withdrawals) {
            out.begin_object();
            member("index", [&] { out.quantity(withdrawal.index); });
            member("validatorIndex", [&] { out.quantity(withdrawal.validator_index); });
            member("address", [&] { out.address(withdrawal.address); });
            member("amount", [&] { out.quantity(withdrawal.amount); });
            out.end_object();
        }
        out.end_array();
    }
    if (header.blob_gas_used) member("blobGasUsed", [&] { out.quantity(*header.blob_gas_used); });
    if (header.excess_blob_gas)
        member("excessBlobGas", [&] { out.quantity(*header.excess_blob_gas); });
    if (header.slot_number) member("slotNumber", [&] { out.quantity(*header.slot_number); });
    if (header.block_access_list_hash)
        member("blockAccessList", [&] { out.hex(built.result.access_list->encoded); });
    out.end_object();
}

/// What the block pays its beneficiary in wei.
Uint256 block_value(const BlockBuilder::Built& built) {
    const Uint256 base_fee = built.block.header.base_fee_per_gas.value_or(Uint256{});
    Uint256 value;
    for (const Receipt& receipt : built.result.receipts)
        value += (receipt.effective_gas_price - base_fee) * Uint256{receipt.gas_used};
    return value;
}

void build_block(const Services& services, const Call& call, JsonWriter& out) {
    const Hash parent_hash = hash_argument(call.params, 0);
    const PayloadAttributes attributes = argument(call.params, 1, parse_attributes);
    const auto transactions = call.params.find(2);
    Bytes extra_data;
    if (auto given = find_argument(call.params, 3, to_bytes)) extra_data = *std::move(given);

    const ledger::StoredHeader parent = find_parent(services.chain, parent_hash);
    Draft draft = begin(services, parent, attributes, std::move(extra_data));
    if (transactions.has_value())
        add_given(*transactions, call, draft);
    else
        add_pooled(services, call, attributes.withdrawals.size(), draft);
    auto built = draft.builder->finish(std::move(draft.transactions));
    if (!built.has_value()) fail(to_string(built.error()));
    BlockTries tries(services.chain, parent.header.number, call.until_deadline());
    auto root = tries.root_with(built->diff);
    if (!root.has_value()) call.check_deadline();
    built->block.header.state_root = take(std::move(root));

    out.begin_object();
    write_payload(*built, out);
    out.key("blockValue");
    out.quantity(block_value(*built));
    write_blobs(draft.sidecars, out);
    write_list("executionRequests", built->result.requests, out);
    out.key("shouldOverrideBuilder");
    out.boolean(false);
    out.end_object();
}

}  // namespace

void add_testing_methods(MethodTable& table, const Services& services) {
    table.add({"testing_buildBlockV1",
               [services](const Call& call, JsonWriter& out) { build_block(services, call, out); },
               Weight::executing});
}

}  // namespace heddle::node::rpc
