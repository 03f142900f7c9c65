// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a node does with keys that it knows: sending and signing for the accounts of a development
// chain. It is no wallet: the keys are known to everybody.
#pragma once

#include <span>

#include "chain/dev_chain.hpp"
#include "rpc/envelope/method.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

/// eth_accounts and eth_fillTransaction; where there are accounts also eth_requestAccounts,
/// personal_listAccounts, eth_sendTransaction, eth_signTransaction, eth_sign, personal_sign and
/// eth_signTypedData_v4.
/// @param accounts  With their keys; they outlive the table.
void add_dev_methods(MethodTable& table, const Services& services,
                     std::span<const DevAccount> accounts);

}  // namespace heddle::node::rpc
