// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/eth_subscription_api.hpp"

#include <memory>
#include <string>

#include <fmt/format.h>

#include "rpc/envelope/arguments.hpp"
#include "rpc/queries/subscriptions.hpp"

namespace heddle::node::rpc {
namespace {

using SharedSubscriptions = std::shared_ptr<Subscriptions>;  // with the methods
using Kind = Subscriptions::Kind;

/// The texts are go-ethereum's, here and below.
std::string name_argument(const Call& call) {
    const auto name = call.params.find(0);
    if (!name.has_value() || !name->is_string())
        throw RpcError(Code::invalid_params, "expected subscription name as first argument");
    return std::string{name->string()};
}

/// `{"transactionHashes": […]}`; nothing of it: all.
std::vector<Hash> wanted_transactions(const Call& call) {
    std::vector<Hash> hashes;
    const auto wanted = find_argument(
        call.params, 1, [](const JsonView& value) { return value.find("transactionHashes"); });
    if (!wanted.has_value() || !wanted->has_value()) return hashes;
    const JsonView& list = **wanted;
    if (list.size() > Subscriptions::kMaxReceipts)
        throw RpcError(Code::invalid_params, fmt::format("too many transaction hashes: at most {}",
                                                         Subscriptions::kMaxReceipts));
    for (std::size_t i = 0; i < list.size(); ++i)
        hashes.push_back(to_hash32(list.element(i)));
    return hashes;
}

std::string subscribe(Subscriptions& subscriptions, const Call& call) {
    const std::string name = name_argument(call);
    if (name == "newHeads" || name == "syncing") {
        expect_at_most(call.params, 1);
        return subscriptions.add(call, name == "syncing" ? Kind::syncing : Kind::heads);
    }
    expect_at_most(call.params, 2);
    if (name == "newPendingTransactions") {
        const bool in_full = find_argument(call.params, 1, to_bool).value_or(false);
        return subscriptions.add(call, in_full ? Kind::transactions : Kind::transaction_hashes);
    }
    if (name == "logs") {
        return subscriptions.add(call, Kind::logs, log_criteria_argument(call.params, 1));
    }
    if (name == "transactionReceipts")
        return subscriptions.add_receipts(call, wanted_transactions(call));
    throw RpcError(Code::method_not_found,
                   fmt::format("no \"{}\" subscription in eth namespace", name));
}

}  // namespace

void add_eth_subscription_methods(MethodTable& table, const Services& services) {
    const auto subscriptions = std::make_shared<Subscriptions>(services);
    table.add({"eth_subscribe", [subscriptions](const Call& call, JsonWriter& out) {
                   expect_session(call);
                   out.string(subscribe(*subscriptions, call));
               }});
    table.add({"eth_unsubscribe", [subscriptions](const Call& call, JsonWriter& out) {
                   expect_session(call);
                   const std::string id = argument(call.params, 0, [](const JsonView& value) {
                       if (!value.is_string()) fail_input("expected a subscription's id");
                       return std::string{value.string()};
                   });
                   if (!subscriptions->remove(call.session, id))
                       throw RpcError(Code::server_error, "subscription not found");
                   out.boolean(true);
               }});
}

}  // namespace heddle::node::rpc
