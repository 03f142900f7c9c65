// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What an executor has done so far, and where the time went.
#pragma once

#include <cstddef>
#include <cstdint>

#include <types/block.hpp>
#include <types/hash.hpp>
#include <types/uint256.hpp>

namespace heddle::executor {

/// Wall-clock time by phase, in nanoseconds.
struct Timing {
    std::uint64_t recovery_ns = 0;      // recovering senders that came without
    std::uint64_t execution_ns = 0;     // system calls, transactions, rewards, merged diff
    std::uint64_t verification_ns = 0;  // header and body checks, blooms, receipts root
    std::uint64_t commit_ns = 0;        // the sink: state root, storage

    Timing& operator+=(const Timing& other) noexcept {
        recovery_ns += other.recovery_ns;
        execution_ns += other.execution_ns;
        verification_ns += other.verification_ns;
        commit_ns += other.commit_ns;
        return *this;
    }
};

/// One accepted block. Valid only during the call that delivers it.
struct BlockReport {
    const BlockHeader& header;  // complete, also where it was being made
    const Hash& hash;
    std::size_t transaction_count = 0;
    Timing timing;
    /// By attempts ahead of their turn that were not accepted.
    std::uint64_t wasted_gas = 0;
    /// How long code was executed by whatever was accepted, all threads together, by the parallel
    /// executor; what waits for a disk counts. Attempts of transactions without code are not timed.
    std::uint64_t worked_ns = 0;
};

/// What a parallel scheduler did with its transactions; all zero for others, and without what was
/// left to the serial executor. Every transaction is executed ahead of its turn or run in order;
/// those repaired are both.
struct ParallelStats {
    std::uint64_t dispatched = 0;   // transactions that were given to the scheduler
    std::uint64_t waited = 0;       // of these, not ready at once
    std::uint64_t edges = 0;        // to predecessors that had not finished
    std::uint64_t executed = 0;     // attempts ahead of their turn
    std::uint64_t stolen = 0;       // of these, taken from another worker's queue
    std::uint64_t continued = 0;    // of these, run at once by the worker that released them
    std::uint64_t in_order = 0;     // run at their turn: chains and small blocks
    std::uint64_t unattempted = 0;  // could not be validated ahead of their turn
    std::uint64_t repaired = 0;     // overtaken by an earlier one and run again at their turn
    std::uint64_t stopped = 0;      // attempts ended before their end: overtaken, or out of budget
    std::uint64_t held = 0;         // not attempted: attempts like it were overtaken of late
    std::uint64_t checked = 0;      // attempts looked at ahead of their turn
    std::uint64_t taken_back = 0;   // of these, overtaken, and made again
    std::uint64_t suspended = 0;    // ended on what was or would be replaced, and made again
    std::uint64_t meetings = 0;     // attempts for which several threads had to come together
    std::uint64_t waited_ns = 0;    // by threads that had come and could not go on, added up
    std::uint64_t listed_blocks = 0;  // executed from their access lists
    std::uint64_t refuted_lists = 0;  // that were not their blocks', which ran once more for it
    std::uint64_t batches = 0;        // attempted on one state each, with `aria`
    std::uint64_t aborted = 0;        // of these transactions, those that did not hold on it
    // What executing took, in gas: messages, access lists and authorizations, failed attempts
    // included. What serial execution would have taken is attempted less wasted and in order.
    std::uint64_t attempted_gas = 0;  // by attempts ahead of their turn
    std::uint64_t wasted_gas = 0;     // of this, by attempts that were not accepted
    std::uint64_t in_order_gas = 0;   // at their turn
    /// Accounts and slots that had to be read from the committed state.
    std::uint64_t cold_reads = 0;
    std::uint64_t window_full = 0;     // times that the stream had to wait for room
    std::uint64_t most_in_flight = 0;  // positions, the ends of blocks included

    /// Of streams that came one after the other.
    ParallelStats& operator+=(const ParallelStats& other) noexcept;
};

/// What an executor holds at the moment, used or not, besides what its machines need.
struct MemoryUse {
    std::uint64_t cells = 0;             // accounts and slots that are in flight or kept at hand
    std::uint64_t cell_bytes = 0;        // for them, with the tables that find them
    std::uint64_t record_bytes = 0;      // for what the scheduler remembers of them
    std::uint64_t code_bytes = 0;        // deployed and not yet read from the state
    std::uint64_t attempts = 0;          // buffers of what is executed ahead of its turn
    std::uint64_t list_bytes = 0;        // for access lists of blocks that run from them
    std::uint64_t unfinished_bytes = 0;  // of blocks that the sink has not accepted yet
    std::uint64_t executed_blocks = 0;   // of these, executed to their end: a number
};

struct Stats {
    std::uint64_t blocks = 0;
    std::uint64_t transactions = 0;
    std::uint64_t gas_used = 0;
    /// Of the tries of transactions and receipts, in blocks that turned out to have another number
    /// of transactions than BlockStart said; the serial executor hashes when it knows the number.
    std::uint64_t leaves_hashed_again = 0;
    Timing timing;
    ParallelStats parallel;

    Stats& operator+=(const Stats& other) noexcept;
};

/// Where the stream stands after everything submitted has been accepted.
struct Summary {
    Stats stats;
    std::uint64_t head_number = 0;
    Hash head_hash;
    Hash state_root;  // of the head
};

}  // namespace heddle::executor
