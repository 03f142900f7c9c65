// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Of which chain and block a development chain is to be a fork from now on, as anvil_reset and
// hardhat_reset are told.
#pragma once

#include <optional>

#include "chain/chain.hpp"
#include "development/chain_exchange.hpp"
#include "formats/json.hpp"
#include "rpc/envelope/method.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

/// @param forking  `{"jsonRpcUrl", "blockNumber"}`, of which either may lack: the source stays
///                 then, and with a source but no block it is its newest one.
/// @return nullopt: what the chain is a fork of already.
/// Errors: RpcError invalid_params for what makes no sense.
[[nodiscard]] std::optional<ChainWish> wish_of(const Chain& chain, const JsonView& forking);

/// Another chain takes the place of this one. Who asks makes the node connect to what they name:
/// a source that it did not have can be named by programs of its machine only.
/// Errors: RpcError with the sentence; the chain is what it was.
void exchange_chain(const Services& services, const Call& call, const ChainWish& wish);

}  // namespace heddle::node::rpc
