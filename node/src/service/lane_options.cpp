// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "service/lane_options.hpp"

#include <filesystem>

#include "lanes/lane_proof.hpp"
#include "program/error.hpp"

namespace heddle::node {
namespace {

/// Twice as many is a number, too.
constexpr std::uint64_t kMostRetained = std::uint64_t{1} << 62;

}  // namespace

lanes::LaneEngineOptions lane_options(const NodeConfig& config) {
    const auto& wanted = config.lanes;
    const std::size_t count = wanted.addresses.size();
    if (count == 0 || count > consensus_adapter::lanes::kMaxLanes)
        fail_input(
            "lanes.addresses: {} lanes; expected the JSON-RPC of a validator of each, 1 to "
            "{}, in the order of the lanes",
            count, consensus_adapter::lanes::kMaxLanes);
    if (wanted.comets.size() != count)
        fail_input("lanes.comets: {} addresses for {} lanes", wanted.comets.size(), count);
    if (wanted.leading >= count)
        fail_input("lanes.leading: {}: lanes count from 0 to {}", wanted.leading, count - 1);
    lanes::LaneEngineOptions options;
    options.folder = (std::filesystem::path{config.chain.datadir} / "lanes").string();
    for (const std::string& address : wanted.addresses) {
        options.lanes.push_back(follow::parse_endpoint(address, "lanes.addresses"));
        if (options.lanes.back().is_websocket)
            fail_input("lanes.addresses: {}: expected http://HOST:PORT", address);
    }
    options.comets = wanted.comets;
    if (!wanted.genesis.empty() && wanted.genesis.size() != count)
        fail_input("lanes.genesis: {} files for {} lanes", wanted.genesis.size(), count);
    for (const std::string& path : wanted.genesis)
        options.validators.push_back(lanes::load_lane_validators(path));
    options.leading = static_cast<consensus_adapter::lanes::LaneNumber>(wanted.leading);
    if (!wanted.mover.empty()) {
        options.mover = address_from_hex(wanted.mover);
        if (!options.mover.has_value()) fail_input("lanes.mover: {}: not an address", wanted.mover);
    }
    options.is_opportunistic = wanted.opportunistic;
    if (wanted.retain_blocks > kMostRetained)
        fail_input("lanes.retain_blocks: {}: at most {}", wanted.retain_blocks, kMostRetained);
    options.retain_blocks = wanted.retain_blocks;
    options.overshoot_us = 1'000 * parse_milliseconds(wanted.overshoot, "lanes.overshoot");
    return options;
}

}  // namespace heddle::node
