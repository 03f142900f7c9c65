// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "tracing/block_replay.hpp"

#include <utility>

#include <types/assert.hpp>
#include <types/expected.hpp>

#include "chain/overwritten_slots.hpp"

namespace heddle::node {
namespace {

std::unexpected<ledger::LedgerError> failed(const BlockError& error) {
    return std::unexpected(ledger::LedgerError{ledger::LedgerErrorCode::invalid,
                                               "to execute the block: " + error.detail});
}

}  // namespace

BlockReplay::BlockReplay(const Chain& chain, SharedBlock block,
                         std::unique_ptr<ledger::PastState> base, Reads* reads)
    : block_(std::move(block)),
      base_(std::move(base)),
      recorded_state_(reads == nullptr ? std::nullopt
                                       : std::make_optional<RecordedState>(*base_, *reads)),
      recorded_hashes_(reads == nullptr
                           ? std::nullopt
                           : std::make_optional<RecordedHashes>(chain.block_hashes(), *reads)),
      state_(recorded_base()),
      env_(chain.env_of({block_->block.header, block_->hash, block_->total_difficulty})),
      // Code that others have read already would not be seen to be read.
      evm_({.code_cache = reads == nullptr ? chain.code_cache() : nullptr}) {}

std::expected<std::unique_ptr<BlockReplay>, ledger::LedgerError> BlockReplay::start(
    const Chain& chain, SharedBlock block, Reads* reads) {
    const BlockHeader& header = block->block.header;
    HEDDLE_ASSERT(header.number != 0);
    HEDDLE_TRY(auto base, chain.state_at(header.number - 1));
    std::unique_ptr<BlockReplay> replay(
        new BlockReplay(chain, std::move(block), std::move(base), reads));
    HEDDLE_CHECK(replay->begin(chain));
    return replay;
}

std::expected<void, ledger::LedgerError> BlockReplay::begin(const Chain& chain) {
    const OverwrittenSlots slots;  // by its system calls
    const BlockHashes& hashes = recorded_hashes_
                                    ? static_cast<const BlockHashes&>(*recorded_hashes_)
                                    : chain.block_hashes();
    const auto begun = execution_.begin({.header = block_->block.header,
                                         .env = env_,
                                         .config = chain.config(),
                                         .block_hashes = hashes,
                                         .access_list = vm::AccessListMaking::never},
                                        state_, evm_);
    if (!begun.has_value()) return failed(begun.error());
    return {};
}

std::expected<void, ledger::LedgerError> BlockReplay::end() {
    HEDDLE_ASSERT(next_ == block_->block.transactions.size());
    const auto ended = execution_.end(vm::ending_of(block_->block, env_.revision), evm_);
    if (!ended.has_value()) return failed(ended.error());
    return {};
}

std::expected<const vm::Outcome*, TransactionError> BlockReplay::execute_next(vm::Evm& evm) {
    const std::vector<Transaction>& transactions = block_->block.transactions;
    HEDDLE_ASSERT(next_ < transactions.size());
    HEDDLE_CHECK(execution_.run(transactions[next_], evm, outcome_));
    return &outcome_;
}

void BlockReplay::finish_next() {
    log_count_ += outcome_.receipt.logs.size();
    execution_.keep(outcome_);
    ++next_;
}

}  // namespace heddle::node
