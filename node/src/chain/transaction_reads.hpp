// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a transaction reads of a forked chain's state, fetched before it is executed: so that who
// seals a block need not wait for another machine, and knows beforehand what cannot be read.
#pragma once

#include <expected>
#include <string>

#include <types/block.hpp>
#include <types/state_view.hpp>
#include <types/transaction.hpp>
#include <vm/evm.hpp>

#include "chain/fork_base.hpp"

namespace heddle::node {

/// Where a transaction would be executed.
struct ReadingPlace {
    const ForkBase& base;
    const StateView& state;  // on top of the base
    const BlockHashes& block_hashes;
    const BlockEnv& env;
};

/// Executes it there, for its reads alone. One that is not valid there has read what is needed to
/// know that. Its sender is filled in.
/// Errors: one sentence on what could not be read.
[[nodiscard]] std::expected<void, std::string> read_ahead_of(const Transaction& tx,
                                                             const ReadingPlace& place,
                                                             vm::Evm& evm);

}  // namespace heddle::node
