// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the order of a block's transactions really is: who must wait for whom, because of which
// objects, and how long the longest chain is. Pure functions for looking at a block and for
// predicting schedules; the executor that runs blocks builds its DAG differently and never whole.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <types/address.hpp>
#include <types/object.hpp>

namespace heddle::executor {

/// Transaction `to` must wait for `from`, which stands before it in the block.
struct GraphEdge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint32_t first_cause = 0;  // in BlockGraph::causes
    std::uint32_t cause_count = 0;  // at least one
    friend bool operator==(const GraphEdge&, const GraphEdge&) = default;
};

/// What one object costs the block.
struct ObjectLoad {
    std::uint32_t object = 0;  // in BlockGraph::objects
    /// Transactions that wait for an earlier one because of this object.
    std::uint32_t waiting = 0;
    /// Cost of the transactions on the critical path that the next one there waits for because of
    /// this object. An edge with several causes counts for each of them.
    std::uint64_t critical_cost = 0;
    friend bool operator==(const ObjectLoad&, const ObjectLoad&) = default;
};

/// Transactions are named by their index in the block, costs in the unit of the costs given.
struct BlockGraph {
    std::vector<std::uint64_t> costs;
    std::vector<ObjectId> objects;  // every object accessed, ascending
    /// Ascending by `to`, then `from`; each pair once.
    std::vector<GraphEdge> edges;
    std::vector<std::uint32_t> causes;  // in `objects`; ascending for each edge
    /// The dearest chain, each transaction waiting for the one before it; of equal ones the one
    /// that ends first in the block. Empty for an empty block.
    std::vector<std::uint32_t> critical_path;
    std::uint64_t critical_cost = 0;
    std::uint64_t total_cost = 0;
    /// Objects that somebody waits for: those of the critical path first, dearest first; then by
    /// how many wait.
    std::vector<ObjectLoad> serialisers;

    [[nodiscard]] std::span<const std::uint32_t> causes_of(const GraphEdge& edge) const noexcept {
        return std::span{causes}.subspan(edge.first_cause, edge.cause_count);
    }
};

/// Edges by stream position, with uncommitted values kept by position: a Read and a Write wait for
/// the last Write before them and for every Add and Debit since; nobody waits for a Read. Adds and
/// Debits wait for nothing, because they are applied when they are committed; a Debit is taken to
/// be covered. (The executor is stricter in one point: what reads a balance waits until the last
/// delta is committed, and so for everything before that.)
///
/// @param sets     One for each transaction, in their order.
/// @param costs    As many, e.g. gas.
/// @param senders  As many, or none. A sender's nonce is known from the transaction itself, so that
///                 its Write counts as an Add; without senders, nonces put the transactions of one
///                 sender in a row.
/// Complexity: O(accesses · log(accesses) + edges); an object with a deltas and r reads after them
/// makes a · r edges.
[[nodiscard]] BlockGraph make_block_graph(std::span<const ObjectSet> sets,
                                          std::span<const std::uint64_t> costs,
                                          std::span<const Address> senders = {});

/// Cost of the dearest chain if `object` (in graph.objects) ordered nothing.
[[nodiscard]] std::uint64_t critical_cost_without(const BlockGraph& graph, std::uint32_t object);

/// No schedule on `workers` > 0 workers takes less: the critical path, or an even share of all.
[[nodiscard]] std::uint64_t makespan_bound(const BlockGraph& graph, unsigned workers) noexcept;

}  // namespace heddle::executor
