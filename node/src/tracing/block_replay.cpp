// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "tracing/block_replay.hpp"

#include <utility>

#include <types/assert.hpp>
#include <types/expected.hpp>

#include "chain/overwritten_slots.hpp"

namespace heddle::node {

BlockReplay::BlockReplay(const Chain& chain, SharedBlock block,
                         std::unique_ptr<ledger::PastState> base)
    : block_(std::move(block)),
      base_(std::move(base)),
      state_(*base_),
      env_(chain.env_of({block_->block.header, block_->hash, block_->total_difficulty})),
      evm_({.code_cache = chain.code_cache()}) {}

std::expected<std::unique_ptr<BlockReplay>, ledger::LedgerError> BlockReplay::start(
    const Chain& chain, SharedBlock block) {
    const BlockHeader& header = block->block.header;
    HEDDLE_ASSERT(header.number != 0);
    HEDDLE_TRY(auto base, chain.state_at(header.number - 1));
    std::unique_ptr<BlockReplay> replay(new BlockReplay(chain, std::move(block), std::move(base)));
    const OverwrittenSlots slots;  // by its system calls
    const auto begun = replay->execution_.begin({.header = replay->block_->block.header,
                                                 .env = replay->env_,
                                                 .config = chain.config(),
                                                 .block_hashes = chain.block_hashes(),
                                                 .access_list = vm::AccessListMaking::never},
                                                replay->state_, replay->evm_);
    if (!begun.has_value())
        return std::unexpected(ledger::LedgerError{
            ledger::LedgerErrorCode::invalid, "to execute the block: " + begun.error().detail});
    return replay;
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
