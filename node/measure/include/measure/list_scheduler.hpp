// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Predicts how long a block's DAG takes on a number of cores that nobody need have: list
// scheduling, without the cost of scheduling itself, of memory or of commit. What it says is
// modelled, not measured, and is called so wherever it is shown.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <executor/block_graph.hpp>

namespace heddle::measure {

/// Which ready transaction a free core takes.
enum class Priority : std::uint8_t {
    stream_order,  // the oldest
    longest_path,  // the one that most work must wait for, along one chain
};
[[nodiscard]] std::string_view to_string(Priority priority) noexcept;

struct Schedule {
    std::uint64_t makespan = 0;         // in the unit of the costs
    std::vector<std::uint64_t> starts;  // by transaction
};

/// A core is never idle while a transaction is ready.
/// @param cores  At least one.
/// Complexity: O((n + edges) · log n).
[[nodiscard]] Schedule schedule(const executor::BlockGraph& graph, unsigned cores,
                                Priority priority);

}  // namespace heddle::measure
