// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Building blocks by request, as the tests of ethereum/execution-apis ask for it; nothing of it is
// kept.
#pragma once

#include "rpc/envelope/method.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

void add_testing_methods(MethodTable& table, const Services& services);

}  // namespace heddle::node::rpc
