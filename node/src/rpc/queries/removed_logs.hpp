// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Logs of blocks that were taken back, for those who were told of them: they are told once more,
// marked as removed, as geth does where its chain is reorganised.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <types/block.hpp>

#include "chain/chain.hpp"
#include "rpc/queries/log_search.hpp"

namespace heddle::node::rpc {

/// Those of the blocks that went at once.
struct RemovedLogs {
    std::uint64_t first = 0;              // the lowest of these blocks
    std::vector<SharedBlockLogs> blocks;  // with logs that somebody may want; ascending
    std::size_t bytes = 0;                // roughly, in memory
};

/// Reads the logs of blocks that are about to be taken back, the lowest first, as far as there is
/// room; what is left out is said in the log of the node.
/// @param most_bytes  What all of them may take in memory.
/// @param is_wanted   Whether somebody may want logs of such a block.
[[nodiscard]] RemovedLogs read_removed_logs(
    const Chain& chain, const BlockSpan& blocks, std::size_t most_bytes,
    const std::function<bool(const BlockHeader&)>& is_wanted);

/// Says in the log of the node that nobody is told of the logs of these blocks.
/// @param first  The lowest of them.
void warn_of_lost_logs(std::uint64_t first);

}  // namespace heddle::node::rpc
