// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What who sends a transaction is told where the transaction is in its block already, and failed
// there: an error as hardhat's own network gives it, which is asked for, or the hash alone as
// anvil and geth do it.
#pragma once

#include "rpc/envelope/method.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

/// The same methods, but for those that send: where the transaction failed in its block, they
/// throw RpcError with hardhat's sentence, whose data is an object: `message`, `txHash`, and
/// `data`, what the transaction reverted with. The transaction stays in its block; one that is in
/// none yet is answered with its hash. To know what it reverted with, its block is executed again
/// as far as it; one that succeeded costs a look at its receipt.
/// @param services  Of a node where who sends a transaction is answered when it is in a block.
[[nodiscard]] MethodTable with_failures_thrown(const MethodTable& methods,
                                               const Services& services);

}  // namespace heddle::node::rpc
