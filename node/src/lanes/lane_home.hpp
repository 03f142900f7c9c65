// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a validator of a lane starts from: `lane.json` in its folder, which `heddle testnet --lanes`
// writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <types/address.hpp>

#include <consensus_adapter/lanes/lane_log.hpp>

namespace heddle::node::lanes {

/// Validators of a lane that another one watches, with a thread each.
inline constexpr std::size_t kMostWitnesses = 16;
/// Nodes that a validator asks who can pay.
inline constexpr std::size_t kMostPayerNodes = 16;
/// Of so many one may lie (consensus_adapter::lanes::CutMaker).
inline constexpr std::size_t kWitnessesToDoubtOne = 3;

struct LaneHome {
    consensus_adapter::lanes::LaneLogHead head;
    std::string comet_chain_id;
    std::uint64_t chain_id = 0;
    std::optional<Address> mover;  // who may move homes that are not its own
    std::uint64_t min_fee_per_gas = 0;
    std::uint64_t silence_ms = 5'000;
    std::uint64_t retain_blocks = 0;  // of its log; 0: all
    std::string abci = "tcp://127.0.0.1:26658";
    std::string address = "127.0.0.1";  // of its own JSON-RPC
    std::uint16_t port = 8600;
    /// JSON-RPC of validators of each lane, in the order of the lanes: what the leading lane
    /// watches. No address twice.
    std::vector<std::vector<std::string>> lanes;
    /// JSON-RPC of nodes that are asked who can pay, in this order; empty: whoever signs is taken.
    std::vector<std::string> nodes;

    /// Errors: InputError with the path and the member at fault.
    [[nodiscard]] static LaneHome load(const std::filesystem::path& folder);
};

[[nodiscard]] std::string print_lane_home(const LaneHome& home);

inline constexpr std::string_view kLaneFile = "lane.json";

}  // namespace heddle::node::lanes
