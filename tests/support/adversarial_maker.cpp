// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "adversarial_maker.hpp"

#include <utility>

#include <types/assert.hpp>
#include <types/expected.hpp>
#include <vm/validate.hpp>

namespace heddle::test {

AdversarialMaker::AdversarialMaker(const Genesis& genesis) : config_(genesis.config) {
    for (const GenesisAccount& account : genesis.alloc)
        state_.flat.add(account);
    state_.trie = ledger::StateTrie(state_.flat);
    BlockHeader header = genesis.header;
    header.state_root = state_.trie.root();
    append_head(header);
}

void AdversarialMaker::append_head(const BlockHeader& header) {
    HEDDLE_ASSERT(header.number == headers_.size());
    headers_.push_back(header);
    hashes_.hashes.push_back(header_hash(header));
    total_difficulty_ += header.difficulty;
}

bool AdversarialMaker::is_next_merged() const noexcept {
    BlockHeader next;
    next.number = headers_.back().number + 1;
    return vm::is_merged(next, total_difficulty_, config_);
}

Revision AdversarialMaker::next_revision(std::uint64_t timestamp) const noexcept {
    return config_.revision(headers_.back().number + 1, timestamp, is_next_merged());
}

void AdversarialMaker::open(AdversarialBlockPlan plan) {
    const BlockHeader& parent = headers_.back();
    const bool is_merged = is_next_merged();
    const Revision revision = next_revision(plan.timestamp);
    block_ = Block{};
    BlockHeader& header = block_.header;
    header.parent_hash = hashes_.hashes.back();
    header.number = parent.number + 1;
    header.timestamp = plan.timestamp;
    header.gas_limit = plan.gas_limit;
    header.beneficiary = plan.beneficiary;
    header.prev_randao = plan.randomness;
    if (!is_merged) {
        block_.ommers = std::move(plan.ommers);
        header.difficulty = vm::next_difficulty(parent, header.number, header.timestamp, config_);
        if (!block_.ommers.empty()) header.ommers_hash = ommers_hash(block_.ommers);
    }
    if (revision >= Revision::london) header.base_fee_per_gas = vm::next_base_fee(parent, config_);
    if (revision >= Revision::shanghai) {
        header.withdrawals_root = vm::withdrawals_root(plan.withdrawals);
        block_.withdrawals = std::move(plan.withdrawals);
    }
    if (revision >= Revision::cancun) {
        header.blob_gas_used = 0;
        header.excess_blob_gas = vm::next_excess_blob_gas(parent, header.timestamp, config_);
        header.parent_beacon_block_root = plan.randomness;
    }
    env_ = vm::make_block_env(header, config_, is_merged);
    receipts_.clear();
    blob_gas_used_ = 0;
    HEDDLE_ASSERT(vm::begin_block(header, env_, config_, hashes_, evm_, state_).has_value());
}

std::expected<void, TransactionError> AdversarialMaker::add(Transaction tx) {
    const vm::BlockGas left{gas_left(), env_.max_blob_gas_per_block - blob_gas_used_};
    HEDDLE_TRY(const vm::ValidTransaction valid, vm::validate(tx, state_, env_, left));
    vm::transition(state_, hashes_, env_, valid, evm_, outcome_);
    state_.apply(outcome_.diff);
    Receipt& receipt = receipts_.emplace_back(std::move(outcome_.receipt));
    block_.header.gas_used += receipt.gas_used;
    receipt.cumulative_gas_used = block_.header.gas_used;
    blob_gas_used_ += valid.blob_gas();
    if (env_.revision < Revision::byzantium) receipt.post_state = state_.trie.root();
    block_.transactions.push_back(std::move(tx));
    return {};
}

Block AdversarialMaker::seal() {
    BlockHeader& header = block_.header;
    const auto requests = vm::end_block(header, block_.ommers, block_.withdrawals, receipts_, env_,
                                        config_, hashes_, evm_, state_);
    HEDDLE_ASSERT(requests.has_value());
    if (env_.revision >= Revision::cancun) header.blob_gas_used = blob_gas_used_;
    if (env_.revision >= Revision::prague) header.requests_hash = vm::requests_hash(*requests);
    header.transactions_root = vm::transactions_root(block_.transactions);
    header.receipts_root = vm::receipts_root(receipts_);
    for (const Receipt& receipt : receipts_)
        header.logs_bloom |= receipt.bloom;
    header.state_root = state_.trie.root();
    append_head(header);
    return std::move(block_);
}

}  // namespace heddle::test
