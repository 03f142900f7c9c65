// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether an engine of this node can put a block on the chain's head at all. How blocks are made is
// the engines' business.
#pragma once

#include <cstdint>
#include <string>

#include <ledger/durable_ledger.hpp>
#include <types/block.hpp>

#include "chain/chain.hpp"

namespace heddle::node {

/// Whether a block on `head` must have proof of work, which no engine does.
/// @param timestamp  Of that block, in seconds; above the head's, or at it where the chain may
///                   repeat timestamps.
[[nodiscard]] bool needs_proof_of_work(const Chain& chain, const ledger::StoredHeader& head,
                                       std::uint64_t timestamp);

/// What is said of a head whose gas limit leaves its child none that is allowed, see
/// consensus_adapter::can_be_followed().
[[nodiscard]] std::string no_block_follows(const BlockHeader& head);

}  // namespace heddle::node
