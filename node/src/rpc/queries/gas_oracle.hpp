// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What to pay for the next blocks, seen from what the last ones were paid.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include <types/hash.hpp>
#include <types/uint256.hpp>

#include "chain/chain.hpp"

namespace heddle::node::rpc {

/// Suggests a priority fee as geth does: of the cheapest transactions of the last blocks, one in
/// the upper half. Thread safety: any.
class GasOracle {
public:
    explicit GasOracle(const Chain& chain) : chain_(chain) {}

    /// In wei. Computed once for each head, from blocks that may have to be read: who is in a
    /// hurry leaves that to others (ReadScope), and what is returned means nothing. Errors:
    /// RpcError.
    [[nodiscard]] Uint256 priority_fee();

private:
    /// What is looked at of one block.
    struct Sample {
        Hash hash;
        Hash parent;
        std::vector<Uint256> tips;
    };

    /// nullopt: a block was not in memory, and is left to who has more time.
    [[nodiscard]] std::optional<Uint256> compute(const SharedBlock& head, const Uint256& last);
    /// Of the block of that number and hash. nullptr: it is not kept.
    [[nodiscard]] const Sample* sample(std::uint64_t number, const Hash& hash);

    const Chain& chain_;
    std::mutex mutex_;
    // Guarded by mutex_:
    std::map<std::uint64_t, Sample> samples_;  // of the newest blocks, by number
    Hash head_hash_;
    Uint256 fee_;  // at that head; zero before the first
};

/// What a transaction pays the proposer per gas, in wei; zero where it does not cover the base fee.
[[nodiscard]] Uint256 effective_tip(const Transaction& tx, const Uint256& base_fee_per_gas);

}  // namespace heddle::node::rpc
