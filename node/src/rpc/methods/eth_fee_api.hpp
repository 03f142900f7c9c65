// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What gas costs now and what it cost.
#pragma once

#include "rpc/envelope/method.hpp"
#include "rpc/queries/pending_block.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

/// eth_gasPrice, eth_maxPriorityFeePerGas, eth_baseFee, eth_blobBaseFee, eth_feeHistory.
void add_eth_fee_methods(MethodTable& table, const Services& services,
                         const SharedPendingBlocks& pending);

}  // namespace heddle::node::rpc
