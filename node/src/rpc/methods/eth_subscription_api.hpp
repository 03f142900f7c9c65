// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Being told of new heads, logs and pending transactions over an open connection.
#pragma once

#include "rpc/envelope/method.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

/// eth_subscribe, eth_unsubscribe.
void add_eth_subscription_methods(MethodTable& table, const Services& services);

}  // namespace heddle::node::rpc
