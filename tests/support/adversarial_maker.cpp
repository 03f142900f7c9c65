// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "adversarial_maker.hpp"

#include <utility>

#include <types/assert.hpp>
#include <types/expected.hpp>
#include <vm/block.hpp>
#include <vm/next_header.hpp>

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
    block_ = Block{};
    BlockHeader& header = block_.header;
    header = vm::next_header({headers_.back(), hashes_.hashes.back(), total_difficulty_},
                             {.timestamp = plan.timestamp,
                              .gas_limit = plan.gas_limit,
                              .beneficiary = plan.beneficiary,
                              .extra_data = plan.extra_data,
                              .prev_randao = plan.randomness,
                              .parent_beacon_block_root = plan.randomness,
                              .slot_number = plan.slot_number},
                             config_);
    if (!is_next_merged()) block_.ommers = std::move(plan.ommers);
    if (header.withdrawals_root.has_value()) block_.withdrawals = std::move(plan.withdrawals);
    env_ = vm::make_block_env(header, config_, is_next_merged());
    HEDDLE_ASSERT(execution_
                      .begin({.header = header,
                              .env = env_,
                              .config = config_,
                              .block_hashes = hashes_,
                              .state_root = [this] { return state_.trie.root(); }},
                             state_, evm_)
                      .has_value());
}

std::expected<void, TransactionError> AdversarialMaker::add(Transaction tx) {
    HEDDLE_CHECK(execution_.add(tx, evm_, outcome_));
    block_.transactions.push_back(std::move(tx));
    return {};
}

Block AdversarialMaker::seal() {
    BlockHeader& header = block_.header;
    HEDDLE_ASSERT(execution_.end(vm::ending_of(block_, env_.revision), evm_).has_value());
    vm::fill_body(block_);
    vm::fill(header, execution_.result(), vm::receipts_root(execution_.result().receipts));
    header.state_root = state_.trie.root();
    append_head(header);
    return std::move(block_);
}

}  // namespace heddle::test
