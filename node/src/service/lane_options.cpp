// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "service/lane_options.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <thread>

#include <types/counted.hpp>

#include "follow/tls_trust.hpp"
#include "lanes/join_source.hpp"
#include "lanes/lane_join.hpp"
#include "lanes/lane_proof.hpp"
#include "logging/log.hpp"
#include "program/error.hpp"
#include "program/stop_signal.hpp"
#include "service/chain_folder.hpp"

namespace heddle::node {
namespace {

/// Twice as many is a number, too.
constexpr std::uint64_t kMostRetained = std::uint64_t{1} << 62;

std::optional<lanes::TrustedBlock> trusted_block(const NodeConfig& config) {
    if (config.lanes.trust_hash.empty()) {
        if (config.lanes.trust_number != 0)
            fail_input("lanes.trust_number: goes with lanes.trust_hash");
        return std::nullopt;
    }
    const auto hash = hash_from_hex(config.lanes.trust_hash);
    if (!hash.has_value() || config.lanes.trust_number == 0)
        fail_input(
            "lanes.trust_hash: {}: expected the hash of block lanes.trust_number, which is {}",
            config.lanes.trust_hash, config.lanes.trust_number);
    return lanes::TrustedBlock{config.lanes.trust_number, *hash};
}

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
        fail_input("lanes.comets: {} for {}", counted(wanted.comets.size(), "address", "addresses"),
                   counted(count, "lane"));
    if (wanted.leading >= count)
        fail_input("lanes.leading: {}: lanes count from 0 to {}", wanted.leading, count - 1);
    lanes::LaneEngineOptions options;
    options.folder = (std::filesystem::path{config.chain.datadir} / "lanes").string();
    follow::check_trust(wanted.ca, "lanes.ca");
    for (const std::string& address : wanted.addresses) {
        options.lanes.push_back(follow::parse_endpoint(address, "lanes.addresses"));
        if (options.lanes.back().is_websocket)
            fail_input("lanes.addresses: {}: expected http://HOST:PORT or https://HOST", address);
        options.lanes.back().ca_file = wanted.ca;
    }
    options.comets = wanted.comets;
    if (!wanted.genesis.empty() && wanted.genesis.size() != count)
        fail_input("lanes.genesis: {} for {}", counted(wanted.genesis.size(), "file"),
                   counted(count, "lane"));
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
    options.trusted = trusted_block(config);
    if (!wanted.join.empty() && !options.trusted.has_value())
        fail_input(
            "lanes.join: name a block that is known to be in the chain, above the snapshot that is "
            "joined by: lanes.trust_number and lanes.trust_hash, from a node that you believe");
    options.snapshot_interval = wanted.snapshot_interval;
    if (wanted.snapshots_kept == 0)
        fail_input(
            "lanes.snapshots_kept: must be at least 1; to make none set lanes.snapshot_interval to "
            "0");
    options.snapshots.folder = snapshot_folder(config.chain.datadir);
    options.snapshots.kept = wanted.snapshots_kept;
    options.snapshots.max_manifest_bytes = lanes::kMostManifestBytes;
    options.overshoot_us = 1'000 * parse_milliseconds(wanted.overshoot, "lanes.overshoot");
    return options;
}

follow::Endpoint join_origin(const NodeConfig& config) {
    follow::Endpoint endpoint = follow::parse_endpoint(config.lanes.join, "lanes.join");
    endpoint.ca_file = config.lanes.ca;
    return endpoint;
}

bool join_chain(const NodeConfig& config) {
    const lanes::LaneEngineOptions engine = lane_options(config);
    lanes::LaneJoinOptions options;
    options.source = join_origin(config);
    options.trusted = engine.trusted.value();
    options.chain = restorable_chain(config, "lanes.join");
    options.folder = engine.folder;
    options.lane_count = engine.lanes.size();
    options.leading = engine.leading;
    for (std::size_t lane = 0; lane < engine.validators.size(); ++lane)
        options.lanes.push_back(make_trust(engine, lane));
    logger(Component::node)
        .info("joining the chain by {}, which may take a while", options.source.name());
    std::stop_source stopping;
    // Of the signal nobody tells.
    const std::jthread watch{[&stopping](const std::stop_token& ends) {
        while (!ends.stop_requested() && !StopSignal::is_raised())
            std::this_thread::sleep_for(std::chrono::milliseconds{50});
        stopping.request_stop();
    }};
    return join_lanes(options, stopping.get_token());
}

}  // namespace heddle::node
