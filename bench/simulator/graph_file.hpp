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
#include <optional>
#include <string>
#include <vector>

#include <executor/block_graph.hpp>

namespace heddle::bench {

/// A whole block on one core, in nanoseconds.
struct ListedCosts {
    std::uint64_t serial = 0;   // one transaction after the other, without a list
    std::uint64_t listed = 0;   // from the list, each transaction compared with it
    std::uint64_t prepare = 0;  // of that, before the first transaction: decode, check, place
};

/// One block as it was measured.
struct BlockCosts {
    std::uint64_t number = 0;
    std::vector<std::uint64_t> gas_used;  // by transaction
    executor::BlockGraph graph;           // costs in nanoseconds
    std::optional<ListedCosts> listed{};  // not in files
};

[[nodiscard]] std::string to_csv(const std::vector<BlockCosts>& blocks);
[[nodiscard]] std::string to_json(const std::vector<BlockCosts>& blocks);

/// Of what the graph holds, only costs, edges and total and critical cost are there.
/// Errors: a message that names the line.
[[nodiscard]] std::expected<std::vector<BlockCosts>, std::string> from_csv(const std::string& text);

}  // namespace heddle::bench
