// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Every method that needs nothing but Services. Those of a running consensus are added by node.cpp.
#pragma once

#include "rpc/envelope/method.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

/// rpc_modules names what is in the table when it is asked, so methods may be added later.
void add_all_methods(MethodTable& table, const Services& services);

}  // namespace heddle::node::rpc
