// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What is in the mempool.
#pragma once

#include "rpc/envelope/method.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

/// txpool_status, txpool_content, txpool_contentFrom, txpool_inspect.
void add_txpool_methods(MethodTable& table, const Services& services);

}  // namespace heddle::node::rpc
