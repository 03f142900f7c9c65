// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/heddle_api.hpp"

#include <memory>
#include <string>

#include "rpc/envelope/arguments.hpp"
#include "rpc/methods/lanes_api.hpp"
#include "rpc/methods/replication_api.hpp"
#include "rpc/queries/block_streams.hpp"

namespace heddle::node::rpc {
namespace {

std::string text_argument(const Call& call, const char* expected) {
    return argument(call.params, 0, [expected](const JsonView& value) {
        if (!value.is_string()) fail_input("expected {}", expected);
        return std::string{value.string()};
    });
}

BlockStreams::Request parse_request(const JsonView& json) {
    BlockStreams::Request request;
    if (!json.is_object()) fail_input("expected an object with fromBlock");
    const auto from = json.find("fromBlock");
    if (!from.has_value()) fail_input("expected an object with fromBlock");
    request.from = to_block_number(*from);
    if (const auto parent = json.find("parentHash")) request.parent = to_hash32(*parent);
    if (const auto window = json.find("window")) request.window = to_uint64(*window);
    return request;
}

}  // namespace

std::shared_ptr<BlockStreams> add_heddle_methods(MethodTable& table, const Services& services) {
    const auto streams = std::make_shared<BlockStreams>(services.chain);  // with the methods
    if (services.lanes != nullptr) {
        add_lanes_methods(table, *services.lanes);
        add_join_methods(table, services.joining);
    }
    if (services.replication != nullptr)
        add_replication_methods(table, *services.replication, streams);
    table.add({"heddle_acknowledge", at_most(2, [streams](const Call& call, JsonWriter& out) {
                   expect_session(call);
                   out.boolean(streams->acknowledge(call.session.get(),
                                                    text_argument(call, "a subscription's id"),
                                                    uint64_argument(call.params, 1)));
               })});
    table.add({"heddle_subscribe", at_most(2, [streams](const Call& call, JsonWriter& out) {
                   expect_session(call);
                   if (text_argument(call, "the name of a subscription") != "blocks")
                       throw RpcError(Code::invalid_params,
                                      "invalid argument 0: expected \"blocks\"");
                   BlockStreams::Request request = argument(call.params, 1, parse_request);
                   request.client = call.client;
                   out.string(streams->add(call.session, request));
               })});
    table.add({"heddle_unsubscribe", at_most(1, [streams](const Call& call, JsonWriter& out) {
                   expect_session(call);
                   out.boolean(streams->remove(call.session.get(),
                                               text_argument(call, "a subscription's id")));
               })});
    return streams;
}

}  // namespace heddle::node::rpc
