// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain/block_replay.hpp"

#include <utility>

#include <types/assert.hpp>
#include <types/expected.hpp>
#include <vm/block.hpp>
#include <vm/validate.hpp>

namespace heddle::node {

BlockReplay::BlockReplay(const Chain& chain, SharedBlock block,
                         std::unique_ptr<ledger::PastState> base)
    : chain_(chain),
      block_(std::move(block)),
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
    const auto begun = vm::begin_block(replay->block_->block.header, replay->env_, chain.config(),
                                       chain.block_hashes(), replay->evm_, replay->state_);
    if (!begun.has_value())
        return std::unexpected(ledger::LedgerError{
            ledger::LedgerErrorCode::invalid, "to execute the block: " + begun.error().detail});
    return replay;
}

std::expected<const vm::Outcome*, TransactionError> BlockReplay::execute_next(vm::Evm& evm) {
    const std::vector<Transaction>& transactions = block_->block.transactions;
    HEDDLE_ASSERT(next_ < transactions.size());
    const auto left = [](std::uint64_t limit, std::uint64_t used) {
        return limit > used ? limit - used : 0;
    };
    const vm::BlockGas gas{left(env_.gas_limit, gas_used_),
                           left(env_.max_blob_gas_per_block, blob_gas_used_)};
    const auto valid = vm::validate(transactions[next_], state_, env_, gas);
    if (!valid.has_value()) return std::unexpected(valid.error());
    vm::transition(state_, chain_.block_hashes(), env_, *valid, evm, outcome_);
    return &outcome_;
}

void BlockReplay::finish_next() {
    state_.apply(outcome_.diff);
    gas_used_ += outcome_.receipt.gas_used;
    blob_gas_used_ += outcome_.receipt.blob_gas_used;
    log_count_ += outcome_.receipt.logs.size();
    ++next_;
}

}  // namespace heddle::node
