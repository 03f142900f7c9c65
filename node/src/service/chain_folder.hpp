// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The data directory of a node, opened for the chain that its configuration names.
#pragma once

#include <memory>
#include <string_view>

#include <ledger/durable_ledger.hpp>

#include "cometbft/state_sync.hpp"
#include "service/node_config.hpp"

namespace heddle::node {

/// Makes the directory from the genesis where there is none. Rules of a genesis file take the place
/// of those that the directory keeps, where they differ in what is to come.
/// Errors: InputError where it holds another chain, or rules differ in what has been; StorageError.
[[nodiscard]] std::unique_ptr<ledger::DurableLedger> open_or_create(
    const NodeConfig& config, bool is_dev, ledger::DurableLedgerOptions options);

/// Writes the genesis file of a development chain, by which others follow it, to
/// `chain.genesis_copy`. Errors: InputError.
/// @param ledger  Of open_or_create().
void write_dev_genesis(const NodeConfig& config, const ledger::DurableLedger& ledger);

/// What a snapshot that fills the directory is compared with: the chain of the genesis file, and
/// where and in how much memory it is restored.
/// @param option  That asks for it. Errors: InputError: there is no genesis file.
[[nodiscard]] StateSyncOptions restorable_chain(const NodeConfig& config, std::string_view option);

}  // namespace heddle::node
