// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A data directory made from a genesis file of any size.
#pragma once

#include <memory>
#include <string_view>

#include <ledger/durable_ledger.hpp>
#include <ledger/maintenance.hpp>

#include "inputs/chain_input.hpp"

namespace heddle::node {

/// Makes the ledger of the chain that is named, in the memory that `options` give, and remembers
/// which file it is of. Where that fails, the folder is as it was.
/// @param command      In the text of errors.
/// @param on_progress  May be empty.
/// Errors: InputError where no genesis is given, one that is malformed, or that of another chain
/// than --chain says; those of fail_ledger().
[[nodiscard]] std::unique_ptr<ledger::DurableLedger> create_chain_ledger(
    ledger::DurableLedgerOptions options, const ChainInput& input, std::string_view command,
    const ledger::WorkProgress& on_progress);

}  // namespace heddle::node
