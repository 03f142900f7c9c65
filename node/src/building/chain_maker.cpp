// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Block by block: begin, transactions, seal (YP 12).
#include "building/chain_maker.hpp"

#include <utility>

#include <types/expected.hpp>
#include <types/ordered_root.hpp>
#include <types/rlp.hpp>
#include <vm/block.hpp>
#include <vm/next_header.hpp>
#include <vm/validate.hpp>

namespace heddle::node {
namespace {

ledger::MemoryState load(const std::vector<GenesisAccount>& alloc) {
    ledger::MemoryState state;
    for (const GenesisAccount& account : alloc)
        state.add(account);
    return state;
}

}  // namespace

ChainMaker::ChainMaker(const Genesis& genesis, std::shared_ptr<vm::CodeCache> code_cache)
    : config_(genesis.config),
      state_(load(genesis.alloc)),
      trie_(state_),
      head_(genesis.header),
      builder_(config_, state_, block_hashes_, std::move(code_cache)) {
    head_.state_root = trie_.root();
    block_hashes_.set(head_.number, header_hash(head_));
}

std::expected<void, BlockError> ChainMaker::begin_block(BlockPlan plan) {
    const Hash parent_hash = head_hash();
    BlockHeader header =
        vm::next_header({head_, parent_hash, std::nullopt},
                        {.timestamp = plan.timestamp,
                         .gas_limit = head_.gas_limit,
                         .beneficiary = plan.beneficiary,
                         .extra_data = std::move(plan.extra_data),
                         .prev_randao = plan.prev_randao,
                         .parent_beacon_block_root = plan.parent_beacon_block_root},
                        config_);
    const BlockEnv env = vm::make_block_env(header, config_, true);
    transactions_.clear();
    return builder_.begin(std::move(header), env, std::move(plan.withdrawals));
}

std::expected<void, TransactionError> ChainMaker::add(Transaction tx) {
    HEDDLE_CHECK(builder_.add(tx));
    transactions_.push_back(std::move(tx));
    return {};
}

std::uint64_t ChainMaker::blobs_left() const noexcept {
    return builder_.left().blob_gas / vm::kGasPerBlob;
}

std::expected<Block, BlockError> ChainMaker::seal() {
    HEDDLE_TRY(BlockBuilder::Built built, builder_.finish(std::exchange(transactions_, {})));
    Block& block = built.block;
    block.header.state_root = trie_.apply(built.diff);
    state_.apply(built.diff);

    // Paired check: what was made must pass what replay checks, so that a wrong header never
    // leaves.
    HEDDLE_CHECK(vm::validate_header(block.header, head_, config_, true));
    HEDDLE_CHECK(vm::validate_body(block, {}, config_, true));
    head_ = block.header;
    block_hashes_.set(head_.number, header_hash(head_));
    receipts_ = std::move(built.result.receipts);
    return std::move(block);
}

}  // namespace heddle::node
