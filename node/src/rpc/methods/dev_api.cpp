// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/dev_api.hpp"

#include <algorithm>
#include <expected>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <types/signing.hpp>

#include "rpc/envelope/arguments.hpp"
#include "rpc/methods/given_blobs.hpp"
#include "rpc/methods/simulation_failures.hpp"
#include "rpc/queries/block_selector.hpp"
#include "rpc/queries/codec.hpp"
#include "rpc/queries/eip712.hpp"
#include "rpc/queries/gas_oracle.hpp"
#include "simulation/call_request.hpp"
#include "simulation/call_site.hpp"
#include "simulation/evm_pool.hpp"
#include "simulation/gas_estimator.hpp"
#include "simulation/unsigned_transaction.hpp"

namespace heddle::node::rpc {
namespace {

using simulation::CallRequest;

[[noreturn]] void refuse(const std::string& problem) {
    throw RpcError(Code::server_error, problem);
}

/// EIP-191, version 0x45: what is signed for a message of a person.
Hash personal_message_hash(BytesView message) {
    const std::string head = fmt::format(
        "\x19"
        "Ethereum Signed Message:\n{}",
        message.size());
    Bytes text{head.begin(), head.end()};
    text.insert(text.end(), message.begin(), message.end());
    return keccak256(text);
}

/// One thing may be written under two names; geth refuses two values.
void check_data(const JsonView& json) {
    const auto input = json.find("input");
    const auto data = json.find("data");
    if (input && data && to_bytes(*input) != to_bytes(*data))
        refuse(
            "both \"data\" and \"input\" are set and not equal. Please use \"input\" to pass "
            "transaction call data");
}

TransactionType to_type(const JsonView& json) {
    const std::uint64_t type = json.uint64();
    if (type > static_cast<std::uint64_t>(TransactionType::set_code))
        fail_input("transaction type not supported");
    return static_cast<TransactionType>(type);
}

/// What a transaction of that type has no place for is not left out of it without a word.
void check_type(const CallRequest& request, TransactionType type) {
    const auto refuse_member = [type](bool is_given, std::string_view name) {
        if (is_given)
            fail_input("a transaction of type {} has no {}", static_cast<int>(type), name);
    };
    const bool has_newer_fees = type >= TransactionType::dynamic_fee;
    refuse_member(has_newer_fees && request.gas_price, "gasPrice");
    refuse_member(!has_newer_fees && request.max_fee_per_gas, "maxFeePerGas");
    refuse_member(!has_newer_fees && request.max_priority_fee_per_gas, "maxPriorityFeePerGas");
    refuse_member(
        type == TransactionType::legacy && request.access_list && !request.access_list->empty(),
        "accessList");
    refuse_member(type != TransactionType::set_code && request.authorization_list,
                  "authorizationList");
    if (type == TransactionType::set_code && !request.authorization_list)
        fail_input("a transaction of type 4 needs an authorizationList");
}

CallRequest parse_any_request(const JsonView& json) {
    CallRequest request = simulation::parse_call_request(json);
    check_data(json);
    const auto type = json.find("type");
    if (type) request.type = to_type(*type);
    return request;
}

/// Of a transaction that is signed here.
CallRequest parse_request(const JsonView& json) {
    CallRequest request = parse_any_request(json);
    if (request.type == TransactionType::blob || request.blob_versioned_hashes ||
        request.max_fee_per_blob_gas || json.find("blobs") || json.find("sidecar"))
        refuse("blobs are signed by the client: use eth_sendRawTransaction");
    if (request.type) check_type(request, *request.type);
    return request;
}

/// Of one that is signed elsewhere, and may have blobs.
struct UnsignedRequest {
    CallRequest call;
    std::optional<GivenBlobs> blobs;
};
UnsignedRequest parse_unsigned_request(const JsonView& json) {
    UnsignedRequest request{.call = parse_any_request(json), .blobs = parse_given_blobs(json)};
    const auto type = request.call.type;
    if (!type) return request;
    check_type(request.call, *type);
    const bool has_blobs = request.call.blob_versioned_hashes || request.blobs;
    if (has_blobs && *type != TransactionType::blob)
        fail_input("a transaction of type {} has no blobs", static_cast<int>(*type));
    if (!has_blobs && *type == TransactionType::blob)
        fail_input("a transaction of type 3 needs blobs or blobVersionedHashes");
    return request;
}

void write_blobs(const GivenBlobs& given, JsonWriter& out) {
    const auto write = [&](std::string_view name, const std::vector<Bytes>& items) {
        out.key(name);
        out.begin_array();
        for (const Bytes& item : items)
            out.hex(item);
        out.end_array();
    };
    write("blobs", given.blobs);
    write("commitments", *given.commitments);
    write("proofs", *given.proofs);
}

/// Thread safety: any.
class DevApi {
public:
    DevApi(const Services& services, std::span<const DevAccount> accounts)
        : services_(services),
          accounts_(accounts),
          oracle_(services.chain),
          pool_(services.chain.code_cache()) {}

