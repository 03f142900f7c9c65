// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What some clients have beside geth: an account as one answer, a transaction by who sent it, who
// is paid for blocks, and what node this is.
#pragma once

#include "rpc/envelope/method.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

/// eth_getAccount, eth_getTransactionBySenderAndNonce, eth_coinbase; admin_nodeInfo for those with
/// a token.
void add_eth_account_methods(MethodTable& table, const Services& services);

}  // namespace heddle::node::rpc
