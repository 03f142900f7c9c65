// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "late/shared_graph.hpp"

#include <algorithm>
#include <mutex>

namespace heddle::executor {
namespace {

using Lock = std::lock_guard<StreamAtomics::Mutex>;

}  // namespace

// --- With a lock ---------------------------------------------------------------------------------

void LockedGraph::enter(std::uint64_t position, std::uint64_t gas) {
    const Lock lock(mutex_);
    Node& node = nodes_.make(position);
    node.position = position;
    node.gas = gas;
    node.edges = 0;
    for (Side* const side : {&node.complete, &node.commit}) {
        // Where the stream was given up it has not passed, and so was not noted.
        if (!side->has_passed) memory_.note(side->waiting);
        memory_.clear(side->waiting);
        side->has_passed = false;
    }
}

std::size_t LockedGraph::connect(std::uint64_t position, std::span<const GraphWait> waits) {
    {
        const Lock lock(mutex_);
        Node& node = nodes_.at(position);
        for (const GraphWait& wait : waits) {
            Side& side = side_of(nodes_.at(wait.position), wait.event);
            if (side.has_passed) continue;
            side.waiting.push_back(position);
            ++node.edges;
        }
        if (node.edges != 0) return node.edges;
        make_ready(node);
    }
    parking_.notify_any();
    return 0;
}

void LockedGraph::make_ready(const Node& node) {
    ready_.push_back({node.position, node.gas});
    ready_count_.store(ready_.size(), std::memory_order_seq_cst);
}

void LockedGraph::pass(unsigned /*worker*/, std::uint64_t position, DagNode::Event event) {
    std::size_t woken = 0;
    {
        const Lock lock(mutex_);
        Side& side = side_of(nodes_.at(position), event);
        side.has_passed = true;
        for (const std::uint64_t successor : side.waiting) {
            Node& node = nodes_.at(successor);
            if (--node.edges != 0) continue;
            make_ready(node);
            ++woken;
        }
        memory_.note(side.waiting);
    }
    for (; woken != 0; --woken)
        parking_.notify_any();
}

bool LockedGraph::is_awaited(std::uint64_t position, DagNode::Event event) {
    const Lock lock(mutex_);
    return !side_of(nodes_.at(position), event).waiting.empty();
}

ReadyBundle LockedGraph::take(unsigned /*worker*/, std::span<ReadyItem> items) {
    if (ready_count() == 0) return {};
    const Lock lock(mutex_);
    const std::size_t most = std::min(items.size(), (ready_.size() + 1) / 2);
    std::size_t count = 0;
    std::uint64_t gas = 0;
    while (count < most) {
        gas += ready_.front().gas;
        if (count != 0 && gas > kMaxTakenGas) break;
        items[count++] = ready_.front();
        ready_.pop_front();
    }
    ready_count_.store(ready_.size(), std::memory_order_seq_cst);
    return {count, false};
}

// --- Without locks -------------------------------------------------------------------------------

void LockFreeGraph::enter(std::uint64_t position, std::uint64_t gas) {
    DagLinks& links = links_.make(position);
    links.reset();
    links.position = position;
    links.gas = gas;
}

std::size_t LockFreeGraph::connect(std::uint64_t position, std::span<const GraphWait> waits) {
    DagLinks& links = links_.at(position);
    const ReadyItem item{links.position, links.gas};
    // Room for all at once: an edge must not move once it is in a stack.
    memory_.clear(links.edges);
    links.edges.reserve(waits.size());
    memory_.note(links.edges);
    std::uint32_t count = 0;
    for (const GraphWait& wait : waits) {
        DagNode::Edge& edge = links.edges.emplace_back(&links);
        if (links_.at(wait.position).add_successor(wait.event, edge))
            ++count;
        else
            links.edges.pop_back();
    }
    if (!links.release_hold(count)) return count;
    ready_.push_dispatched(item);
    return 0;
}

void LockFreeGraph::pass(unsigned worker, std::uint64_t position, DagNode::Event event) {
    links_.at(position).close(event, [&](DagNode& node) {
        const auto& successor = static_cast<DagLinks&>(node);
        ready_.push(worker, {successor.position, successor.gas});
    });
}

bool LockFreeGraph::is_awaited(std::uint64_t position, DagNode::Event event) {
    return links_.at(position).is_awaited(event);
}

ReadyBundle LockFreeGraph::take(unsigned worker, std::span<ReadyItem> items) {
    // The paper's workers take what the graph gives them, wherever that is.
    return ready_.take(worker, items, kMaxTakenGas, ReadyQueue::kNoPosition);
}

}  // namespace heddle::executor
