// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes/stable_walk.hpp"

#include <algorithm>

#include <types/assert.hpp>

namespace heddle::consensus_adapter::lanes {

void StableWalk::begin() {
    members_.clear();
    ends_.clear();
    new_waiters_.clear();
    visits_ = 0;
    stable_weight_ = 0;
    is_out_of_order_ = false;
}

void StableWalk::take_back() {
    for (const std::uint32_t slot : members_) {
        Vertex& vertex = graph_.at(slot);
        vertex.state = VertexState::fresh;
        vertex.visit = 0;
    }
    members_.clear();
    ends_.clear();
    visits_ = 0;
    stable_weight_ = 0;
    is_out_of_order_ = false;
}

void StableWalk::enter(std::uint32_t slot) {
    ++work_.visits;
    Vertex& vertex = graph_.at(slot);
    vertex.visit = vertex.low = ++visits_;
    open_.push_back(slot);
    frames_.push_back({slot, {}});
}

/// What comes after nothing but decided and stable ones is a component alone: so it is with most,
/// and with all of one home that are not walked to from others.
bool StableWalk::close_alone(std::uint32_t slot, LinkCursor& edge) {
    Vertex& vertex = graph_.at(slot);
    LinkCursor next = edge;
    VertexLink link;
    while (graph_.links().next(vertex.edges, next, link)) {
        const Vertex* const from = graph_.find(link);
        if (from != nullptr && from->state != VertexState::stable) return false;
        ++work_.edge_visits;
        edge = next;
    }
    ++work_.visits;
    vertex.state = VertexState::stable;
    stable_weight_ += vertex.weight;
    members_.push_back(slot);
    ends_.push_back(members_.size());
    return true;
}

void StableWalk::visit(std::uint32_t slot) {
    if (graph_.at(slot).state != VertexState::fresh) return;
    LinkCursor walked;
    if (close_alone(slot, walked)) return;
    const std::size_t closed_before = ends_.size();
    enter(slot);
    frames_.back().edge = walked;
    while (!frames_.empty()) {
        Frame& frame = frames_.back();
        VertexLink link;
        if (!graph_.links().next(graph_.at(frame.slot).edges, frame.edge, link)) {
            leave();
            continue;
        }
        ++work_.edge_visits;
        const Vertex* const from = graph_.find(link);
        if (from == nullptr) continue;  // decided by an earlier cut
        switch (from->state) {
            case VertexState::stable:
                break;
            case VertexState::fresh:
                if (from->visit == 0) {
                    enter(link.slot);
                } else {
                    Vertex& vertex = graph_.at(frame.slot);
                    vertex.low = std::min(vertex.low, from->visit);
                }
                break;
            case VertexState::incomplete:
            case VertexState::waiting:
                hang_all_on(from->state == VertexState::waiting ? from->hangs_on : link.slot);
                is_out_of_order_ |= ends_.size() != closed_before;
                return;
            case VertexState::absent:
                HEDDLE_ASSERT(false);
        }
    }
    HEDDLE_ASSERT(open_.empty());
}

void StableWalk::leave() {
    const Vertex& vertex = graph_.at(frames_.back().slot);
    frames_.pop_back();
    if (vertex.low == vertex.visit) {
        close(vertex.visit);
    } else {
        Vertex& parent = graph_.at(frames_.back().slot);
        parent.low = std::min(parent.low, vertex.low);
    }
}

void StableWalk::close(std::uint32_t root_visit) {
    for (bool is_root = false; !is_root;) {
        const std::uint32_t slot = open_.back();
        open_.pop_back();
        Vertex& vertex = graph_.at(slot);
        is_root = vertex.visit == root_visit;
        vertex.state = VertexState::stable;
        stable_weight_ += vertex.weight;
        members_.push_back(slot);
    }
    ends_.push_back(members_.size());
}

/// Everything open reaches the vertex at hand, the way the walk goes, so it comes after what that
/// one comes after.
void StableWalk::hang_all_on(std::uint32_t slot) {
    Vertex& incomplete = graph_.at(slot);
    HEDDLE_ASSERT(incomplete.state == VertexState::incomplete);
    for (const std::uint32_t open : open_) {
        Vertex& vertex = graph_.at(open);
        vertex.state = VertexState::waiting;
        vertex.visit = 0;
        vertex.hangs_on = slot;
        vertex.next_waiter = incomplete.waiters;
        incomplete.waiters = open;
        if (!vertex.has_waited) {
            vertex.has_waited = true;
            new_waiters_.push_back(graph_.link_to(open));
        }
    }
    open_.clear();
    frames_.clear();
}

}  // namespace heddle::consensus_adapter::lanes
