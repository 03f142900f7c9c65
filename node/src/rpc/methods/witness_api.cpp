// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/witness_api.hpp"

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "rpc/envelope/arguments.hpp"
#include "rpc/methods/block_replays.hpp"
#include "rpc/methods/simulation_failures.hpp"
#include "rpc/methods/witness_maker.hpp"
#include "rpc/queries/block_selector.hpp"

namespace heddle::node::rpc {
namespace {

/// The texts are those of the conversations of the execution APIs.
SharedBlock require_executed_block(const Chain& chain, const BlockSelector& selector) {
    if (selector.tag == BlockSelector::Tag::pending)
        throw server_error("pending block has no witness");
    const SharedServedBlock served = find_served_block(chain, selector);
    if (!served) {
        const std::string name = selector.hash.has_value() ? to_string(*selector.hash)
                                                           : fmt::format("{:#x}", selector.number);
        throw server_error("block " + name + " not found");
    }
    const SharedBlock& block = served->stored;
    const std::uint64_t number = block->block.header.number;
    if (number == 0) throw server_error("block 0x0 found, but parent missing");
    if (chain.fork_base() != nullptr)
        throw server_error(
            "no witness of a block of a fork, or of its source: the state is not here as a whole");
    if (chain.amendment(number - 1))
        throw server_error(fmt::format(
            "no witness of block {}: values were set before it, outside of transactions, and are "
            "in no state root",
            number));
    return block;
}

template <typename Items>
void write_items(std::string_view name, const Items& items, JsonWriter& out) {
    out.key(name);
    out.begin_array();
    for (const Bytes& item : items)
        out.hex(item);
    out.end_array();
}

void write_witness(const Services& services, const BlockSelector& selector, const Call& call,
                   JsonWriter& out) {
    const SharedBlock block = require_executed_block(services.chain, selector);
    const ExecutionWitness witness = WitnessMaker(services.chain, block, call).make();
    out.begin_object();
    write_items("state", witness.state, out);
    write_items("codes", witness.codes, out);
    write_items("keys", witness.keys, out);
    write_items("headers", witness.headers, out);
    out.end_object();
}

Handler execution_witness(const Services& services) {
    return at_most(1, [services](const Call& call, JsonWriter& out) {
        write_witness(services, argument(call.params, 0, to_selector), call, out);
    });
}

/// As reth has it.
Handler execution_witness_by_hash(const Services& services) {
    return at_most(1, [services](const Call& call, JsonWriter& out) {
        BlockSelector selector;
        selector.tag = BlockSelector::Tag::none;
        selector.hash = hash_argument(call.params, 0);
        write_witness(services, selector, call, out);
    });
}

}  // namespace

void add_witness_methods(MethodTable& table, const Services& services) {
    table.add({.name = "debug_executionWitness",
               .handler = with_failures_told(execution_witness(services)),
               .weight = Weight::executing});
    table.add({.name = "debug_executionWitnessByBlockHash",
               .handler = with_failures_told(execution_witness_by_hash(services)),
               .weight = Weight::executing});
}

}  // namespace heddle::node::rpc
