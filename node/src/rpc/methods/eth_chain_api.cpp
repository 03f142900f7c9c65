// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/eth_chain_api.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "formats/chain_config_json.hpp"
#include "rpc/envelope/arguments.hpp"
#include "rpc/queries/fork_schedule.hpp"

namespace heddle::node::rpc {
namespace {

Handler get_block_number(const Services& services) {
    return at_most(0, [services](const Call&, JsonWriter& out) {
        out.quantity(services.chain.head_block()->block.header.number);
    });
}

Handler get_chain_id(const Services& services) {
    return at_most(0, [services](const Call&, JsonWriter& out) {
        out.quantity(services.chain.config().chain_id);
    });
}

/// A block is served once it is executed: what there may be to catch up with is only the network.
Handler get_sync_progress(const Services& services) {
    return at_most(0, [services](const Call&, JsonWriter& out) {
        const auto progress = services.network != nullptr ? services.network->catching_up()
                                                          : std::optional<SyncProgress>{};
        if (!progress) return out.boolean(false);
        const std::uint64_t current = services.chain.head_block()->block.header.number;
        out.begin_object();
        out.key("startingBlock");
        out.quantity(std::min(progress->starting, current));
        out.key("currentBlock");
        out.quantity(current);
        out.key("highestBlock");
        out.quantity(std::max(progress->highest, current));
        out.end_object();
    });
}

/// From which block on something can be asked for.
void write_resource(std::string_view name, std::uint64_t oldest, JsonWriter& out) {
    out.key(name);
    out.begin_object();
    out.key("disabled");
    out.boolean(false);
    out.key("oldestBlock");
    out.quantity(oldest);
    out.end_object();
}

Handler get_capabilities(const Services& services) {
    return at_most(0, [services](const Call&, JsonWriter& out) {
        const ledger::StoredHeader head = services.chain.head();
        const ledger::DurableLedger& ledger = services.chain.ledger();
        const std::uint64_t number = head.header.number;
        const std::uint64_t first = services.chain.first_block();
        out.begin_object();
        out.key("head");
        out.begin_object();
        out.key("number");
        out.quantity(number);
        out.key("hash");
        out.hash(head.hash);
        out.end_object();
        const bool is_fork = services.chain.fork_base() != nullptr;
        const std::uint64_t first_state = is_fork ? first : ledger.first_state();
        write_resource("state", first_state, out);
        for (const char* name : {"tx", "logs", "receipts", "blocks"})
            write_resource(name, first, out);
        write_resource("stateproofs", first_state, out);
        out.end_object();
    });
}

}  // namespace

void add_eth_chain_methods(MethodTable& table, const Services& services) {
    table.add({"eth_blockNumber", get_block_number(services)});
    table.add({"eth_capabilities", get_capabilities(services)});
    table.add({"eth_chainId", get_chain_id(services)});
    table.add({"eth_config", at_most(0, [services](const Call&, JsonWriter& out) {
                   write_fork_schedule(services.chain, out);
               })});
    table.add({"eth_syncing", get_sync_progress(services)});
    table.add({"debug_chainConfig", at_most(0, [services](const Call&, JsonWriter& out) {
                   out.raw(format_geth_chain_config(services.chain.config()));
               })});
}

}  // namespace heddle::node::rpc
