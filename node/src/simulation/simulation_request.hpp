// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What eth_simulateV1 is asked for: blocks of calls, in order and without gaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <types/block.hpp>

#include "formats/json.hpp"
#include "simulation/call_request.hpp"
#include "simulation/overrides.hpp"

namespace heddle::node::simulation {

/// How many blocks may be simulated at once, those that fill gaps included.
inline constexpr std::uint64_t kMaxSimulatedBlocks = 256;
/// How many calls one block and all of them together may have, as in geth.
inline constexpr std::size_t kMaxSimulatedBlockCalls = 5'000;
inline constexpr std::size_t kMaxSimulatedCalls = 10'000;

struct BlockCalls {
    BlockOverrides block;
    StateOverrides state;
    std::vector<CallRequest> calls;
};

struct SimulationRequest {
    std::vector<BlockCalls> blocks;
    bool trace_transfers = false;
    /// Nonces and prices are checked and the base fee is that of the chain.
    bool validation = false;
    bool full_transactions = false;
};

/// Errors: InputError; Failure where there are too many blocks or calls, or no blocks.
[[nodiscard]] SimulationRequest parse_simulation_request(const JsonView& json);

/// Numbers the blocks from `base` on, dates them, and fills the gaps between them with empty ones.
/// Each has a number and a time afterwards.
/// Errors: Failure for blocks out of order and for too many of them.
[[nodiscard]] std::vector<BlockCalls> sequence(std::vector<BlockCalls> blocks,
                                               const BlockHeader& base);

}  // namespace heddle::node::simulation
