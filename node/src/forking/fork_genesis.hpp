// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The first block of a fork: empty, on top of the fork point, with the development accounts funded.
// It is a block of its own because the fork point's header says what the state after it is.
#pragma once

#include <expected>
#include <string>

#include <types/genesis.hpp>
#include <types/state_diff.hpp>

#include "forking/fork_source.hpp"

namespace heddle::node::forking {

struct ForkGenesis {
    Genesis genesis;
    StateDiff own;  // what the block writes, as Chain::fork_from() takes it
};

/// @param rules  As find_rules() gives them, with what a development chain is allowed.
/// Errors: one sentence, where the source cannot be asked.
[[nodiscard]] std::expected<ForkGenesis, std::string> make_fork_genesis(const ForkSource& source,
                                                                        const ChainConfig& rules);

}  // namespace heddle::node::forking
