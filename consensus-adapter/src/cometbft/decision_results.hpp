// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What became of each item of a decided block, as CometBFT wants to know it: one result for each,
// of which validators agree on code, data and gas.
#pragma once

#include <cstdint>
#include <vector>

#include "cometbft/abci_messages.hpp"
#include "cometbft/block_contents.hpp"

namespace heddle::consensus_adapter::cometbft {

/// Remembers what the results need of the contents, whose transactions the executor takes.
class DecisionResults {
public:
    /// @param contents  Outlives it; its transactions may be gone when write() is called.
    explicit DecisionResults(const BlockContents& contents);

    void write(const FinalizedBlock& block, abci::ResponseFinalizeBlock& response) const;

private:
    const BlockContents& contents_;
    std::vector<std::uint64_t> gas_limits_;  // of the transactions
};

}  // namespace heddle::consensus_adapter::cometbft