    void list_accounts(const Call& call, JsonWriter& out) {
        expect_at_most(call.params, 0);
        out.begin_array();
        for (const DevAccount& account : accounts_)
            out.address(account.address);
        out.end_array();
    }

    void send_transaction(const Call& call, JsonWriter& out) {
        expect_at_most(call.params, 1);
        CallRequest request = argument(call.params, 0, parse_request);
        name_sender(request);
        const auto settling = services_.settling();
        const Hash hash = send(request, call);
        services_.settle({&hash, 1}, call);
        out.hash(hash);
    }

    /// In the name of whoever is said to send it, once, without impersonation.
    void send_unsigned(const Call& call, JsonWriter& out) {
        expect_at_most(call.params, 1);
        CallRequest request = argument(call.params, 0, parse_request);
        if (services_.control == nullptr)
            refuse("what nobody has signed is not recorded; start the node without --record");
        const auto settling = services_.settling();
        const Hash hash = send(request, call, true);
        services_.settle({&hash, 1}, call);
        out.hash(hash);
    }

    void sign_transaction(const Call& call, JsonWriter& out) {
        expect_at_most(call.params, 1);
        CallRequest request = argument(call.params, 0, parse_request);
        name_sender(request);
        if (!request.gas) refuse("gas not specified");
        if (!request.gas_price && !(request.max_fee_per_gas && request.max_priority_fee_per_gas))
            refuse("missing gasPrice or maxFeePerGas/maxPriorityFeePerGas");
        if (!request.nonce) refuse("nonce not specified");
        const DevAccount& account = find_account(request.sender());
        fill(request, call);
        const Signed signed_tx = sign_request(request, account);
        out.begin_object();
        out.key("raw");
        out.hex(signed_tx.encoded);
        out.key("tx");
        write_lone_transaction(signed_tx.tx, keccak256(signed_tx.encoded), out);
        out.end_object();
    }

    /// What would be signed, for whoever signs elsewhere.
    void fill_transaction(const Call& call, JsonWriter& out) {
        expect_at_most(call.params, 1);
        auto [request, blobs] = argument(call.params, 0, parse_unsigned_request);
        if (blobs) {
            const Revision revision = services_.chain.env_of(services_.chain.head()).revision;
            complete_blobs(*blobs, request, revision, call);
        }
        fill(request, call);
        const Transaction tx = unsigned_transaction(request);
        Bytes encoded;
        simulation::encode_unsigned(tx, encoded);
        out.begin_object();
        out.key("raw");
        out.hex(blobs ? join_network_form(encoded, encode_sidecar(*blobs)) : encoded);
        out.key("tx");
        write_lone_transaction(tx, keccak256(encoded), out, [&out, &given = blobs] {
            if (given) write_blobs(*given, out);
        });
        out.end_object();
    }

    void sign_message(const Call& call, JsonWriter& out) {
        expect_at_most(call.params, 2);
        const DevAccount& account = find_account(address_argument(call.params, 0));
        write_signature(personal_message_hash(bytes_argument(call.params, 1)), account, out);
    }

