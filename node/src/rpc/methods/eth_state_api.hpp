// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Accounts, code and storage after a block, and their proofs.
#pragma once

#include "rpc/envelope/method.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

/// eth_getBalance, eth_getCode, eth_getTransactionCount, eth_getStorageAt, eth_getStorageValues,
/// eth_getProof.
void add_eth_state_methods(MethodTable& table, const Services& services);

}  // namespace heddle::node::rpc
