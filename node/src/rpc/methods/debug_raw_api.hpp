// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks and their parts as the bytes that their hashes are made of.
#pragma once

#include "rpc/envelope/method.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

/// debug_getRawBlock, debug_getRawHeader, debug_getRawReceipts, debug_getRawTransaction.
void add_debug_raw_methods(MethodTable& table, const Services& services);

}  // namespace heddle::node::rpc
