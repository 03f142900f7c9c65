// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/queries/removed_logs.hpp"

#include "logging/log.hpp"

namespace heddle::node::rpc {

RemovedLogs read_removed_logs(const Chain& chain, const BlockSpan& blocks,
                              const std::function<bool(const BlockHeader&)>& is_wanted) {
    RemovedLogs removed{.first = blocks.first, .blocks = {}, .bytes = 0};
    for (std::uint64_t number = blocks.first; number <= blocks.last; ++number) {
        const auto header = chain.header(number);
        if (!header.has_value() || !header->has_value()) continue;
        if ((*header)->header.logs_bloom == LogsBloom{} || !is_wanted((*header)->header)) continue;
        if (removed.bytes > RemovedLogs::kMaxBytes) {
            logger(Component::rpc)
                .warn("logs of blocks {} to {}, which are taken back, are more than can be told of",
                      number, blocks.last);
            break;
        }
        const auto block = chain.stored_block(number);
        if (!block.has_value() || !*block) continue;
        removed.blocks.push_back(make_block_logs(**block, true));
        removed.bytes += removed.blocks.back()->bytes;
    }
    return removed;
}

}  // namespace heddle::node::rpc
