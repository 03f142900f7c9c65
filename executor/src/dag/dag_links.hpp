// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the DAG knows of each task in flight, beside the task: its node, and what is needed to make
// it ready without touching the task itself.
#pragma once

#include <cstdint>
#include <vector>

#include "dag/dag_node.hpp"
#include "stream/position_ring.hpp"

namespace heddle::executor {

struct alignas(64) DagLinks : DagNode {
    std::uint64_t position = 0;
    std::uint64_t gas = 0;    // the transaction's limit
    std::vector<Edge> edges;  // owned by this task, in the stacks of those before it
};
static_assert(sizeof(DagLinks) == 64 || sizeof(StreamAtomics::Atomic<void*>) != sizeof(void*),
              "one line, of real atomics");

using DagLinkRing = PositionRing<DagLinks>;

}  // namespace heddle::executor
