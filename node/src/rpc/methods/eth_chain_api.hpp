// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which chain this is, how far it is, and what of it can be asked for.
#pragma once

#include "rpc/envelope/method.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

/// eth_blockNumber, eth_capabilities, eth_chainId, eth_config (EIP-7910), eth_syncing.
void add_eth_chain_methods(MethodTable& table, const Services& services);

}  // namespace heddle::node::rpc
