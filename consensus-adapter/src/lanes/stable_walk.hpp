// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// One walk over what is new at a cut, against the edges: it finds what is stable, its strongly
// connected components and an order of them (Tarjan, "Depth-first search and linear graph
// algorithms", 1972), without recursion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <consensus_adapter/lanes/merger.hpp>

#include "lanes/graph.hpp"
#include "lanes/link_pool.hpp"

namespace heddle::consensus_adapter::lanes {

/// Thread safety: none. One for all cuts; memory is kept.
class StableWalk {
public:
    StableWalk(Graph& graph, MergeWork& work) : graph_(graph), work_(work) {}

    /// Forgets the components of the cut before.
    void begin();
    /// Walks from a vertex that is `fresh` and was not walked to: it is `stable` or `waiting`
    /// then, with all that was met on the way.
    void visit(std::uint32_t slot);
    /// Whether a walk that ended at something incomplete had closed components on its way: then
    /// they stand where they would not, had it been known what is stable.
    [[nodiscard]] bool is_out_of_order() const noexcept { return is_out_of_order_; }
    /// Makes what is stable `fresh` again, to be walked once more.
    void take_back();

    /// Members of a component lie behind each other, components in order.
    [[nodiscard]] std::span<std::uint32_t> members() noexcept { return members_; }
    /// Where in members() components end.
    [[nodiscard]] std::span<const std::size_t> ends() const noexcept { return ends_; }
    /// What hangs on something now and did not before, ever.
    [[nodiscard]] std::vector<VertexLink>& new_waiters() noexcept { return new_waiters_; }
    [[nodiscard]] std::size_t stable_weight() const noexcept { return stable_weight_; }

private:
    struct Frame {
        std::uint32_t slot = kNone;
        LinkCursor edge;
    };
    [[nodiscard]] bool close_alone(std::uint32_t slot, LinkCursor& edge);
    void enter(std::uint32_t slot);
    void leave();
    void close(std::uint32_t root_visit);
    void hang_all_on(std::uint32_t slot);

    Graph& graph_;
    MergeWork& work_;
    std::vector<Frame> frames_;
    std::vector<std::uint32_t> open_;  // walked to, component not closed (Tarjan's stack)
    std::vector<std::uint32_t> members_;
    std::vector<std::size_t> ends_;
    std::vector<VertexLink> new_waiters_;
    std::uint32_t visits_ = 0;
    std::size_t stable_weight_ = 0;
    bool is_out_of_order_ = false;
};

}  // namespace heddle::consensus_adapter::lanes
