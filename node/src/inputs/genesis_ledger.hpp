// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A data directory made from, or compared with, a genesis file of any size.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <ledger/durable_ledger.hpp>
#include <ledger/maintenance.hpp>

#include "formats/chain_config_json.hpp"
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

/// What a genesis file says, its allocation only by the hash of the first block.
struct GenesisOutline {
    ChainConfig config;  // that of --chain where it is named
    std::optional<ValidatorContractConfig> validators;
    Hash hash;
};

/// To compare a file of any size with a ledger that is there. Sorts its allocation in a folder
/// `genesis.compared` beside the ledger, which is gone afterwards; what a crash leaves of it is
/// made anew the next time.
/// @param memory_bytes  Beside what the ledger has.
/// Errors: as create_chain_ledger().
[[nodiscard]] GenesisOutline outline_genesis(const std::string& datadir, std::size_t memory_bytes,
                                             const ChainInput& input, std::string_view command,
                                             const ledger::WorkProgress& on_progress);

}  // namespace heddle::node
