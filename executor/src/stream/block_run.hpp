// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// One block in flight: what is known of it, what its transactions have left behind so far, and what
// is wrong with it.
#pragma once

#include <cstddef>
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

/// What a block takes in memory from when it is submitted until the sink has it, in bytes:
/// transactions with what was declared of them, receipts, changes, object sets. Not what the window
/// and the cells take, which have bounds of their own. What blocks hold together may exceed its
/// bound by what executing those that have been submitted leaves: it was paid for in gas.
///
/// Three counts of the stream rise by what is counted here, and by nothing else: so their sum is
/// zero when nothing is in flight, however a block was counted, and though parts of it may have
/// been moved elsewhere by the time that it is finished.
///
///   count of the stream                 raised by                   when
///   ParallelExecutor::submitted_bytes_  the submitting thread       a transaction comes, with
///                                                                   which a receipt will
///   Committer::made_bytes()             whoever has that role       one is accepted, for its
///                                                                   logs; a block ends
///   BlockFinisher::finished_bytes()     whoever has that role       the sink has taken or
///                                                                   refused the block
///                                       the submitting thread, and  a block is dropped that
///                                       nothing is in flight        has not ended
///
/// Who waits for whom: only the submitting thread waits for room (ParallelExecutor::make_room()),
/// and only for blocks before the one that it submits or is about to begin. These have been
/// submitted to their end, so that the workers, of which it is one while it waits, commit and
/// finish them without anything more from it; and for a block that is the only one unfinished it
/// never waits. So the wait ends, whatever the limit is. Whoever finishes a block notifies the
/// owner after that (WorkerParking::notify_owner()), who looks again.
struct BlockBytes {
    std::size_t submitted = 0;  // the submitting thread's until the block's end is dispatched
    std::size_t made = 0;       // the committer's until the block has ended
};

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

    BlockBytes bytes;

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
