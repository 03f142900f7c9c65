// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The executor's own scheme with the face of DoraddDispatcher: records of objects that only the
// dispatcher sees, and nodes that wake their successors. Made of the executor's headers; what is
// here is the ring of nodes around them, and for comparison what it would be without the filter of
// predecessors.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <dag/dag_node.hpp>
#include <dag/object_records.hpp>
#include <dag/predecessor_filter.hpp>

#include "machine.hpp"

namespace heddle::bench {

/// The executor's, all made at once.
class ExecutorRecords : public executor::ObjectRecords {
public:
    explicit ExecutorRecords(std::size_t objects) {
        if (objects != 0) prefetch(static_cast<std::uint32_t>(objects - 1));
    }
};

/// Has the face of PredecessorFilter and keeps every edge but those that are there already.
class AllPredecessors {
public:
    explicit AllPredecessors(std::size_t /*window*/) {}

    void begin(std::uint64_t /*position*/) noexcept { waits_.clear(); }
    void add(executor::Predecessors before) {
        const std::uint64_t position = before.commit != 0 ? before.commit : before.complete;
        if (position == 0) return;
        const Wait wait{position, before.commit != 0 ? Event::commit : Event::complete};
        for (const Wait& known : waits_)
            if (known == wait) return;
        waits_.push_back(wait);
    }
    template <typename WaitFor>
    void finish(WaitFor&& wait_for) {
        for (const Wait& wait : waits_)
            wait_for(wait.event, wait.position);
    }

private:
    using Event = executor::DagNode::Event;
    struct Wait {
        std::uint64_t position = 0;
        Event event = Event::complete;
        friend bool operator==(const Wait&, const Wait&) = default;
    };
    std::vector<Wait> waits_;
};

/// Thread safety: dispatch(), prefetch() by the dispatcher; complete() by whoever ran the
/// transaction; commit() in stream order by one thread.
/// Invariant: at most `window` positions are in use, counted from the oldest that is not committed.
template <typename Records, typename Filter>
class BasicDagDispatcher {
public:
    BasicDagDispatcher(std::size_t objects, std::size_t window, std::uint32_t objects_per_tx)
        : mask_(std::bit_ceil(window) - 1),
          objects_per_tx_(objects_per_tx),
          records_(objects),
          filter_(window),
          nodes_(mask_ + 1),
          edges_((mask_ + 1) * objects_per_tx) {}

    void prefetch(std::uint32_t object) { records_.prefetch(object); }

    /// @param watermark  All positions below are committed.
    /// @param writes     So many objects from the front are written, the others read.
    /// @return whether the transaction is ready.
    [[nodiscard]] bool dispatch(std::uint64_t position, std::span<const std::uint32_t> objects,
                                std::uint64_t watermark, std::size_t writes = ~std::size_t{0}) {
        Node& node = nodes_[position & mask_];
        node.reset();
        node.position = position;
        // The other thread had it last.
        prefetch_for_write(&nodes_[(position + kNodesAhead) & mask_]);
        filter_.begin(position);
        for (std::size_t i = 0; i < objects.size(); ++i)
            filter_.add(executor::order(records_[objects[i]],
                                        i < writes ? AccessMode::write : AccessMode::read, position,
                                        watermark));
        Edge* edge = &edges_[(position & mask_) * objects_per_tx_];
        std::uint32_t edge_count = 0;
        filter_.finish([&](Event event, std::uint64_t before) {
            edge->successor = &node;
            if (!nodes_[before & mask_].add_successor(event, *edge)) return;
            ++edge;
            ++edge_count;
        });
        // Without edges nobody else knows the node.
        return edge_count == 0 || node.release_hold(edge_count);
    }

    /// Calls `make_ready(position)` for each transaction that thereby becomes ready.
    template <typename MakeReady>
    void complete(std::uint64_t position, MakeReady&& make_ready) noexcept {
        close(position, Event::complete, make_ready);
    }

    /// Nobody waits for the commit of a transaction that has no deltas.
    void commit(std::uint64_t position) noexcept {
        close(position, Event::commit, [](std::uint64_t) {});
    }

private:
    using Edge = executor::DagNode::Edge;
    using Event = executor::DagNode::Event;
    struct Node : executor::DagNode {
        std::uint64_t position = 0;
    };
    static constexpr std::uint64_t kNodesAhead = 16;

    template <typename MakeReady>
    void close(std::uint64_t position, Event event, MakeReady&& make_ready) noexcept {
        nodes_[position & mask_].close(
            event, [&](executor::DagNode& node) { make_ready(static_cast<Node&>(node).position); });
    }

    const std::size_t mask_;
    const std::uint32_t objects_per_tx_;
    Records records_;
    Filter filter_;
    std::vector<Node> nodes_;
    std::vector<Edge> edges_;
};

/// As the executor is.
using DagDispatcher = BasicDagDispatcher<ExecutorRecords, executor::PredecessorFilter>;
/// With the edges that others imply.
using AllEdgesDispatcher = BasicDagDispatcher<ExecutorRecords, AllPredecessors>;

}  // namespace heddle::bench
