// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Putting another development chain in the place of the one that runs. Who builds chains does it
// (node/src/service); who is asked for it only knows this.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>

namespace heddle::node {

/// What the chain is to be that comes: a fork, or one that forks none.
struct ChainWish {
    std::string source;                  // of a fork, its JSON-RPC; empty: it forks none
    std::optional<std::uint64_t> block;  // of a fork: its fork point; nullopt: the newest block
};

class ChainExchange {
public:
    virtual ~ChainExchange() = default;

    /// Makes that chain, and answers from it what is asked from then on. Calls that have begun are
    /// answered by the chain that there was. May take as long as the source does.
    /// Errors: one sentence on why not; the chain is what it was.
    /// Thread safety: any.
    [[nodiscard]] virtual std::expected<void, std::string> exchange(const ChainWish& wish) = 0;
};

}  // namespace heddle::node
