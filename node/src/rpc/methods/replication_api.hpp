// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What members of a replicated chain ask each other, and what their operators ask
// (docs/replication.md).
#pragma once

#include <memory>

#include "replication/replication.hpp"
#include "rpc/envelope/method.hpp"
#include "rpc/queries/block_streams.hpp"

namespace heddle::node::rpc {

/// heddle_promise, heddle_promote, heddle_replicate, heddle_replication: for holders of a token.
/// Everything outlives the table.
void add_replication_methods(MethodTable& table, replication::Replication& replication,
                             const std::shared_ptr<BlockStreams>& streams);

}  // namespace heddle::node::rpc
