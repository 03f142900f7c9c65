// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain/block_cache.hpp"

#include <iterator>
#include <utility>

#include <types/block.hpp>
#include <types/bytes.hpp>
#include <types/transaction.hpp>
#include <types/transaction_hashes.hpp>

namespace heddle::node {
namespace {

/// What the block takes in memory, roughly.
std::size_t footprint(const ServedBlock& block) {
    const ledger::StoredBlock& stored = *block.stored;
    std::size_t bytes = sizeof(ServedBlock) + sizeof(ledger::StoredBlock) + 2 * block.size_bytes +
                        stored.block.transactions.size() * (sizeof(Transaction) + sizeof(Hash));
    for (const Receipt& receipt : stored.receipts) {
        bytes += sizeof(Receipt);
        for (const Log& log : receipt.logs)
            bytes += sizeof(Log) + log.data.size();
    }
    return bytes;
}

}  // namespace

SharedServedBlock make_served_block(SharedBlock stored) {
    auto served = std::make_shared<ServedBlock>();
    const Block& block = stored->block;
    served->transaction_hashes = transaction_hashes(block.transactions);
    served->first_log_indices.reserve(stored->receipts.size());
    std::uint32_t log_count = 0;
    for (const Receipt& receipt : stored->receipts) {
        served->first_log_indices.push_back(log_count);
        log_count += static_cast<std::uint32_t>(receipt.logs.size());
    }
    Bytes encoded;
    encode_block(block, encoded);
    served->size_bytes = encoded.size();
    served->stored = std::move(stored);
    return served;
}

SharedServedBlock BlockCache::find(std::uint64_t number) {
    const std::scoped_lock lock{mutex_};
    const auto found = by_number_.find(number);
    if (found == by_number_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return entries_.front().block;
}

std::uint64_t BlockCache::clear_count() {
    const std::scoped_lock lock{mutex_};
    return clear_count_;
}

void BlockCache::add(const SharedServedBlock& block, std::uint64_t clear_count) {
    const std::size_t bytes = footprint(*block);
    Entries dropped;  // freed outside the lock
    const std::scoped_lock lock{mutex_};
    if (clear_count != clear_count_) return;
    const std::uint64_t number = block->stored->block.header.number;
    if (by_number_.contains(number)) return;
    entries_.push_front({block, bytes});
    by_number_.emplace(number, entries_.begin());
    bytes_ += bytes;
    while (bytes_ > max_bytes_ && entries_.size() > 1) {
        bytes_ -= entries_.back().bytes;
        by_number_.erase(entries_.back().block->stored->block.header.number);
        dropped.splice(dropped.begin(), entries_, std::prev(entries_.end()));
    }
}

void BlockCache::clear() {
    Entries dropped;  // freed outside the lock
    const std::scoped_lock lock{mutex_};
    ++clear_count_;
    dropped.swap(entries_);
    by_number_.clear();
    bytes_ = 0;
}

}  // namespace heddle::node
