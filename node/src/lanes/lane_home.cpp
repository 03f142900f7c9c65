// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes/lane_home.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "formats/json.hpp"
#include "formats/json_writer.hpp"
#include "program/error.hpp"

namespace heddle::node::lanes {
namespace {

using consensus_adapter::lanes::kMaxLanes;

constexpr std::uint64_t kMostRetained = std::uint64_t{1} << 62;  // twice as many is a number, too

template <typename Number>
Number number_at(const JsonView& json, std::string_view name) {
    const JsonView value = json.at(name);
    const std::uint64_t number = value.uint64();
    if (number > std::numeric_limits<Number>::max()) value.fail("too large");
    return static_cast<Number>(number);
}

/// One address, or a list of them.
std::vector<std::string> addresses_in(const JsonView& json) {
    if (!json.is_array()) return {std::string{json.string()}};
    std::vector<std::string> result;
    result.reserve(json.size());
    for (std::size_t i = 0; i < json.size(); ++i)
        result.emplace_back(json.element(i).string());
    if (result.empty() || result.size() > kMostWitnesses)
        json.fail(fmt::format("from one to {} validators of a lane", kMostWitnesses));
    // It would count for two of those of whom more than a third are believed.
    std::vector<std::string> sorted = result;
    std::ranges::sort(sorted);
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
        json.fail(fmt::format("{} is named twice", *twice));
    return result;
}

}  // namespace

LaneHome LaneHome::load(const std::filesystem::path& folder) {
    const std::filesystem::path file = folder / kLaneFile;
    if (std::error_code error; !std::filesystem::exists(file, error))
        fail_input(
            "{}: has no {}; --home names a folder that `heddle testnet --lanes` wrote, e.g. "
            "DIR/lane0-validator1",
            folder.string(), kLaneFile);
    JsonParser parser;
    const JsonView json = parser.parse_file(file.string());
    LaneHome home;
    home.head.lane = number_at<std::uint8_t>(json, "lane");
    home.head.lane_count = number_at<std::uint8_t>(json, "laneCount");
    home.head.leading = number_at<std::uint8_t>(json, "leading");
    if (home.head.lane_count == 0 || home.head.lane_count > kMaxLanes ||
        home.head.lane >= home.head.lane_count || home.head.leading >= home.head.lane_count)
        json.fail("lanes count from 0, there are 1 to 64, and lane and leading are among them");
    home.comet_chain_id = json.at("cometChainId").string();
    home.chain_id = json.at("chainId").uint64();
    if (const auto mover = json.find("mover")) home.mover = mover->address();
    home.min_fee_per_gas = json.at("minFeePerGas").uint64();
    home.silence_ms = json.at("silenceMs").uint64();
    if (const auto retain = json.find("retainBlocks")) home.retain_blocks = retain->uint64();
    if (home.retain_blocks > kMostRetained) json.at("retainBlocks").fail("too many");
    home.abci = json.at("abci").string();
    home.address = json.at("address").string();
    home.port = number_at<std::uint16_t>(json, "port");
    const JsonView lanes = json.at("lanes");
    for (std::size_t i = 0; i < lanes.size(); ++i)
        home.lanes.push_back(addresses_in(lanes.element(i)));
    if (home.lanes.size() != home.head.lane_count)
        lanes.fail("expected the JSON-RPC of a validator of each lane");
    if (const auto nodes = json.find("nodes")) {
        if (nodes->size() > kMostPayerNodes)
            nodes->fail(fmt::format("at most {} nodes", kMostPayerNodes));
        for (std::size_t i = 0; i < nodes->size(); ++i)
            home.nodes.emplace_back(nodes->element(i).string());
    }
    return home;
}

std::string print_lane_home(const LaneHome& home) {
    std::string text;
    JsonWriter json{text};
    const auto number = [&json](std::string_view name, std::uint64_t value) {
        json.key(name);
        json.number(value);
    };
    const auto string = [&json](std::string_view name, std::string_view value) {
        json.key(name);
        json.string(value);
    };
    json.begin_object();
    number("lane", home.head.lane);
    number("laneCount", home.head.lane_count);
    number("leading", home.head.leading);
    string("cometChainId", home.comet_chain_id);
    number("chainId", home.chain_id);
    if (home.mover.has_value()) {
        json.key("mover");
        json.address(*home.mover);
    }
    number("minFeePerGas", home.min_fee_per_gas);
    number("silenceMs", home.silence_ms);
    number("retainBlocks", home.retain_blocks);
    string("abci", home.abci);
    string("address", home.address);
    number("port", home.port);
    json.key("lanes");
    json.begin_array();
    for (const std::vector<std::string>& lane : home.lanes) {
        json.begin_array();
        for (const std::string& validator : lane)
            json.string(validator);
        json.end_array();
    }
    json.end_array();
    json.key("nodes");
    json.begin_array();
    for (const std::string& node : home.nodes)
        json.string(node);
    json.end_array();
    json.end_object();
    return text + "\n";
}

}  // namespace heddle::node::lanes
