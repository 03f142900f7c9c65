// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How fast blocks would be verified and kept on cores that nobody need have, from what each stage
// of it takes on one. What comes out is modelled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <executor/block_graph.hpp>

namespace heddle::node::benchmark {

/// Stages of one lane work on a block one after the other; lanes overlap, each on another block.
enum class StageLane : std::uint8_t { senders, execution, order, commit, writing, files };

/// Milliseconds for all blocks.
struct StageCost {
    std::string name;
    StageLane lane = StageLane::execution;
    double total_ms = 0;  // one thread doing all of it
    double alone_ms = 0;  // of that, what no second thread can take a share of
    /// Of execution, instead: the blocks' DAGs, costs in nanoseconds.
    std::vector<executor::BlockGraph> graphs = {};
    unsigned cores_per_thread = 1;
    /// Only where several threads execute.
    bool is_of_parallel = false;
};

/// MODELLED, milliseconds for all blocks.
struct StagePoint {
    unsigned cores = 1;
    std::vector<double> stage_ms;  // by stage
    double all_ms = 0;
    /// What takes as long: this stage's lane (its dearest stage); nullopt: all the cores' time
    /// together.
    std::optional<std::size_t> slowest;
};

/// A stage on `cores` cores that it has to itself: what is alone, and its share of the rest;
/// execution by list scheduling in stream order, block after block. All stages together: the
/// slowest lane, or the time of all of them shared by the cores, whichever is more. Nothing is
/// counted for memory that processors share, for caches, or for waiting between stages.
[[nodiscard]] StagePoint model_stages(std::span<const StageCost> stages, unsigned cores);

/// What the blocks were.
struct StagedBlocks {
    std::string name;
    std::uint64_t blocks = 0;
    std::uint64_t transactions = 0;
    std::uint64_t gas = 0;
    std::uint64_t runs = 0;
};
/// A table of what was measured and of what is modelled: Mgas/s by stage and number of cores.
[[nodiscard]] std::string to_table(const StagedBlocks& blocks, std::span<const StageCost> stages);

}  // namespace heddle::node::benchmark
