// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A whole block on its way into an executor, as consensus, files and tools deliver it.
#pragma once

#include <expected>
#include <vector>

#include <types/block.hpp>
#include <types/block_error.hpp>
#include <types/object.hpp>
#include <types/transaction.hpp>

#include <executor/executor.hpp>

namespace heddle::executor {

struct OrderedBlock {
    BlockStart start;
    std::vector<Transaction> transactions;
    /// Declared object sets, one for each transaction; empty where nothing was declared. Any other
    /// number counts as nothing.
    std::vector<ObjectSet> object_sets;
};
/// A complete block whose header is a claim, without object sets.
[[nodiscard]] OrderedBlock make_ordered_block(Block block, BlockMode mode = BlockMode::import);

/// Feeds a block into a stream that has been started. Waits while the executor is full, not until
/// the block is accepted: drain() tells what became of it.
/// Errors: those of begin_block(), with the block not taken.
[[nodiscard]] std::expected<void, BlockError> run(Executor& executor, OrderedBlock block);

}  // namespace heddle::executor
