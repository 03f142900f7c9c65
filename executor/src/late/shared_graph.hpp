// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The graph that late scheduling shares among the thread that puts transactions in and those that
// take them out (CBASE; Early Scheduling §2.3): one with a lock around it, one without locks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "dag/dag_links.hpp"
#include "stream/place_memory.hpp"
#include "stream/position_ring.hpp"
#include "workers/atomics.hpp"
#include "workers/ready_queues.hpp"
#include "workers/worker_parking.hpp"

namespace heddle::executor {

/// One edge: a transaction waits for an event of an earlier one.
struct GraphWait {
    std::uint64_t position = 0;
    DagNode::Event event = DagNode::Event::complete;
};

/// Positions pass through two events, once each and in this order: complete, commit.
///
/// Thread safety: enter() and connect() by the dispatching thread, the rest by any.
class SharedGraph {
public:
    virtual ~SharedGraph() = default;

    /// A position is there: others may wait for it.
    virtual void enter(std::uint64_t position, std::uint64_t gas) = 0;
    /// It waits for these, as far as they have not happened; whoever is last makes it ready.
    /// @return edges added: 0 if it is ready at once.
    [[nodiscard]] virtual std::size_t connect(std::uint64_t position,
                                              std::span<const GraphWait> waits) = 0;
    /// An event has happened: those that waited for nothing else are ready.
    virtual void pass(unsigned worker, std::uint64_t position, DagNode::Event event) = 0;
    /// Whether anybody waits for the event; out of date at once.
    [[nodiscard]] virtual bool is_awaited(std::uint64_t position, DagNode::Event event) = 0;

    [[nodiscard]] virtual ReadyBundle take(unsigned worker, std::span<ReadyItem> items) = 0;
    /// Ready and not taken; sequentially consistent, see ParkingLot.
    [[nodiscard]] virtual std::size_t ready_count() const noexcept = 0;
};

/// Everything under one lock.
class LockedGraph final : public SharedGraph {
public:
    LockedGraph(std::size_t window, WorkerParking& parking) : parking_(parking), nodes_(window) {}

    void enter(std::uint64_t position, std::uint64_t gas) override;
    [[nodiscard]] std::size_t connect(std::uint64_t position,
                                      std::span<const GraphWait> waits) override;
    void pass(unsigned worker, std::uint64_t position, DagNode::Event event) override;
    [[nodiscard]] bool is_awaited(std::uint64_t position, DagNode::Event event) override;
    [[nodiscard]] ReadyBundle take(unsigned worker, std::span<ReadyItem> items) override;
    [[nodiscard]] std::size_t ready_count() const noexcept override {
        return ready_count_.load(std::memory_order_seq_cst);
    }

private:
    struct Side {
        std::vector<std::uint64_t> waiting;
        bool has_passed = false;
    };
    struct Node {
        std::uint64_t position = 0;
        std::uint64_t gas = 0;
        std::size_t edges = 0;  // to those that it waits for
        Side complete;
        Side commit;
    };
    [[nodiscard]] static Side& side_of(Node& node, DagNode::Event event) noexcept {
        return event == DagNode::Event::complete ? node.complete : node.commit;
    }
    /// Under the lock.
    void make_ready(const Node& node);

    WorkerParking& parking_;
    StreamAtomics::Mutex mutex_;
    PositionRing<Node> nodes_;     // under the lock
    PlaceMemory memory_;           // the same; of those that wait, noted when an event has happened
    std::deque<ReadyItem> ready_;  // the same; in the order in which they became ready
    StreamAtomics::Atomic<std::size_t> ready_count_{0};
};

/// Each node a lock-free stack of those that wait for it, and a queue for each worker.
class LockFreeGraph final : public SharedGraph {
public:
    LockFreeGraph(unsigned workers, std::size_t window, WorkerParking& parking)
        : links_(window), ready_(workers, window, parking) {}

    void enter(std::uint64_t position, std::uint64_t gas) override;
    [[nodiscard]] std::size_t connect(std::uint64_t position,
                                      std::span<const GraphWait> waits) override;
    void pass(unsigned worker, std::uint64_t position, DagNode::Event event) override;
    [[nodiscard]] bool is_awaited(std::uint64_t position, DagNode::Event event) override;
    [[nodiscard]] ReadyBundle take(unsigned worker, std::span<ReadyItem> items) override;
    [[nodiscard]] std::size_t ready_count() const noexcept override { return ready_.backlog(); }

private:
    DagLinkRing links_;
    PlaceMemory memory_;  // of DagLinks::edges
    ReadyQueues ready_;
};

}  // namespace heddle::executor