    /// The same with the message first; wallets add a password, which nothing needs here.
    void sign_personal(const Call& call, JsonWriter& out) {
        expect_at_most(call.params, 3);
        const Bytes message = bytes_argument(call.params, 0);
        const DevAccount& account = find_account(address_argument(call.params, 1));
        write_signature(personal_message_hash(message), account, out);
    }

    void sign_typed_data(const Call& call, JsonWriter& out) {
        expect_at_most(call.params, 2);
        const DevAccount& account = find_account(address_argument(call.params, 0));
        const Hash hash = argument(call.params, 1, [](const JsonView& data) {
            if (!data.is_string()) return typed_data_hash(data);
            // Clients write it as a text of its own, as wallets take it.
            JsonParser parser;
            return typed_data_hash(parser.parse(data.string(), "typed data"));
        });
        write_signature(hash, account, out);
    }

private:
    struct Signed {
        Transaction tx;
        Bytes encoded;
    };

    /// Null: it is none of them.
    [[nodiscard]] const DevAccount* find_key(const Address& address) const {
        const auto found = std::ranges::find(accounts_, address, &DevAccount::address);
        return found == accounts_.end() ? nullptr : &*found;
    }
    [[nodiscard]] const DevAccount& find_account(const Address& address) const {
        const DevAccount* const found = find_key(address);
        if (found == nullptr) refuse("unknown account");
        return *found;
    }
    /// Who says nobody means the first account, as with anvil and hardhat.
    void name_sender(CallRequest& request) const {
        if (!request.from && !accounts_.empty()) request.from = accounts_.front().address;
    }
    [[nodiscard]] bool is_impersonated(const Address& address) const {
        return services_.control != nullptr && services_.control->impersonation().contains(address);
    }
    Hash send(CallRequest& request, const Call& call, bool as_anybody = false);

    void read_ahead(CallRequest request, const Call& call);
    void fill(CallRequest& request, const Call& call);
    void fill_blob_fee(CallRequest& request);
    void fill_fees(CallRequest& request);
    [[nodiscard]] std::uint64_t estimate(const CallRequest& request, const Call& call);
    [[nodiscard]] static Transaction unsigned_transaction(const CallRequest& request);
    [[nodiscard]] static Signed sign_request(const CallRequest& request, const DevAccount& account);
    static void write_signature(const Hash& hash, const DevAccount& account, JsonWriter& out);

