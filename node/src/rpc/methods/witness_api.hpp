// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// debug_executionWitness: all that somebody without a state needs to execute a block and to compute
// its state root, as the execution APIs define it.
#pragma once

#include "rpc/envelope/method.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

void add_witness_methods(MethodTable& table, const Services& services);

}  // namespace heddle::node::rpc
