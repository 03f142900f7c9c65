// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Sealing by command: evm_mine. For development chains and tests.
#pragma once

#include <consensus_adapter/solo.hpp>

#include "chain/chain.hpp"
#include "rpc/envelope/method.hpp"

namespace heddle::node::rpc {

/// Borrows both, which outlive the table.
void add_seal_methods(MethodTable& table, consensus_adapter::Solo& solo, const Chain& chain);

}  // namespace heddle::node::rpc