    const Services services_;
    const std::span<const DevAccount> accounts_;
    GasOracle oracle_;
    simulation::EvmPool pool_;
    std::mutex sending_;  // from asking for a nonce until its transaction is in the pool
};

/// Into the pool, signed, or in the name of somebody whose key is not known here.
Hash DevApi::send(CallRequest& request, const Call& call, bool as_anybody) {
    const DevAccount* const account = find_key(request.sender());
    if (account == nullptr && !as_anybody && !is_impersonated(request.sender()))
        refuse("unknown account");
    if (services_.chain.fork_base() != nullptr) read_ahead(request, call);
    // Two transactions that are sent at once get different nonces.
    std::unique_lock lock{sending_, std::defer_lock};
    if (!request.nonce) lock.lock();
    fill(request, call);
    std::expected<Hash, AdmissionError> added;
    if (account != nullptr) {
        added = services_.mempool.add_signed(sign_request(request, *account).encoded,
                                             account->address, Origin::local);
    } else {
        Transaction tx = unsigned_transaction(request);
        sign_as(request.sender(), tx);
        added = services_.mempool.add_as_sent(std::move(tx), Origin::local);
    }
    if (!added.has_value()) refuse(added.error().message);
    return *added;
}

/// On a chain that forks another one: what sending it reads is fetched before others are kept
/// waiting. Errors: RpcError that names what could not be read; as fill().
void DevApi::read_ahead(CallRequest request, const Call& call) {
    fill(request, call);
    Transaction tx = unsigned_transaction(request);
    tx.sender = request.sender();
    services_.expect_readable(tx);
}

/// What geth fills in, in its order, so that the first problem is the one that it names.
void DevApi::fill(CallRequest& request, const Call& call) {
    fill_blob_fee(request);
    fill_fees(request);
    if (!request.value) request.value = Uint256{};
    if (!request.nonce) request.nonce = services_.mempool.next_nonce(request.sender());
    if (request.blob_versioned_hashes) {
        if (request.blob_versioned_hashes->empty())
            refuse("need at least 1 blob for a blob transaction");
        check_blob_count(request.blob_versioned_hashes->size());
        if (!request.to) refuse("missing \"to\" in blob transaction");
    }
    if (!request.to && (!request.data || request.data->empty()))
        refuse("contract creation without any data provided");
    if (request.authorization_list && request.authorization_list->empty())
        refuse("EIP-7702 transaction with empty auth list");
    if (!request.gas) request.gas = estimate(request, call);
    const Uint256 chain_id{services_.chain.config().chain_id};
    if (request.chain_id && *request.chain_id != chain_id)
        refuse(fmt::format("chainId does not match node's (have={}, want={})",
                           to_decimal(*request.chain_id), to_decimal(chain_id)));
    request.chain_id = chain_id;
}

/// Twice the price of the head, which may rise until the transaction is in a block.
void DevApi::fill_blob_fee(CallRequest& request) {
    if (request.max_fee_per_blob_gas && request.max_fee_per_blob_gas->is_zero())
        refuse("maxFeePerBlobGas, if specified, must be non-zero");
    if (!request.blob_versioned_hashes) return;
    const ledger::StoredHeader head = services_.chain.head();
    if (!head.header.excess_blob_gas) refuse("blobs are not valid before Cancun is active");
    if (!request.max_fee_per_blob_gas)
        request.max_fee_per_blob_gas = services_.chain.env_of(head).blob_base_fee * Uint256{2};
}

void DevApi::fill_fees(CallRequest& request) {
    const bool has_newer_fees = request.max_fee_per_gas || request.max_priority_fee_per_gas;
    if (request.gas_price && has_newer_fees)
        refuse("both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified");
    const ledger::StoredHeader head = services_.chain.head();
    const auto next = services_.chain.preview(head);
    const auto& base_fee = next ? next->base_fee_per_gas : head.header.base_fee_per_gas;
    if (request.gas_price) {
        if (request.gas_price->is_zero() && base_fee && !base_fee->is_zero())
            refuse("gasPrice must be non-zero after london fork");
        return;
    }
    const bool is_newer = request.type >= TransactionType::dynamic_fee;  // not where it is unsaid
    if (!base_fee && (has_newer_fees || is_newer))
        refuse("maxFeePerGas and maxPriorityFeePerGas are not valid before London is active");
    if (!base_fee || (request.type && !is_newer)) {
        request.gas_price = base_fee.value_or(Uint256{}) + oracle_.priority_fee();
        return;
    }
    if (!request.max_priority_fee_per_gas)
        request.max_priority_fee_per_gas = oracle_.priority_fee();
    if (!request.max_fee_per_gas)
        request.max_fee_per_gas = *base_fee * Uint256{2} + *request.max_priority_fee_per_gas;
    if (request.max_fee_per_gas->is_zero() && !base_fee->is_zero())
        refuse("maxFeePerGas must be non-zero");
    if (*request.max_fee_per_gas < *request.max_priority_fee_per_gas)
        refuse(fmt::format("maxFeePerGas ({}) < maxPriorityFeePerGas ({})",
                           to_hex(*request.max_fee_per_gas),
                           to_hex(*request.max_priority_fee_per_gas)));
}

std::uint64_t DevApi::estimate(const CallRequest& request, const Call& call) {
    const BlockSelector pending{.tag = BlockSelector::Tag::pending};
    const simulation::CallSite site(services_.chain, select_state(services_.chain, pending));
    CallRequest asked = request;
    // The state is that of the head, where transactions of the pool have not been executed.
    asked.nonce.reset();
    const std::uint64_t cap = services_.limits.call_gas == 0
                                  ? std::numeric_limits<std::uint64_t>::max()
                                  : services_.limits.call_gas;
    return simulation::estimate_gas(site, std::move(asked), cap, pool_, deadline_of(call));
}

Transaction DevApi::unsigned_transaction(const CallRequest& request) {
    if (request.gas_price && request.authorization_list)
        refuse("an authorizationList needs maxFeePerGas and maxPriorityFeePerGas");
    if (request.blob_versioned_hashes && (request.gas_price || request.authorization_list))
        refuse("blobs need maxFeePerGas and maxPriorityFeePerGas, and no authorizationList");
    simulation::CallTransaction call = simulation::to_transaction(request);
    Transaction& tx = call;
    if (tx.type == TransactionType::legacy && request.access_list)
        tx.type = TransactionType::access_list;
    if (request.type) tx.type = *request.type;
    return std::move(tx);
}

DevApi::Signed DevApi::sign_request(const CallRequest& request, const DevAccount& account) {
    Signed result{.tx = unsigned_transaction(request), .encoded = {}};
    if (!heddle::sign_transaction(result.tx, account.secret, account.address))
        throw RpcError(Code::internal_error, "the key is unusable");
    encode_transaction(result.tx, result.encoded);
    return result;
}

/// r, s, and the parity as Bitcoin counted it.
void DevApi::write_signature(const Hash& hash, const DevAccount& account, JsonWriter& out) {
    constexpr std::uint8_t kFirstV = 27;
    const auto signature = sign(hash, account.secret);
    if (!signature.has_value()) throw RpcError(Code::internal_error, "the key is unusable");
    Bytes bytes(65);
    store_be(signature->r, bytes.data());
    store_be(signature->s, bytes.data() + 32);
    bytes.back() = static_cast<std::uint8_t>(kFirstV + signature->y_parity);
    out.hex(bytes);
}

}  // namespace

void add_dev_methods(MethodTable& table, const Services& services,
                     std::span<const DevAccount> accounts) {
    const auto api = std::make_shared<DevApi>(services, accounts);  // with its methods
    using Member = void (DevApi::*)(const Call&, JsonWriter&);
    const auto make = [&](std::string name, Member member, Weight weight) {
        return Method{
            .name = std::move(name),
            .handler = with_failures_told(
                [api, member](const Call& call, JsonWriter& out) { ((*api).*member)(call, out); }),
            .weight = weight};
    };
    const auto add = [&](std::string name, Member member, Weight weight = Weight::light) {
        table.add(make(std::move(name), member, weight));
    };
    const auto add_send = [&](std::string name, Member member) {
        Method send = make(std::move(name), member, Weight::executing);
        // What a fork executes may wait for its source.
        send.lasts_a_block = services.chain.fork_base() == nullptr;
        table.add(std::move(send));
    };
    add("eth_accounts", &DevApi::list_accounts);
    add("eth_fillTransaction", &DevApi::fill_transaction, Weight::executing);
    if (accounts.empty()) return;
    add("eth_requestAccounts", &DevApi::list_accounts);
    add("personal_listAccounts", &DevApi::list_accounts);
    add_send("eth_sendTransaction", &DevApi::send_transaction);
    add_send("eth_sendUnsignedTransaction", &DevApi::send_unsigned);
    add("eth_signTransaction", &DevApi::sign_transaction);
    add("eth_sign", &DevApi::sign_message);
    add("personal_sign", &DevApi::sign_personal);
    // The third version lacks lists and null; who keeps to it signs the same.
    for (const char* name : {"eth_signTypedData", "eth_signTypedData_v3", "eth_signTypedData_v4"})
        add(name, &DevApi::sign_typed_data, Weight::heavy);  // half a second for the largest data
}

}  // namespace heddle::node::rpc
