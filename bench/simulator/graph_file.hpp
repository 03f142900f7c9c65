// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// DAGs with costs as files: CSV to be read again, here or by a spreadsheet, JSON for other
// programs. CSV has the columns block,index,cost_ns,gas_used,waits_for, the last with indices apart
// by spaces.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include <executor/block_graph.hpp>

namespace heddle::bench {

/// One block as it was measured.
struct BlockCosts {
    std::uint64_t number = 0;
    std::vector<std::uint64_t> gas_used;  // by transaction
    executor::BlockGraph graph;           // costs in nanoseconds
};

[[nodiscard]] std::string to_csv(const std::vector<BlockCosts>& blocks);
[[nodiscard]] std::string to_json(const std::vector<BlockCosts>& blocks);

/// Of what the graph holds, only costs, edges and total and critical cost are there.
/// Errors: a message that names the line.
[[nodiscard]] std::expected<std::vector<BlockCosts>, std::string> from_csv(const std::string& text);

}  // namespace heddle::bench
