// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/eth_simulate_api.hpp"

#include <limits>
#include <string>
#include <utility>

#include "rpc/envelope/arguments.hpp"
#include "rpc/methods/simulation_failures.hpp"
#include "rpc/queries/block_selector.hpp"
#include "rpc/queries/codec.hpp"
#include "simulation/simulation_request.hpp"
#include "simulation/simulator.hpp"

namespace heddle::node::rpc {
namespace {

using simulation::SimulatedBlock;
using simulation::SimulatedCall;

void write_logs(const SimulatedBlock& block, std::uint32_t call_index, JsonWriter& out) {
    LogPlace place;
    place.block_hash = block.hash;
    place.block_number = block.block.header.number;
    place.block_timestamp = block.block.header.timestamp;
    place.transaction_hash = block.transaction_hashes[call_index];
    place.transaction_index = call_index;
    out.begin_array();
    for (const simulation::SimulatedLog& log : block.calls[call_index].logs) {
        place.log_index = log.index;
        write_log(log.log, place, out);
    }
    out.end_array();
}

void write_call(const SimulatedBlock& block, std::uint32_t index, JsonWriter& out) {
    const SimulatedCall& call = block.calls[index];
    out.begin_object();
    out.key("returnData");
    out.hex(call.return_data);
    out.key("logs");
    write_logs(block, index, out);
    out.key("gasUsed");
    out.quantity(call.gas_used);
    out.key("maxUsedGas");
    out.quantity(call.peak_gas);
    out.key("status");
    out.quantity(std::uint64_t{call.error ? 0u : 1u});
    if (call.error) {
        out.key("error");
        out.begin_object();
        out.key("message");
        out.string(call.error->message);
        out.key("code");
        out.raw(std::to_string(code_of(call.error->kind)));
        if (call.error->data) {
            out.key("data");
            out.hex(*call.error->data);
        }
        out.end_object();
    }
    out.end_object();
}

/// The block as any other, and its calls as one more member.
std::string to_json(const SimulatedBlock& block, bool with_transactions) {
    std::string text;
    JsonWriter members(text, JsonWriter::Style::compact);
    write_block(block.block, {block.hash, block.transaction_hashes, block.size_bytes},
                with_transactions, members);
    text.pop_back();  // the closing brace
    text += ",\"calls\":";
    JsonWriter calls(text, JsonWriter::Style::compact);
    calls.begin_array();
    for (std::uint32_t i = 0; i < block.calls.size(); ++i)
        write_call(block, i, calls);
    calls.end_array();
    text += '}';
    return text;
}

void simulate(const Services& services, const Call& call, JsonWriter& result) {
    expect_at_most(call.params, 2);
    simulation::SimulationRequest request =
        argument(call.params, 0, simulation::parse_simulation_request);
    SelectedState base = select_state(services.chain, selector_argument(call.params, 1));
    std::vector<simulation::BlockCalls> blocks =
        simulation::sequence(std::move(request.blocks), base.block.header.header);
    const std::uint64_t gas_cap = services.limits.call_gas == 0
                                      ? std::numeric_limits<std::int64_t>::max()
                                      : services.limits.call_gas;
    simulation::Simulator simulator(services.chain, std::move(base),
                                    {.trace_transfers = request.trace_transfers,
                                     .validation = request.validation,
                                     .gas_cap = gas_cap,
                                     .most_text = call.max_result_bytes},
                                    deadline_of(call));
    std::size_t size = 0;
    result.begin_array();
    try {
        for (const simulation::BlockCalls& wanted : blocks) {
            const std::string block = to_json(simulator.add(wanted), request.full_transactions);
            size += block.size();
            if (call.max_result_bytes != 0 && size > call.max_result_bytes)
                throw simulation::TooLarge{};
            result.raw(block);
        }
    } catch (const simulation::TooLarge&) {
        throw RpcError(Code::response_too_large, "response too large");
    }
    result.end_array();
}

}  // namespace

void add_eth_simulate_methods(MethodTable& table, const Services& services) {
    table.add({.name = "eth_simulateV1",
               .handler = with_failures_told([services](const Call& call, JsonWriter& result) {
                   simulate(services, call, result);
               }),
               .weight = Weight::executing});
}

}  // namespace heddle::node::rpc
