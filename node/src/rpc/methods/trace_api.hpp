// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Traces in the forms of OpenEthereum, as erigon, nethermind, reth and anvil answer them.
#pragma once

#include "rpc/envelope/method.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

/// trace_block, trace_transaction, trace_get; trace_replayTransaction,
/// trace_replayBlockTransactions and trace_call with `trace` and `stateDiff`.
void add_trace_methods(MethodTable& table, const Services& services);

}  // namespace heddle::node::rpc
