// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks that were asked for lately, with what answering takes again and again. Committed blocks
// never change, so nothing here has to be taken back but on development chains.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <ledger/durable_ledger.hpp>
#include <types/hash.hpp>

namespace heddle::node {

/// A committed block with its receipts; shared by the chain and whoever was told of it.
using SharedBlock = std::shared_ptr<const ledger::StoredBlock>;

/// A committed block, ready for questions. Immutable.
struct ServedBlock {
    SharedBlock stored;  // never null
    std::vector<Hash> transaction_hashes;
    /// Of each transaction: how many logs those before it have.
    std::vector<std::uint32_t> first_log_indices;
    std::size_t size_bytes = 0;  // of the block's RLP
};
/// Shared by the cache and whoever is answering.
using SharedServedBlock = std::shared_ptr<const ServedBlock>;

[[nodiscard]] SharedServedBlock make_served_block(SharedBlock stored);

/// The ones used last. Thread safety: any.
class BlockCache {
public:
    /// @param max_bytes  Of the blocks together, roughly; one is kept whatever its size.
    explicit BlockCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}

    /// Null: it is not here.
    [[nodiscard]] SharedServedBlock find(std::uint64_t number);
    /// Before a block is read that is to be added.
    [[nodiscard]] std::uint64_t clear_count();
    /// Nothing is added where blocks have been taken back since: this may be one of them.
    /// @param clear_count  Of before the block was read.
    void add(const SharedServedBlock& block, std::uint64_t clear_count);
    /// Memory of the blocks, in bytes, roughly.
    [[nodiscard]] std::size_t bytes() const {
        const std::scoped_lock lock{mutex_};
        return bytes_;
    }
    /// Blocks have been taken back, and who reads now does not find them.
    void clear();

private:
    struct Entry {
        SharedServedBlock block;
        std::size_t bytes = 0;
    };
    using Entries = std::list<Entry>;

    const std::size_t max_bytes_;
    mutable std::mutex mutex_;
    // All of it guarded by mutex_:
    std::uint64_t clear_count_ = 0;
    std::size_t bytes_ = 0;
    Entries entries_;  // the one used last first
    std::unordered_map<std::uint64_t, Entries::iterator> by_number_;
};

}  // namespace heddle::node
