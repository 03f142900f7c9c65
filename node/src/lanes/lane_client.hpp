// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Asks a lane for its log (lane_methods.hpp).
#pragma once

#include <cstdint>
#include <expected>
#include <stop_token>
#include <vector>

#include <consensus_adapter/follow/origin.hpp>
#include <consensus_adapter/lanes/lane_log.hpp>
#include <types/bytes.hpp>

#include "follow/rpc_caller.hpp"

namespace heddle::node::lanes {

struct LaneStatus {
    consensus_adapter::lanes::LaneLogHead head;
    std::uint64_t chain_id = 0;
    std::uint64_t height = 0;
    std::uint64_t waiting = 0;
    std::uint64_t time_us = 0;  // by the lane's clock
};

struct LaneBlocks {
    std::vector<Bytes> blocks;  // encoded, one height after the other
    std::uint64_t height = 0;   // where the lane's log ends
    std::uint64_t waiting = 0;
    std::uint64_t time_us = 0;
};

/// Thread safety: one caller at a time; a requested stop ends every call.
class LaneClient {
public:
    using FollowError = consensus_adapter::follow::FollowError;

    LaneClient(follow::Endpoint endpoint, follow::ConnectionLimits limits, std::stop_token stop);

    /// Errors: as RpcCaller.
    [[nodiscard]] std::expected<LaneStatus, FollowError> status();
    /// Blocks from this height on; none where the lane has none yet. Errors: as RpcCaller.
    [[nodiscard]] std::expected<LaneBlocks, FollowError> blocks(std::uint64_t from);
    /// Counts up with each new connection.
    [[nodiscard]] std::uint64_t connections() const noexcept {
        return caller_.connection().connections();
    }

private:
    follow::RpcCaller caller_;
};

/// Of questions to lanes: an answer holds a block of a lane, or many small ones.
[[nodiscard]] follow::ConnectionLimits lane_limits();

}  // namespace heddle::node::lanes
