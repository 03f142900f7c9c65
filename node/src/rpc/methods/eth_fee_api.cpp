// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/eth_fee_api.hpp"

#include <algorithm>
#include <memory>
#include <string_view>

#include "rpc/envelope/arguments.hpp"
#include "rpc/queries/block_fees.hpp"
#include "rpc/queries/block_selector.hpp"
#include "rpc/queries/fee_history.hpp"
#include "rpc/queries/gas_oracle.hpp"

namespace heddle::node::rpc {
namespace {

using SharedOracle = std::shared_ptr<GasOracle>;  // with the methods that ask it

Handler get_gas_price(const Services& services, const SharedOracle& oracle) {
    return at_most(0, [services, oracle](const Call&, JsonWriter& out) {
        const SharedBlock head = services.chain.head_block();
        out.quantity(oracle->priority_fee() +
                     head->block.header.base_fee_per_gas.value_or(Uint256{}));
    });
}

Handler get_priority_fee(const SharedOracle& oracle) {
    return at_most(
        0, [oracle](const Call&, JsonWriter& out) { out.quantity(oracle->priority_fee()); });
}

/// Of the next block.
Handler get_base_fee(const Services& services) {
    return at_most(0, [services](const Call&, JsonWriter& out) {
        const ledger::StoredHeader head = services.chain.head();
        const BlockHeader next = services.chain.next_header(head, head.header.timestamp + 1);
        if (!next.base_fee_per_gas.has_value()) return out.null();
        out.quantity(*next.base_fee_per_gas);
    });
}

/// Of the head; null before there are blobs, as eth_baseFee before London.
Handler get_blob_base_fee(const Services& services) {
    return at_most(0, [services](const Call&, JsonWriter& out) {
        const ledger::StoredHeader head = services.chain.head();
        if (!head.header.excess_blob_gas.has_value()) return out.null();
        out.quantity(services.chain.env_of(head).blob_base_fee);
    });
}

Handler get_fee_history(const Services& services, const SharedPendingBlocks& pending) {
    const auto cache =
        std::make_shared<BlockFeesCache>(services.chain, services.limits.kept_fee_bytes);
    if (services.kept != nullptr)
        services.kept->set("fees", [cache] { return cache->kept_bytes(); });
    return at_most(3, [services, cache, pending](const Call& call, JsonWriter& out) {
        FeeHistoryRequest request;
        request.block_count = argument(call.params, 0, [](const JsonView& value) {
            if (value.is_string() && value.string().size() == 2 && has_hex_prefix(value.string()))
                fail_input("hex string \"0x\"");
            if (value.is_number() && !value.is_integer()) value.fail("expected an integer");
            return value.uint64();
        });
        request.last = argument(call.params, 1, to_number_selector);
        request.percentiles = argument(call.params, 2, [](const JsonView& list) {
            if (!list.is_array()) fail_input("expected an array of percentiles");
            std::vector<double> percentiles;
            percentiles.reserve(list.size());
            for (std::size_t i = 0; i < list.size(); ++i)
                percentiles.push_back(list.element(i).real());
            return percentiles;
        });
        write_fee_history({services, *cache, *pending}, request, call, out);
    });
}

}  // namespace

void add_eth_fee_methods(MethodTable& table, const Services& services,
                         const SharedPendingBlocks& pending) {
    const auto oracle = std::make_shared<GasOracle>(services.chain);
    table.add({"eth_gasPrice", get_gas_price(services, oracle), Weight::reading});
    table.add({"eth_maxPriorityFeePerGas", get_priority_fee(oracle), Weight::reading});
    table.add({"eth_baseFee", get_base_fee(services)});
    table.add({"eth_blobBaseFee", get_blob_base_fee(services)});
    table.add({.name = "eth_feeHistory",
               .handler = get_fee_history(services, pending),
               .weigh = [](std::string_view params) {
                   return std::max(pending_weight(params), Weight::heavy);
               }});
}

}  // namespace heddle::node::rpc
