// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "simulation/simulation_request.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "formats/strict_hex.hpp"
#include "simulation/failure.hpp"

namespace heddle::node::simulation {
namespace {

/// Seconds between simulated blocks that are not dated.
constexpr std::uint64_t kBlockTime = 12;

BlockCalls parse_block(const JsonView& json) {
    if (!json.is_object()) json.fail("expected a block of calls");
    BlockCalls block;
    if (const auto value = json.find("blockOverrides")) block.block = parse_block_overrides(*value);
    if (const auto value = json.find("stateOverrides")) block.state = parse_state_overrides(*value);
    const auto value = json.find("calls");
    if (value && !value->is_array()) value->fail("expected a list of calls");
    if (value)
        for (std::size_t i = 0; i < value->size(); ++i)
            block.calls.push_back(parse_call_request(value->element(i)));
    return block;
}

[[noreturn]] void fail_too_many(const std::string& what) {
    throw Failure(FailureKind::too_many, what);
}

/// Before they are read: what a simulation keeps grows with each of its calls.
void check_counts(const JsonView& blocks) {
    if (blocks.size() > kMaxSimulatedBlocks) fail_too_many("too many blocks");
    std::size_t total = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const JsonView block = blocks.element(i);
        if (!block.is_object()) continue;
        const auto calls = block.find("calls");
        const std::size_t count = calls && calls->is_array() ? calls->size() : 0;
        if (count > kMaxSimulatedBlockCalls)
            fail_too_many(
                fmt::format("too many calls in block: {} > {}", count, kMaxSimulatedBlockCalls));
        total += count;
        if (total > kMaxSimulatedCalls)
            fail_too_many(fmt::format("too many calls: {} > {}", total, kMaxSimulatedCalls));
    }
}

bool parse_flag(const JsonView& json, std::string_view key) {
    const auto value = json.find(key);
    return value && to_bool(*value);
}

}  // namespace

SimulationRequest parse_simulation_request(const JsonView& json) {
    if (!json.is_object()) json.fail("expected an object");
    SimulationRequest request;
    if (const auto blocks = json.find("blockStateCalls")) {
        if (!blocks->is_array()) blocks->fail("expected a list of blocks");
        check_counts(*blocks);
        for (std::size_t i = 0; i < blocks->size(); ++i)
            request.blocks.push_back(parse_block(blocks->element(i)));
    }
    request.trace_transfers = parse_flag(json, "traceTransfers");
    request.validation = parse_flag(json, "validation");
    request.full_transactions = parse_flag(json, "returnFullTransactions");
    if (request.blocks.empty()) throw Failure(FailureKind::invalid, "empty input");
    return request;
}

std::vector<BlockCalls> sequence(std::vector<BlockCalls> blocks, const BlockHeader& base) {
    std::vector<BlockCalls> sequenced;
    std::uint64_t number = base.number;
    std::uint64_t time = base.timestamp;
    for (BlockCalls& block : blocks) {
        const Uint256 wanted = block.block.number.value_or(Uint256{number + 1});
        if (wanted <= Uint256{number})
            throw Failure(
                FailureKind::block_number_order,
                fmt::format("block numbers must be in order: {} <= {}", wanted.low64(), number));
        if (wanted - Uint256{base.number} > Uint256{kMaxSimulatedBlocks})
            fail_too_many("too many blocks");
        while (++number < wanted.low64()) {
            time += kBlockTime;
            BlockCalls filler;
            filler.block.number = number;
            filler.block.time = time;
            sequenced.push_back(std::move(filler));
        }
        block.block.number = wanted;
        if (!block.block.time) block.block.time = time + kBlockTime;
        if (*block.block.time <= time)
            throw Failure(FailureKind::timestamp_order,
                          fmt::format("block timestamps must be in order: {} <= {}",
                                      *block.block.time, time));
        time = *block.block.time;
        sequenced.push_back(std::move(block));
    }
    return sequenced;
}

}  // namespace heddle::node::simulation
