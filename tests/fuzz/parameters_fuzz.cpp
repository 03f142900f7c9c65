// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Parameters of calls as whoever may call sends them: each is taken, or refused in words.
#include <chrono>
#include <string>
#include <string_view>

#include "formats/json.hpp"
#include "formats/revert_reason.hpp"
#include "formats/utf8.hpp"
#include "program/error.hpp"
#include "rpc/envelope/arguments.hpp"
#include "rpc/queries/eip712.hpp"
#include "rpc/queries/log_filter.hpp"
#include "simulation/call_request.hpp"
#include "simulation/failure.hpp"
#include "simulation/overrides.hpp"
#include "simulation/simulation_request.hpp"
#include "targets.hpp"
#include "tracing/trace_config.hpp"

namespace heddle::fuzz {
namespace {

using node::JsonView;

template <typename Read>
void refuse_or(Read read) {
    try {
        read();
    } catch (const node::InputError& error) {
        require(!std::string_view(error.what()).empty(), "an error without words");
    } catch (const node::simulation::Failure& failure) {
        require(!failure.text().empty(), "a failure without words");
    } catch (const node::rpc::RpcError& error) {
        require(!error.message().empty(), "a refusal without words");
    }
}

void read_call(const JsonView& json) {
    using namespace node::simulation;
    CallRequest call = parse_call_request(json);
    fill_defaults(call, 30'000'000, true, 1);
    require(*call.gas <= 30'000'000, "more gas than calls have");
    (void)to_transaction(call);
}

void read_simulation(const JsonView& json) {
    using namespace node::simulation;
    SimulationRequest request = parse_simulation_request(json);
    const std::size_t wanted = request.blocks.size();
    BlockHeader base;
    base.number = 7;
    base.timestamp = 70;
    const auto blocks = sequence(std::move(request.blocks), base);
    require(blocks.size() >= wanted && blocks.size() <= kMaxSimulatedBlocks, "other blocks");
    Uint256 number{base.number};
    for (const BlockCalls& block : blocks) {
        number += Uint256{1};
        require(block.block.number == number, "blocks with gaps");
    }
}

void read_tracer(const JsonView& json) {
    const node::TraceConfig config = node::parse_trace_config(json);
    if (config.timeout.has_value()) (void)node::parse_duration(*config.timeout);
    node::TraceBudget budget(1'000, std::chrono::steady_clock::now());
    require(node::make_tracer(config, budget) != nullptr, "no tracer");
}

}  // namespace

void parameters(BytesView input) {
    static node::JsonParser parser;
    // Text is bytes; there is no other way from one to the other.
    const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
    refuse_or([&] { (void)node::parse_duration(text); });
    refuse_or([&] { (void)node::rpc::parse_storage_key(text); });
    if (const auto reason = node::revert_reason(input))
        require(node::to_utf8(*reason) == *reason, "a reason that is no text");
    refuse_or([&] {
        const JsonView json = parser.parse(text, "parameters");
        refuse_or([&] { read_call(json); });
        refuse_or([&] { read_simulation(json); });
        refuse_or([&] { read_tracer(json); });
        refuse_or([&] { (void)node::simulation::parse_state_overrides(json); });
        refuse_or([&] { (void)node::simulation::parse_block_overrides(json); });
        refuse_or([&] { (void)node::rpc::typed_data_hash(json); });
        if (!json.is_array()) return;
        refuse_or([&] { (void)node::rpc::log_criteria_argument(node::rpc::Params(json), 0); });
    });
}

}  // namespace heddle::fuzz
