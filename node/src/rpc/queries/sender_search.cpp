// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/queries/sender_search.hpp"

#include "rpc/queries/block_selector.hpp"

namespace heddle::node::rpc {

std::optional<SentTransaction> find_by_sender(const Chain& chain, const Address& sender,
                                              std::uint64_t nonce, const Call& call) {
    const auto number = first_block_with(chain, call, [&](const StateView& state) {
        const auto account = state.account(sender);
        return account.has_value() && account->nonce > nonce;
    });
    if (!number.has_value()) return std::nullopt;
    const SharedServedBlock block = take(chain.served_block(*number));
    if (!block) return std::nullopt;
    const auto& transactions = block->stored->block.transactions;
    for (std::size_t i = 0; i < transactions.size(); ++i)
        if (transactions[i].nonce == nonce && transactions[i].sender == sender)
            return SentTransaction{block, i};
    return std::nullopt;  // it was an authorization, or a creation
}

}  // namespace heddle::node::rpc
