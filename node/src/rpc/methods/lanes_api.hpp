// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a node over lanes tells of them (docs/lanes.md).
#pragma once

#include "lanes/join_source.hpp"
#include "lanes/lanes_view.hpp"
#include "rpc/envelope/method.hpp"

namespace heddle::node::rpc {

/// heddle_lanes, heddle_homes, heddle_placement. @param lanes  Outlives the table.
void add_lanes_methods(MethodTable& table, const lanes::LanesView& lanes);

/// heddle_snapshots and heddle_snapshotPart, for nodes that join.
/// @param source  Outlives the table; null: there is nothing to join by.
void add_join_methods(MethodTable& table, lanes::JoinSource* source);

}  // namespace heddle::node::rpc
