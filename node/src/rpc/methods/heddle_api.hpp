// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Methods that only Heddle has: blocks in a stream, for other nodes of its kind.
#pragma once

#include <memory>

#include "rpc/envelope/method.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

class BlockStreams;

/// @return the streams of blocks, which live with the methods.
std::shared_ptr<BlockStreams> add_heddle_methods(MethodTable& table, const Services& services);

}  // namespace heddle::node::rpc
