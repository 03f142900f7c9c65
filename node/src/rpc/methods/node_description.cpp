// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/node_description.hpp"

#include <string_view>

namespace heddle::node::rpc {

void write_node_info(const Services& services, JsonWriter& out) {
    const ledger::StoredHeader head = services.chain.head();
    const Uint256 base_fee = head.header.base_fee_per_gas.value_or(Uint256{});
    const auto member = [&](std::string_view name, auto write) {
        out.key(name);
        write();
    };
    out.begin_object();
    member("currentBlockNumber", [&] { out.quantity(head.header.number); });
    member("currentBlockTimestamp", [&] { out.number(head.header.timestamp); });
    member("currentBlockHash", [&] { out.hash(head.hash); });
    member("hardFork", [&] { out.string(to_string(services.chain.env_of(head).revision)); });
    member("transactionOrder", [&] { out.string("fees"); });
    out.key("environment");
    out.begin_object();
    member("baseFee", [&] { out.quantity(base_fee); });
    member("chainId", [&] { out.number(services.chain.config().chain_id); });
    member("gasLimit", [&] { out.quantity(head.header.gas_limit); });
    member("gasPrice", [&] { out.quantity(base_fee); });
    out.end_object();
    out.key("forkConfig");
    out.begin_object();
    if (const ForkBase* const base = services.chain.fork_base()) {
        member("forkUrl", [&] { out.string(base->source()); });
        member("forkBlockNumber", [&] { out.number(base->number()); });
    } else {
        member("forkUrl", [&] { out.null(); });
        member("forkBlockNumber", [&] { out.null(); });
    }
    member("forkRetryBackoff", [&] { out.null(); });
    out.end_object();
    out.end_object();
}

void write_metadata(const Services& services, JsonWriter& out) {
    const ledger::StoredHeader head = services.chain.head();
    out.begin_object();
    out.key("clientVersion");
    out.string(services.client_version);
    out.key("chainId");
    out.number(services.chain.config().chain_id);
    out.key("instanceId");
    out.hash(services.control->instance());
    out.key("latestBlockNumber");
    out.number(head.header.number);
    out.key("latestBlockHash");
    out.hash(head.hash);
    out.end_object();
}

}  // namespace heddle::node::rpc
