// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a node says of itself and of its network.
#pragma once

#include "rpc/envelope/method.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

/// net_version, net_listening, net_peerCount, web3_clientVersion, web3_sha3, rpc_modules.
/// @param table  Must outlive its own methods' calls: rpc_modules reads it.
void add_net_web3_methods(MethodTable& table, const Services& services);

}  // namespace heddle::node::rpc
