// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A committed transaction by who sent it and as which: found by nonces of past states, without an
// index.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "chain/chain.hpp"
#include "rpc/envelope/method.hpp"

namespace heddle::node::rpc {

struct SentTransaction {
    SharedServedBlock block;
    std::size_t index = 0;
};

/// The first block from which on `is_so` holds of the state after it, where it holds at the head;
/// nullopt: it does not, or did so already in the oldest state that is kept.
/// Errors: RpcError timed_out, server_error.
template <typename IsSo>
[[nodiscard]] std::optional<std::uint64_t> first_block_with(const Chain& chain, const Call& call,
                                                            IsSo is_so) {
    const auto holds = [&](std::uint64_t number) {
        const auto state = chain.shared_state_at(number);
        if (!state.has_value())
            throw RpcError(Code::server_error, ledger::to_string(state.error()));
        return is_so(static_cast<const StateView&>(**state));
    };
    std::uint64_t last = chain.head_block()->block.header.number;
    std::uint64_t first = std::max(chain.ledger().first_state(), chain.ledger().first_block());
    if (!holds(last) || holds(first)) return std::nullopt;
    while (last - first > 1) {
        call.check_deadline();
        const std::uint64_t middle = first + (last - first) / 2;
        (holds(middle) ? last : first) = middle;
    }
    return last;
}

/// nullopt: there is none, or it lies before the states that are kept. Nonces only grow, but for
/// accounts that were destroyed.
[[nodiscard]] std::optional<SentTransaction> find_by_sender(const Chain& chain,
                                                            const Address& sender,
                                                            std::uint64_t nonce, const Call& call);

}  // namespace heddle::node::rpc
