// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a lane answers over JSON-RPC to those that follow it. Blocks are asked for by height, so a
// subscriber goes on where it was, after whatever has happened to it or to the lane, and one that
// is slow costs nothing: nothing is kept for it.
//
// | method                   | answers                                                           |
// |--------------------------|-------------------------------------------------------------------|
// | `lane_status`            | which lane it is, how far its log goes, what waits                |
// | `lane_blocks` FROM, MOST | blocks of the log from that height on: at most MOST, 64 or 4 MiB, |
// |                          | the first whatever its size; none where there is none yet         |
#pragma once

#include <cstdint>
#include <functional>

#include <consensus_adapter/lanes/lane_application.hpp>

#include "rpc/envelope/method.hpp"

namespace heddle::node::lanes {

inline constexpr std::uint64_t kMostLaneBlocks = 64;
inline constexpr std::size_t kMostLaneBytes = std::size_t{4} << 20;

/// @param lane   Outlives the table.
/// @param clock  Microseconds since 1970; from any thread.
void add_lane_log_methods(rpc::MethodTable& table,
                          const consensus_adapter::lanes::LaneApplication& lane,
                          const std::function<std::uint64_t()>& clock);

}  // namespace heddle::node::lanes
