// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Who of a node may hold how much of its memory: one table, in which everything stands that is kept
// beyond the work of the moment. What holds it keeps to its part; nobody else decides on sizes.
#pragma once

#include <cstddef>
#include <string>

#include <executor/options.hpp>

namespace heddle::node {

/// Bytes. Together they are `total`.
struct MemoryPlan {
    std::size_t total = 0;
    /// Values, code and tries of the state, RocksDB's cache, blocks on their way to the disk.
    std::size_t ledger = 0;
    std::size_t executor = 0;       // accounts, slots and code kept from block to block
    std::size_t executor_code = 0;  // analysed code of the executor
    std::size_t call_code = 0;      // analysed code of calls and traces
    std::size_t served_blocks = 0;  // blocks that were asked for lately
    std::size_t logs = 0;           // logs of blocks that were searched lately
    std::size_t blooms = 0;         // the index of blooms
    std::size_t fees = 0;           // what was paid in blocks whose fees were asked for lately
    std::size_t executions = 0;     // how the last blocks ran, for the page
    std::size_t mempool = 0;        // transactions that wait
    std::size_t messages = 0;       // large requests and answers, while they come and go

    friend bool operator==(const MemoryPlan&, const MemoryPlan&) = default;
};

/// @param total        Of the whole node: `ledger.memory`.
/// @param mempool_most What the mempool may have at most, whatever there is.
[[nodiscard]] MemoryPlan plan_memory(std::size_t total, std::size_t mempool_most);

/// Of a replay, which answers nobody: the executor has what it has in a node, the ledger the rest.
[[nodiscard]] MemoryPlan plan_replay_memory(std::size_t total);

/// Bytes that a stream of blocks may have waiting between two of its stages: decoded and not yet
/// executed, or executed and not yet the ledger's. Work of the moment, beside the parts of the
/// plan. One block may take more, and has the stage for itself then.
[[nodiscard]] std::size_t stream_bytes(const MemoryPlan& plan) noexcept;

/// What a client or a peer may make the node hold for a while beside the parts of the plan, in
/// bytes: of each as much as there is room for, and at most what is of use.
struct MomentBytes {
    std::size_t proposals = 0;     // decoded, that consensus may decide
    std::size_t removed_logs = 0;  // of blocks taken back: for filters, and again for subscriptions
    std::size_t arrivals = 0;      // transactions that subscribers have to be told of
    std::size_t snapshots = 0;     // of a development chain
    std::size_t source_blocks = 0;  // of the chain that is forked, those used last
};
[[nodiscard]] MomentBytes moment_bytes(const MemoryPlan& plan) noexcept;

/// Bounds what an executor keeps and what it has in flight.
void bound_executor(const MemoryPlan& plan, executor::ParallelOptions& options) noexcept;

/// "ledger 416, executor 192, …", in MiB, for the log.
[[nodiscard]] std::string to_string(const MemoryPlan& plan);

}  // namespace heddle::node
