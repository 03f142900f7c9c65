// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Transactions: those of blocks, those of the pool, and new ones.
#pragma once

#include "rpc/envelope/method.hpp"
#include "rpc/queries/pending_block.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

/// eth_getTransactionBy…, eth_getRawTransactionBy…, eth_getTransactionReceipt,
/// eth_sendRawTransaction, eth_sendRawTransactionSync (EIP-7966).
void add_eth_transaction_methods(MethodTable& table, const Services& services,
                                 const SharedPendingBlocks& pending);

}  // namespace heddle::node::rpc
