// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What tests of contracts do to a development chain: snapshots, time, blocks, values, accounts
// without keys. The names are those of ganache (`evm_`), hardhat and anvil, each where it has one.
#pragma once

#include "rpc/envelope/method.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

/// @param services  With `control`.
void add_control_methods(MethodTable& table, const Services& services);

/// Methods of the same names that say why they do nothing: of a node that is recorded, for what
/// they change is not written down.
void refuse_control_methods(MethodTable& table);

}  // namespace heddle::node::rpc
