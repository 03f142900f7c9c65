// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What who sends a transaction is told where the transaction is in its block already, and failed
// there: an error as hardhat's own network gives it, which is asked for, or the hash alone as
// anvil and geth do it.
#pragma once

#include <types/hash.hpp>

#include "rpc/envelope/method.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

/// After settle(). Where Services::throws_failures is set and the transaction failed in its block,
/// throws RpcError with hardhat's sentence, whose data is an object: `message`, `txHash`, and
/// `data`, what the transaction reverted with. The transaction stays in its block. To know what it
/// reverted with, its block is executed again as far as it; one that succeeded costs a look at its
/// receipt.
/// Thread safety: any.
void expect_success(const Services& services, const Hash& hash, const Call& call);

}  // namespace heddle::node::rpc
