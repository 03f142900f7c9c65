// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes the folders of a network of lanes: for each lane its validators, each with a CometBFT, and
// nodes that execute. Nothing is started here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <types/hash.hpp>

#include "network/testnet.hpp"

namespace heddle::node {

inline constexpr std::uint16_t kLanePort = 8600;
inline constexpr std::uint64_t kMaxTestnetLanes = 16;
inline constexpr std::uint64_t kMaxTestnetNodes = 32;

struct LanesTestnetOptions {
    /// `validators` are those of each lane; addresses are those of the nodes, then of the
    /// validators lane by lane.
    TestnetOptions network;
    std::uint64_t lanes = 3;
    std::uint64_t nodes = 3;
    std::string mover;  // `lanes.mover` of the nodes; empty: nobody
};

/// Folders of a network, by name.
struct LanesTestnetPlan {
    std::uint64_t chain_id = 0;
    Hash genesis_hash;
    std::vector<std::vector<TestnetPeer>> lanes;  // laneL-validatorV
    std::vector<TestnetPeer> nodes;               // nodeN
};

/// Writes `OUT/genesis.json`, `OUT/network.json`, `OUT/laneL-validatorV/{lane.json,cometbft/}` and
/// `OUT/nodeN/heddle.toml`. All of it appears at once.
/// Errors: InputError; nothing has been written then.
LanesTestnetPlan write_lanes_testnet(const LanesTestnetOptions& options);

}  // namespace heddle::node
