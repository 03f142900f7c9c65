// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// States of blocks in the order of their tries.
#pragma once

#include "rpc/envelope/method.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

/// debug_storageRangeAt, debug_accountRange, debug_dumpBlock, as go-ethereum has them. What they
/// borrow of the services outlives the table.
void add_debug_state_methods(MethodTable& table, const Services& services);

}  // namespace heddle::node::rpc
