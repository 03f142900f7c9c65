// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A chain's rules may be given anew for what is to come (a fork that validators agreed on), never
// for what has been.
#pragma once

#include <string>

#include <ledger/durable_ledger.hpp>
#include <types/block.hpp>
#include <types/chain_config.hpp>

#include "inputs/genesis_ledger.hpp"

namespace heddle::node {

/// Which rule differs between the two for the genesis block, a block up to `head`, or for good, as
/// genesis files name it; empty: none. Forks above `head` may differ. What is merely known of the
/// past (the block of the merge) is no rule.
[[nodiscard]] std::string rule_changed_up_to(const BlockHeader& head, const ChainConfig& before,
                                             const ChainConfig& after);

/// Who is at odds, in errors.
struct RuleNames {
    std::string directory;  // of the ledger
    std::string file;       // of the genesis
};
/// Rules of a genesis file take the place of those that the ledger keeps, where they differ in what
/// is to come. @return whether they do.
/// Errors: InputError where they differ in what has been, or name another validator contract;
/// StorageError.
[[nodiscard]] bool adopt_rules(ledger::DurableLedger& ledger, const GenesisOutline& genesis,
                               const RuleNames& names);

}  // namespace heddle::node
