// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How blocks ran on this node, what orders their transactions, and the interfaces of contracts that
// it was given: what the page draws.
#pragma once

#include "chain/execution_log.hpp"
#include "inputs/contract_artifacts.hpp"
#include "rpc/envelope/method.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

/// @param log        Outlives the table; null: nothing is watched.
/// @param artifacts  Not needed afterwards.
void add_execution_methods(MethodTable& table, const Services& services, const ExecutionLog* log,
                           const ContractArtifacts& artifacts);

}  // namespace heddle::node::rpc
