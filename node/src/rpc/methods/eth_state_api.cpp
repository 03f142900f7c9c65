// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/eth_state_api.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "chain/block_tries.hpp"
#include "rpc/envelope/arguments.hpp"
#include "rpc/queries/block_selector.hpp"

namespace heddle::node::rpc {
namespace {

/// Most slots that one eth_getStorageValues may ask for, as in geth.
constexpr std::size_t kMaxStorageValues = 1024;
/// The code of geth's for asking for too much of a kind at once.
constexpr int kClientLimitExceeded = -38026;

Handler get_balance(const Services& services) {
    return at_most(2, [services](const Call& call, JsonWriter& out) {
        const Address address = address_argument(call.params, 0);
        const SelectedState at = select_state(services.chain, selector_argument(call.params, 1));
        const auto account = at.state->account(address);
        out.quantity(account.has_value() ? account->balance : Uint256{});
    });
}

Handler get_code(const Services& services) {
    return at_most(2, [services](const Call& call, JsonWriter& out) {
        const Address address = address_argument(call.params, 0);
        const SelectedState at = select_state(services.chain, selector_argument(call.params, 1));
        const auto account = at.state->account(address);
        const bool has_code = account.has_value() && account->has_code();
        out.hex(has_code ? at.state->code(account->code_hash) : BytesView{});
    });
}

/// Balance, nonce and code at once.
Handler get_account_info(const Services& services) {
    return at_most(2, [services](const Call& call, JsonWriter& out) {
        const Address address = address_argument(call.params, 0);
        const SelectedState at = select_state(services.chain, selector_argument(call.params, 1));
        const Account account = at.state->account(address).value_or(Account{});
        out.begin_object();
        out.key("balance");
        out.quantity(account.balance);
        out.key("nonce");
        out.quantity(account.nonce);
        out.key("code");
        out.hex(account.has_code() ? at.state->code(account.code_hash) : BytesView{});
        out.end_object();
    });
}

Handler get_transaction_count(const Services& services) {
    return at_most(2, [services](const Call& call, JsonWriter& out) {
        const Address address = address_argument(call.params, 0);
        const BlockSelector selector = selector_argument(call.params, 1);
        if (selector.tag == BlockSelector::Tag::pending)
            return out.quantity(services.mempool.next_nonce(address));
        const SelectedState at = select_state(services.chain, selector);
        const auto account = at.state->account(address);
        out.quantity(account.has_value() ? account->nonce : 0);
    });
}

Handler get_storage_at(const Services& services) {
    return at_most(3, [services](const Call& call, JsonWriter& out) {
        const Address address = address_argument(call.params, 0);
        const auto key = argument(call.params, 1, [](const JsonView& value) {
            if (!value.is_string()) fail_input("expected a hex string");
            return value.string();
        });
        const SelectedState at = select_state(services.chain, selector_argument(call.params, 2));
        out.hash(to_hash(at.state->storage(address, parse_storage_key(key).slot)));
    });
}

using StorageRequest = std::vector<std::pair<Address, std::vector<Hash>>>;

/// `{address: [slot, …], …}`.
StorageRequest to_storage_request(const JsonView& value) {
    if (!value.is_object()) fail_input("expected an object of addresses");
    StorageRequest request;
    std::size_t count = 0;
    for (std::size_t i = 0; i < value.size(); ++i) {
        const auto [name, slots] = value.member(i);
        auto& [address, keys] = request.emplace_back();
        address = to_address(name);
        count += slots.size();
        if (count > kMaxStorageValues)
            throw RpcError(kClientLimitExceeded,
                           fmt::format("too many slots (max {})", kMaxStorageValues));
        for (std::size_t j = 0; j < slots.size(); ++j)
            keys.push_back(to_hash32(slots.element(j)));
    }
    if (count == 0) throw RpcError(Code::invalid_params, "empty request");
    return request;
}

Handler get_storage_values(const Services& services) {
    return at_most(2, [services](const Call& call, JsonWriter& out) {
        const StorageRequest request = argument(call.params, 0, to_storage_request);
        const SelectedState at = select_state(services.chain, selector_argument(call.params, 1));
        out.begin_object();
        for (const auto& [address, keys] : request) {
            out.key(to_string(address));
            out.begin_array();
            for (const Hash& key : keys)
                out.hash(to_hash(at.state->storage(address, to_word(key))));
            out.end_array();
        }
        out.end_object();
    });
}

void write_nodes(std::string_view name, const std::vector<Bytes>& nodes, JsonWriter& out) {
    out.key(name);
    out.begin_array();
    for (const Bytes& node : nodes)
        out.hex(node);
    out.end_array();
}

/// A key that was given in full comes back so, a shorter one as a number (as geth does).
void write_storage_proof(const StorageKey& key, const ledger::AccountProof::Slot& slot,
                         JsonWriter& out) {
    out.begin_object();
    out.key("key");
    if (key.is_full)
        out.hash(to_hash(key.slot));
    else
        out.quantity(key.slot);
    out.key("value");
    out.quantity(slot.value);
    write_nodes("proof", slot.nodes, out);
    out.end_object();
}

void write_proof(const Address& address, const std::vector<StorageKey>& keys,
                 const ledger::AccountProof& proof, JsonWriter& out) {
    const bool exists = proof.account.has_value();
    const Account account = proof.account.value_or(Account{});
    out.begin_object();
    out.key("address");
    out.address(address);
    write_nodes("accountProof", proof.nodes, out);
    out.key("balance");
    out.quantity(account.balance);
    out.key("nonce");
    out.quantity(account.nonce);
    // Of an account that does not exist geth says zero, which no code and no storage has.
    out.key("codeHash");
    out.hash(exists ? account.code_hash : Hash{});
    out.key("storageHash");
    out.hash(exists ? proof.storage_root : Hash{});
    out.key("storageProof");
    out.begin_array();
    for (std::size_t i = 0; i < keys.size(); ++i)
        write_storage_proof(keys[i], proof.slots[i], out);
    out.end_array();
    out.end_object();
}

std::vector<std::string> to_texts(const JsonView& list) {
    if (!list.is_array()) fail_input("expected an array of storage keys");
    std::vector<std::string> texts;
    texts.reserve(list.size());
    for (std::size_t i = 0; i < list.size(); ++i)
        texts.emplace_back(list.element(i).string());
    return texts;
}

std::vector<StorageKey> read_storage_keys(const Params& params, std::size_t most) {
    std::vector<StorageKey> keys;
    for (const std::string& text : argument(params, 1, to_texts))
        keys.push_back(parse_storage_key(text));
    if (keys.size() > most)
        throw RpcError(
            Code::invalid_params,
            fmt::format("too many storage keys requested (max {}, got {})", most, keys.size()));
    return keys;
}

Handler get_proof(const Services& services) {
    return at_most(3, [services](const Call& call, JsonWriter& out) {
        const Address address = address_argument(call.params, 0);
        const auto keys = read_storage_keys(call.params, services.limits.proof_slots);
        std::vector<Uint256> slots;
        slots.reserve(keys.size());
        for (const StorageKey& key : keys)
            slots.push_back(key.slot);
        const auto prove = [&](const SelectedBlock& block) {
            BlockTries tries(services.chain, block.header.header.number, call.until_deadline());
            auto proof = tries.prove(address, slots);
            if (!proof.has_value()) call.check_deadline();
            return proof;
        };
        const auto proof = ask_of(services.chain, selector_argument(call.params, 2), prove).second;
        if (!proof.has_value()) {
            if (proof.error().code != ledger::LedgerErrorCode::unavailable)
                throw RpcError(Code::internal_error, ledger::to_string(proof.error()));
            throw RpcError(Code::server_error, "no proof: " + proof.error().detail);
        }
        write_proof(address, keys, *proof, out);
    });
}

}  // namespace

void add_eth_state_methods(MethodTable& table, const Services& services) {
    table.add({"eth_getBalance", get_balance(services)});
    table.add({"eth_getCode", get_code(services)});
    table.add({"eth_getAccountInfo", get_account_info(services)});
    table.add({"eth_getTransactionCount", get_transaction_count(services)});
    table.add({"eth_getStorageAt", get_storage_at(services)});
    table.add({"eth_getStorageValues", get_storage_values(services), Weight::heavy});
    table.add({"eth_getProof", get_proof(services), Weight::heavy});
}

}  // namespace heddle::node::rpc
