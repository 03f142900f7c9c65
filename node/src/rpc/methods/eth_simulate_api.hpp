// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// eth_simulateV1.
#pragma once

#include "rpc/envelope/method.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

/// What `services` borrows outlives the table.
void add_eth_simulate_methods(MethodTable& table, const Services& services);

}  // namespace heddle::node::rpc
