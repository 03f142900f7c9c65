// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Logs of past blocks, and filters that are asked for changes.
#pragma once

#include "rpc/envelope/method.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

/// eth_getLogs, eth_newFilter, eth_newBlockFilter, eth_newPendingTransactionFilter,
/// eth_getFilterChanges, eth_getFilterLogs, eth_uninstallFilter.
void add_eth_log_methods(MethodTable& table, const Services& services);

}  // namespace heddle::node::rpc
