// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// debug_trace…: executing again what was executed, and calls, under the eyes of a tracer.
#pragma once

#include "rpc/envelope/method.hpp"
#include "rpc/queries/pending_block.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

/// debug_traceTransaction, debug_traceBlock, debug_traceBlockByHash, debug_traceBlockByNumber,
/// debug_traceCall, and debug_getBadBlocks, which has none to tell of: bad blocks are not kept.
void add_debug_trace_methods(MethodTable& table, const Services& services,
                             const SharedPendingBlocks& pending);

}  // namespace heddle::node::rpc
