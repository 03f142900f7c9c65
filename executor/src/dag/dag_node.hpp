// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// One node of the DAG: how a transaction waits for others and wakes those that wait for it. The
// lock-free protocol and nothing else; what a node stands for is its user's business.
//
// A node passes through two events, once each and in this order:
//
//   complete  its results can be read by its successors
//   commit    it and everything before it in stream order is final
//
// and a successor waits for one of the two. For each event the node has a stack of edges, open
// until the event and closed by it.
//
//   state of a stack   event                          next state        who
//   open(list)         add_successor(edge)            open(edge, list)  the dispatcher
//   open(list)         close(): the event happened    closed            the worker or the committer
//   closed             add_successor(edge): refused   closed            the dispatcher
//
//   state of a node    event                          next state        who
//   dispatching(n)     an edge's event                dispatching(n-1)  whoever closed the stack
//   dispatching(n)     release_hold(), n > 0          waiting(n)        the dispatcher
//   dispatching(0)     release_hold()                 ready             the dispatcher
//   waiting(n)         an edge's event, n > 1         waiting(n-1)      whoever closed the stack
//   waiting(1)         an edge's event                ready             whoever closed the stack
//
// The guard holds kHold while the node is being dispatched, so that early events cannot make it
// ready; edges are counted by the dispatcher alone and added to the guard in one step. Exactly one
// thread sees it reach zero and makes the node ready (DORADD §3.3, BoC §4).
#pragma once

#include <atomic>
#include <cstdint>

#include <types/assert.hpp>

#include "workers/atomics.hpp"

namespace heddle::executor {

/// Thread safety: as the tables above say. Lifetime: a node may be reset() once it is committed and
/// all its predecessors are: nobody holds one of its edges then.
template <typename Atomics>
class BasicDagNode {
public:
    /// "`successor` waits for the node in whose stack this is." Owned by the successor, which
    /// outlives the event that it waits for.
    struct Edge {
        BasicDagNode* successor = nullptr;
        Edge* next = nullptr;
    };
    enum class Event : std::uint8_t { complete, commit };

    /// Dispatcher, before anything else is done with the node.
    void reset() noexcept {
        guard_.store(kHold, std::memory_order_relaxed);
        on_complete_.store(nullptr, std::memory_order_relaxed);
        on_commit_.store(nullptr, std::memory_order_relaxed);
    }

    /// Dispatcher: makes `edge.successor` wait for this node's event.
    /// @return false: the event has happened, its results are visible, and the edge is not used.
    [[nodiscard]] bool add_successor(Event event, Edge& edge) noexcept {
        auto& stack = stack_of(event);
        // Acquire pairs with close(): whoever finds the stack closed sees the results.
        Edge* head = stack.load(std::memory_order_acquire);
        do {
            if (head == closed()) return false;
            edge.next = head;
            // Release pairs with close(): the edge's fields are visible to it.
        } while (!stack.compare_exchange_weak(head, &edge, std::memory_order_release,
                                              std::memory_order_acquire));
        return true;
    }

    /// Dispatcher, once: all edges have been added, `edge_count` of them were accepted.
    /// @return whether the node is ready; otherwise the last event makes it so.
    [[nodiscard]] bool release_hold(std::uint32_t edge_count) noexcept {
        if (edge_count == 0) return true;  // nobody else knows the node
        const std::uint32_t rest = kHold - edge_count;
        // Acquire pairs with the decrements in close(): what the predecessors did is visible.
        return guard_.fetch_sub(rest, std::memory_order_acq_rel) == rest;
    }

    /// Whether somebody waits for the event; out of date at once.
    [[nodiscard]] bool is_awaited(Event event) noexcept {
        return stack_of(event).load(std::memory_order_relaxed) != nullptr;
    }

    /// The event has happened. Calls `make_ready(node)` for each successor that waits for nothing
    /// else any more.
    template <typename MakeReady>
    void close(Event event, MakeReady&& make_ready) noexcept {
        // Release publishes the results, acquire pairs with add_successor().
        Edge* edge = stack_of(event).exchange(closed(), std::memory_order_acq_rel);
        HEDDLE_DASSERT(edge != closed());
        while (edge != nullptr) {
            // The edge belongs to the successor, which may run and be reset after the decrement.
            Edge* const next = edge->next;
            BasicDagNode* const successor = edge->successor;
            if (successor->guard_.fetch_sub(1, std::memory_order_acq_rel) == 1)
                make_ready(*successor);
            edge = next;
        }
    }

private:
    static constexpr std::uint32_t kHold = std::uint32_t{1} << 30;

    [[nodiscard]] static Edge* closed() noexcept {
        static Edge marker;
        return &marker;
    }
    [[nodiscard]] auto& stack_of(Event event) noexcept {
        return event == Event::complete ? on_complete_ : on_commit_;
    }

    typename Atomics::template Atomic<std::uint32_t> guard_{kHold};
    typename Atomics::template Atomic<Edge*> on_complete_{nullptr};
    typename Atomics::template Atomic<Edge*> on_commit_{nullptr};
};

using DagNode = BasicDagNode<StreamAtomics>;

}  // namespace heddle::executor
