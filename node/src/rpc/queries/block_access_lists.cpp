// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/queries/block_access_lists.hpp"

namespace heddle::node::rpc {

std::optional<Bytes> find_access_list(const Chain& chain, const BlockSelector& selector) {
    const auto block = find_block(chain, selector);
    if (!block.has_value() || block->is_pending) return std::nullopt;
    const BlockHeader& header = block->header.header;
    if (!header.block_access_list_hash.has_value())
        throw RpcError(Code::not_found, "Resource not found");
    // Nothing is executed in the first block: its list is empty and kept nowhere.
    if (header.number == 0) return Bytes{0xc0};
    auto list = take(chain.ledger().access_list(header.number));
    if (!list.has_value()) throw RpcError(kPrunedHistory, "Pruned history unavailable");
    return list;
}

}  // namespace heddle::node::rpc
