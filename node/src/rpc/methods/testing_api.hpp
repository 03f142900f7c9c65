// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Building blocks by request, as the tests of ethereum/execution-apis ask for it; nothing of it is
// kept.
#pragma once

#include <cstdint>

#include "rpc/envelope/method.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

/// @param gas_limit  What the gas limits of blocks move to; 0: that of the parent.
void add_testing_methods(MethodTable& table, const Services& services, std::uint64_t gas_limit);

}  // namespace heddle::node::rpc
