// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks, headers, ommers, and the receipts of a block.
#pragma once

#include "rpc/envelope/method.hpp"
#include "rpc/queries/pending_block.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

/// eth_getBlockBy…, eth_getHeaderBy…, eth_getBlockTransactionCountBy…, eth_getUncle…,
/// eth_getBlockReceipts.
void add_eth_block_methods(MethodTable& table, const Services& services,
                           const SharedPendingBlocks& pending);

}  // namespace heddle::node::rpc
