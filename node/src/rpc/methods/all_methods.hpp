// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Every method that needs nothing but Services. Those of a running consensus are added by node.cpp.
#pragma once

#include <memory>

#include "rpc/envelope/method.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

class BlockStreams;

/// rpc_modules names what is in the table when it is asked, so methods may be added later.
/// @return the streams of blocks, which live with the methods.
std::shared_ptr<BlockStreams> add_all_methods(MethodTable& table, const Services& services);

}  // namespace heddle::node::rpc
