// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/seal_api.hpp"

#include <optional>

#include <types/block_error.hpp>

#include "rpc/envelope/arguments.hpp"

namespace heddle::node::rpc {
namespace {

/// Seconds, as a number of either kind, or as a member of an object as hardhat's users write it.
std::optional<std::uint64_t> wanted_timestamp(const Params& params) {
    return find_argument(params, 0, [](const JsonView& value) {
        if (!value.is_object()) return value.uint64();
        const auto timestamp = value.find("timestamp");
        if (!timestamp.has_value()) value.fail("expected a timestamp");
        return timestamp->uint64();
    });
}

}  // namespace

void add_seal_methods(MethodTable& table, consensus_adapter::Solo& solo, const Chain& chain) {
    table.add({"evm_mine",
               [&solo, &chain](const Call& call, JsonWriter& out) {
                   expect_at_most(call.params, 1);
                   const auto timestamp = wanted_timestamp(call.params);
                   const std::uint64_t head = chain.kept_head().header.timestamp;
                   if (timestamp && *timestamp < chain.config().earliest_timestamp(head))
                       throw RpcError(Code::invalid_params,
                                      chain.config().equal_timestamps
                                          ? "the timestamp is below that of the newest block"
                                          : "the timestamp is not above that of the newest block");
                   const auto sealed = solo.seal(timestamp);
                   if (!sealed.has_value())
                       throw RpcError(Code::server_error, to_string(sealed.error()));
                   out.string("0x0");  // as ganache, hardhat and anvil answer
               },
               Weight::heavy, Access::authenticated});
}

}  // namespace heddle::node::rpc
