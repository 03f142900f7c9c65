// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A chain's rules may be given anew for what is to come (a fork that validators agreed on), never
// for what has been.
#pragma once

#include <string>

#include <types/block.hpp>
#include <types/chain_config.hpp>

namespace heddle::node {

/// Which rule differs between the two for the genesis block, a block up to `head`, or for good, as
/// genesis files name it; empty: none. Forks above `head` may differ. What is merely known of the
/// past (the block of the merge) is no rule.
[[nodiscard]] std::string rule_changed_up_to(const BlockHeader& head, const ChainConfig& before,
                                             const ChainConfig& after);

}  // namespace heddle::node
