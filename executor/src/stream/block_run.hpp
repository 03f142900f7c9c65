// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// One block in flight: what is known of it, what its transactions have left behind so far, and what
// is wrong with it.
#pragma once

#include <cstdint>
#include <optional>

#include <types/block.hpp>
#include <types/block_error.hpp>
#include <types/state_diff.hpp>

#include <vm/block_execution.hpp>

#include <executor/executor.hpp>

#include "state/block_changes.hpp"
#include "state/versioned_state.hpp"
#include "stream/block_leaves.hpp"
#include "workers/stopwatch.hpp"

namespace heddle::executor {

/// Ownership: transactions stay in `block` at a fixed place from submit() to the end of the block;
/// tasks point to them.
struct BlockRun {
    // --- The submitting thread's until the task that begins the block is dispatched -------------
    BlockMode mode = BlockMode::import;
    std::size_t encoded_size_bytes = 0;
    Bytes claimed_list;          // RLP of the access list that came with the block; may be empty
    bool is_small = false;       // not worth sharing: all of it runs in order, on one thread
    bool runs_in_order = false;  // all of it
    Block block;
    Hash hash;  // unless the header is being made
    BlockEnv env;
    bool list_is_checked = false;  // in its form: see vm::check_claimed_list()
    bool is_merged = false;
    AccountCell* beneficiary = nullptr;
    /// What is wrong with the header; nothing of the block runs then.
    std::optional<BlockError> header_error;
    /// Wall clock from the block's begin on.
    Stopwatch watch;

    // --- LeafHasher's ----------------------------------------------------------------------------
    BlockLeaves leaves;

    // --- The committer's -------------------------------------------------------------------------
    alignas(64) vm::BlockExecution execution;
    BlockChanges changes;
    vm::ObjectSetRecorder object_sets;
    std::uint64_t wasted_gas = 0;   // by attempts that were not accepted
    std::int64_t worked_ticks = 0;  // by those that were, and in order
    /// What is wrong with a transaction or a system call; nothing after it runs.
    std::optional<BlockError> execution_error;

    // --- The committer's, then BlockFinisher's ---------------------------------------------------
    StateDiff diff;
    Timing timing;
};

}  // namespace heddle::executor
