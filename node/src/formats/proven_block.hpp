// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A block with its execution witness (debug_executionWitness): the trie nodes and the code that it
// needs, proven by the state root of its parent. Unlike a witness file's, its state root follows
// from what it carries.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <memory>

#include <executor/executor.hpp>
#include <ledger/partial_state.hpp>
#include <types/block.hpp>
#include <types/block_error.hpp>
#include <types/block_sink.hpp>
#include <types/chain_config.hpp>

#include "formats/json.hpp"
#include "formats/witness_file.hpp"

namespace heddle::node {

struct ProvenBlock {
    Block block;
    BlockHeader parent;
    /// Of the ancestors whose headers came with it.
    std::map<std::uint64_t, Hash> block_hashes;
    std::unique_ptr<const ledger::PartialState> state;  // after the parent
};

/// Whether a file's content is one: an object with `block` and `witness`.
[[nodiscard]] bool is_proven_block(const JsonView& json);

/// `block` is RLP (debug_getRawBlock) or what eth_getBlockByHash gives with full transactions,
/// `witness` what debug_executionWitness gives; its `keys` are not looked at.
/// Errors: throws InputError, also where the headers are no chain that ends at the block's parent.
[[nodiscard]] ProvenBlock parse_proven_block(const JsonView& json);

/// Executes the block on what came with it and checks every claim of its header that can be checked
/// then, the state root included. Of ommers: their hash, how many and how old they are, and what
/// they are paid, for it takes seven ancestors to say more. Before Byzantium the receipts root of a
/// block with ommers is not checked.
/// @param executor  A serial one: others read ahead of what a block needs.
/// Errors: as the executor has them; malformed, with what the witness lacks.
[[nodiscard]] std::expected<void, BlockError> execute(const ProvenBlock& proven,
                                                      const ChainConfig& config,
                                                      executor::Executor& executor);

}  // namespace heddle::node
