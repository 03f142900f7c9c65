// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a node over lanes is started with, out of its configuration.
#pragma once

#include "follow/endpoint.hpp"
#include "lanes/lane_engine.hpp"
#include "service/node_config.hpp"

namespace heddle::node {

/// Without on_failure. Errors: InputError that names the option.
[[nodiscard]] lanes::LaneEngineOptions lane_options(const NodeConfig& config);

/// The node that `lanes.join` names, and whom its certificate may come from. Errors: InputError.
[[nodiscard]] follow::Endpoint join_origin(const NodeConfig& config);

/// Fills the data directory, which has no ledger, by the running node that `lanes.join` names
/// (lanes/lane_join.hpp). Until it is done, or the process is told to stop.
/// @return false: it was told to stop. Errors: InputError, StorageError, as join_lanes().
[[nodiscard]] bool join_chain(const NodeConfig& config);

}  // namespace heddle::node
