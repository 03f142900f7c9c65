// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the transactions of past blocks paid, read once for all who ask: wallets ask for the same
// blocks again with each new head, and a block is dear to read for the few numbers that they need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <types/block.hpp>
#include <types/uint256.hpp>

#include "chain/chain.hpp"

namespace heddle::node::rpc {

/// What one transaction paid.
struct PaidGas {
    Uint256 tip;            // wei per gas, to the proposer
    std::uint64_t gas = 0;  // used
};

/// What was paid in a block. Immutable.
struct BlockFees {
    BlockHeader header;
    std::vector<PaidGas> paid;  // by tip, ascending

    /// The tip at which the cheapest gas of the block, up to this share of what it used, was
    /// bought, as geth has it; zero of a block without transactions.
    [[nodiscard]] Uint256 tip_at(double percentile) const;
};
/// Shared by the cache and whoever is answering.
using SharedBlockFees = std::shared_ptr<const BlockFees>;

[[nodiscard]] BlockFees fees_of(const Block& block, const std::vector<Receipt>& receipts);

/// The ones used last. Thread safety: any.
class BlockFeesCache {
public:
    /// @param max_bytes  Of the blocks together, roughly; one is kept whatever its size.
    BlockFeesCache(const Chain& chain, std::size_t max_bytes)
        : chain_(chain), max_bytes_(max_bytes) {}

    /// Of block `number`. Null: it is not kept here. Errors: RpcError internal_error.
    [[nodiscard]] SharedBlockFees get(std::uint64_t number);
    /// How many blocks were read because nobody had asked for them lately.
    [[nodiscard]] std::uint64_t read_count() const;
    [[nodiscard]] std::size_t kept_bytes() const {
        const std::scoped_lock lock{mutex_};
        return bytes_;
    }

private:
    struct Entry {
        std::uint64_t number = 0;
        SharedBlockFees fees;
    };
    using Entries = std::list<Entry>;

    [[nodiscard]] SharedBlockFees find(std::uint64_t number, std::uint64_t rewinds);
    void add(std::uint64_t number, const SharedBlockFees& fees, std::uint64_t rewinds);

    const Chain& chain_;
    const std::size_t max_bytes_;
    mutable std::mutex mutex_;
    // All of it guarded by mutex_:
    std::uint64_t rewinds_ = 0;  // Chain::rewind_count() that the entries belong to
    std::uint64_t read_count_ = 0;
    std::size_t bytes_ = 0;
    Entries entries_;  // the one used last first
    std::unordered_map<std::uint64_t, Entries::iterator> by_number_;
};

}  // namespace heddle::node::rpc
