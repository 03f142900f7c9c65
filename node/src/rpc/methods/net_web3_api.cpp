// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/net_web3_api.hpp"

#include <set>
#include <string>

#include <types/hash.hpp>

#include "rpc/envelope/arguments.hpp"

namespace heddle::node::rpc {
namespace {

Handler get_network_id(const Services& services) {
    return at_most(0, [services](const Call&, JsonWriter& out) {
        out.string(std::to_string(services.chain.config().chain_id));
    });
}

Handler get_client_version(const Services& services) {
    return at_most(
        0, [services](const Call&, JsonWriter& out) { out.string(services.client_version); });
}

Handler hash_bytes() {
    return at_most(1, [](const Call& call, JsonWriter& out) {
        out.hash(keccak256(bytes_argument(call.params, 0)));
    });
}

/// Namespaces of all methods, each with its version.
Handler list_modules(const MethodTable& table) {
    return at_most(0, [&table](const Call&, JsonWriter& out) {
        std::set<std::string> modules;
        for (const std::string& name : table.names())
            modules.insert(name.substr(0, name.find('_')));
        out.begin_object();
        for (const std::string& module : modules) {
            out.key(module);
            out.string("1.0");
        }
        out.end_object();
    });
}

}  // namespace

void add_net_web3_methods(MethodTable& table, const Services& services) {
    table.add({"net_version", get_network_id(services)});
    table.add({"eth_networkId", get_network_id(services)});
    // Nothing is mined, whoever makes the blocks.
    table.add({"eth_mining", at_most(0, [](const Call&, JsonWriter& out) { out.boolean(false); })});
    table.add({"eth_hashrate",
               at_most(0, [](const Call&, JsonWriter& out) { out.quantity(std::uint64_t{0}); })});
    const NetworkView* const network = services.network;
    table.add({"net_listening", at_most(0, [network](const Call&, JsonWriter& out) {
                   out.boolean(network == nullptr || network->is_listening());
               })});
    table.add({"net_peerCount", at_most(0, [network](const Call&, JsonWriter& out) {
                   out.quantity(network != nullptr ? network->peers() : std::uint64_t{0});
               })});
    table.add({"web3_clientVersion", get_client_version(services)});
    table.add({"web3_sha3", hash_bytes()});
    table.add({"rpc_modules", list_modules(table)});
}

}  // namespace heddle::node::rpc
