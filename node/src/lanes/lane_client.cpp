// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes/lane_client.hpp"

#include <utility>

#include <fmt/format.h>

#include <types/expected.hpp>

#include "lanes/lane_methods.hpp"
#include "program/error.hpp"

namespace heddle::node::lanes {
namespace {

using consensus_adapter::follow::FollowFault;

std::uint8_t small_at(const JsonView& json, std::string_view name) {
    const JsonView value = json.at(name);
    const std::uint64_t number = value.uint64();
    if (number > 0xff) value.fail("no number of a lane");
    return static_cast<std::uint8_t>(number);
}

}  // namespace

follow::ConnectionLimits lane_limits() {
    follow::ConnectionLimits limits;
    limits.timeout = std::chrono::seconds{5};
    limits.max_answer_bytes = std::size_t{40} << 20;  // the largest block in hexadecimal digits
    return limits;
}

LaneClient::LaneClient(follow::Endpoint endpoint, follow::ConnectionLimits limits,
                       std::stop_token stop)
    : caller_(std::move(endpoint), limits, std::move(stop)) {}

std::expected<LaneStatus, LaneClient::FollowError> LaneClient::status() try {
    HEDDLE_TRY(const JsonView json, caller_.call({"lane_status", "[]"}));
    LaneStatus status;
    status.head.lane = small_at(json, "lane");
    status.head.lane_count = small_at(json, "laneCount");
    status.head.leading = small_at(json, "leading");
    status.chain_id = json.at("chainId").uint64();
    status.height = json.at("height").uint64();
    status.waiting = json.at("waiting").uint64();
    status.time_us = json.at("timeUs").uint64();
    return status;
} catch (const InputError& problem) {
    return std::unexpected(caller_.error(FollowFault::misunderstood, problem.what()));
}

std::expected<LaneBlocks, LaneClient::FollowError> LaneClient::blocks(std::uint64_t from) try {
    HEDDLE_TRY(const JsonView json,
               caller_.call(
                   {"lane_blocks", fmt::format(R"(["0x{:x}","0x{:x}"])", from, kMostLaneBlocks)}));
    LaneBlocks result;
    const JsonView blocks = json.at("blocks");
    if (blocks.size() > kMostLaneBlocks) blocks.fail("more blocks than were asked for");
    for (std::size_t i = 0; i < blocks.size(); ++i)
        result.blocks.push_back(blocks.element(i).bytes());
    result.height = json.at("height").uint64();
    result.waiting = json.at("waiting").uint64();
    result.time_us = json.at("timeUs").uint64();
    return result;
} catch (const InputError& problem) {
    return std::unexpected(caller_.error(FollowFault::misunderstood, problem.what()));
}

}  // namespace heddle::node::lanes
