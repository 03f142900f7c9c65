// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/eth_account_api.hpp"

#include <string_view>

#include "chain/block_tries.hpp"
#include "rpc/envelope/arguments.hpp"
#include "rpc/queries/block_selector.hpp"
#include "rpc/queries/codec.hpp"
#include "rpc/queries/sender_search.hpp"
#include "rpc/queries/served_block_codec.hpp"

namespace heddle::node::rpc {
namespace {

/// As reth answers: null where there is no such account.
Handler get_account(const Services& services) {
    return at_most(2, [services](const Call& call, JsonWriter& out) {
        const Address address = address_argument(call.params, 0);
        const BlockSelector selector = selector_argument(call.params, 1);
        const SelectedState at = select_state(services.chain, selector);
        const auto account = at.state->account(address);
        if (!account.has_value()) return out.null();
        // The root is the trie's.
        BlockTries tries(services.chain, at.block.header.header.number, call.until_deadline());
        const auto proof = tries.prove(address, {});
        if (!proof.has_value()) {
            call.check_deadline();
            throw RpcError(Code::server_error, "no storage root: " + proof.error().detail);
        }
        out.begin_object();
        out.key("codeHash");
        out.hash(account->code_hash);
        out.key("storageRoot");
        out.hash(proof->storage_root);
        out.key("balance");
        out.quantity(account->balance);
        out.key("nonce");
        out.quantity(account->nonce);
        out.end_object();
    });
}

Handler get_transaction_by_sender(const Services& services) {
    return at_most(2, [services](const Call& call, JsonWriter& out) {
        const Address sender = address_argument(call.params, 0);
        const std::uint64_t nonce = uint64_argument(call.params, 1);
        const Mempool::Content pool = services.mempool.content_of(sender);
        for (const auto* part : {&pool.pending, &pool.queued})
            for (const SharedTransaction& transaction : *part)
                if (transaction->tx.nonce == nonce)
                    return write_transaction(transaction->tx, transaction->hash, std::nullopt, out);
        const auto found = find_by_sender(services.chain, sender, nonce, call);
        if (!found.has_value()) return out.null();
        write_transaction_of(*found->block, found->index, out);
    });
}

Handler get_coinbase(const Services& services) {
    return at_most(0, [services](const Call&, JsonWriter& out) {
        out.address(services.control != nullptr ? services.control->beneficiary()
                                                : services.beneficiary);
    });
}

/// As geth's, of a node that listens to no peers of its own.
Handler get_node_info(const Services& services) {
    return at_most(0, [services](const Call&, JsonWriter& out) {
        const auto text = [&](std::string_view name, std::string_view value) {
            out.key(name);
            out.string(value);
        };
        const ledger::StoredHeader head = services.chain.head();
        out.begin_object();
        text("id", "");
        text("name", services.client_version);
        text("enode", "");
        text("enr", "");
        text("ip", "127.0.0.1");
        out.key("ports");
        out.begin_object();
        for (const std::string_view name : {"discovery", "listener"}) {
            out.key(name);
            out.number(0);
        }
        out.end_object();
        text("listenAddr", "");
        out.key("protocols");
        out.begin_object();
        out.key("eth");
        out.begin_object();
        out.key("network");
        out.number(services.chain.config().chain_id);
        out.key("genesis");
        const auto genesis = take(services.chain.header(services.chain.first_block()));
        out.hash(genesis.has_value() ? genesis->hash : Hash{});
        out.key("head");
        out.hash(head.hash);
        out.end_object();
        out.end_object();
        out.end_object();
    });
}

}  // namespace

void add_eth_account_methods(MethodTable& table, const Services& services) {
    table.add({"eth_getAccount", get_account(services), Weight::heavy});
    table.add(
        {"eth_getTransactionBySenderAndNonce", get_transaction_by_sender(services), Weight::heavy});
    table.add({"eth_coinbase", get_coinbase(services)});
    table.add({"admin_nodeInfo", get_node_info(services), Weight::light, Access::authenticated});
}

}  // namespace heddle::node::rpc
