// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <ledger/memory_ledger.hpp>

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include <types/assert.hpp>
#include <types/expected.hpp>

#include "rejection.hpp"

namespace heddle::ledger {
namespace {

/// How far back BLOCKHASH reaches (YP 9.4.2).
constexpr std::size_t kBlockHashDepth = 256;

}  // namespace

MemoryLedger::MemoryLedger(MemoryLedgerOptions options)
    : options_{.header_count = std::max(options.header_count, kBlockHashDepth),
               .keep_blocks = options.keep_blocks} {}

const CommittedBlock& MemoryLedger::initialize(const Genesis& genesis) {
    state_ = MemoryState();
    for (const GenesisAccount& account : genesis.alloc)
        state_.add(account);
    set_tries();
    BlockHeader header = genesis.header;
    header.state_root = root_;
    return start(header, header.difficulty);
}

const CommittedBlock& MemoryLedger::initialize(MemoryState state, const BlockHeader& header,
                                               const Uint256& total_difficulty) {
    state_ = std::move(state);
    set_tries();
    return start(header, total_difficulty);
}

void MemoryLedger::set_tries() {
    trie_ = StateTrie(state_);
    root_ = trie_.root();
    foreseen_.reset();
}

const CommittedBlock& MemoryLedger::start(const BlockHeader& header,
                                          const Uint256& total_difficulty) {
    CommittedBlock first;
    first.header = header;
    first.hash = header_hash(header);
    first.total_difficulty = total_difficulty;
    const std::unique_lock lock{chain_mutex_};
    chain_.clear();
    return chain_.emplace_back(std::move(first));
}

std::expected<Hash, BlockError> MemoryLedger::commit(FinishedBlock block) {
    BlockHeader& header = block.block.header;
    const CommittedBlock& parent = head();
    HEDDLE_CHECK(check_is_child(header, parent.header.number, parent.hash));

    const Hash root = move_tries(block.diff);
    if (block.check_state_root && root != header.state_root) {
        // The flat state is still the old one, so the way back can be read from it; computing it
        // only here keeps it off the path of good blocks.
        const Hash restored = trie_.apply(state_.inverse(block.diff));
        HEDDLE_ASSERT(restored == root_);
        return reject(BlockErrorCode::state_root_mismatch, header.number,
                      to_string(header.state_root), to_string(root));
    }
    state_.apply(block.diff);
    root_ = root;
    header.state_root = root;
    const Hash hash = header_hash(header);
    append(std::move(block), hash);
    return root;
}

void MemoryLedger::foresee(const Hash& parent, const StateDiff& diff) {
    drop_foreseen();
    if (head().hash != parent) return;
    (void)trie_.apply(diff);
    foreseen_ = diff;
}

void MemoryLedger::drop_foreseen() {
    if (!foreseen_.has_value()) return;
    const Hash restored = trie_.apply(state_.inverse(*foreseen_));
    HEDDLE_ASSERT(restored == root_);
    foreseen_.reset();
}

Hash MemoryLedger::move_tries(const StateDiff& diff) {
    if (foreseen_ == diff) {
        foreseen_.reset();
        return trie_.root();
    }
    drop_foreseen();
    return trie_.apply(diff);
}

Hash MemoryLedger::state_root_with(const StateDiff& diff) {
    drop_foreseen();
    const Hash root = trie_.apply(diff);
    const Hash restored = trie_.apply(state_.inverse(diff));
    HEDDLE_ASSERT(restored == root_);
    return root;
}

void MemoryLedger::append(FinishedBlock block, const Hash& hash) {
    CommittedBlock committed;
    committed.total_difficulty = head().total_difficulty + block.block.header.difficulty;
    committed.header = std::move(block.block.header);
    committed.hash = hash;
    if (options_.keep_blocks) {
        committed.transactions = std::move(block.block.transactions);
        committed.ommers = std::move(block.block.ommers);
        committed.withdrawals = std::move(block.block.withdrawals);
        committed.receipts = std::move(block.receipts);
    }
    const std::unique_lock lock{chain_mutex_};
    chain_.push_back(std::move(committed));
    if (!options_.keep_blocks && chain_.size() > options_.header_count + 1) chain_.pop_front();
}

const CommittedBlock& MemoryLedger::head() const noexcept {
    HEDDLE_ASSERT(!chain_.empty());
    return chain_.back();
}

const CommittedBlock* MemoryLedger::block(std::uint64_t number) const noexcept {
    if (chain_.empty() || number < chain_.front().header.number) return nullptr;
    const std::uint64_t position = number - chain_.front().header.number;
    return position < chain_.size() ? &chain_[position] : nullptr;
}

Hash MemoryLedger::block_hash(std::uint64_t number) const noexcept {
    const std::shared_lock lock{chain_mutex_};
    const CommittedBlock* found = block(number);
    HEDDLE_ASSERT(found != nullptr);
    return found->hash;
}

}  // namespace heddle::ledger
