// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/queries/removed_logs.hpp"

#include <utility>

#include "logging/log.hpp"

namespace heddle::node::rpc {

void warn_of_lost_logs(std::uint64_t first) {
    logger(Component::rpc)
        .warn("logs of blocks from {} on, which are taken back, are more than can be told of",
              first);
}

RemovedLogs read_removed_logs(const Chain& chain, const BlockSpan& blocks, std::size_t most_bytes,
                              const std::function<bool(const BlockHeader&)>& is_wanted) {
    RemovedLogs removed{.first = blocks.first, .blocks = {}, .bytes = 0};
    for (std::uint64_t number = blocks.first; number <= blocks.last; ++number) {
        const auto header = chain.header(number);
        if (!header.has_value() || !header->has_value()) continue;
        if ((*header)->header.logs_bloom == LogsBloom{} || !is_wanted((*header)->header)) continue;
        const auto block = chain.stored_block(number);
        if (!block.has_value() || !*block) continue;
        SharedBlockLogs logs = make_block_logs(**block, true);
        if (removed.bytes + logs->bytes > most_bytes) {
            warn_of_lost_logs(number);
            break;
        }
        removed.bytes += logs->bytes;
        removed.blocks.push_back(std::move(logs));
    }
    return removed;
}

}  // namespace heddle::node::rpc
