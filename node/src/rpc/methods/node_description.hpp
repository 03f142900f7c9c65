// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a development chain says of itself, in the forms of anvil and hardhat.
#pragma once

#include "formats/json_writer.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

/// anvil_nodeInfo: the newest block, its environment, and the source of a fork.
void write_node_info(const Services& services, JsonWriter& out);
/// anvil_metadata. Only where there is a control.
void write_metadata(const Services& services, JsonWriter& out);

}  // namespace heddle::node::rpc
