// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the explorer Otterscan asks a node for, at its API level 8.
#pragma once

#include "rpc/envelope/method.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

/// erigon_getHeaderByNumber; ots_getHeaderByNumber, getApiLevel, hasCode, getBlockDetails,
/// getBlockDetailsByHash, getBlockTransactions, getTransactionBySenderAndNonce,
/// getTransactionError, traceTransaction, getInternalOperations, getContractCreator. What searches
/// for an account's transactions is account_search.hpp.
void add_ots_methods(MethodTable& table, const Services& services);

}  // namespace heddle::node::rpc
