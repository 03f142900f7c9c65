// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Block by block: begin, transactions, seal (YP 12).
#include "chain_maker.hpp"

#include <utility>

#include <types/assert.hpp>
#include <types/expected.hpp>
#include <types/ordered_root.hpp>
#include <types/rlp.hpp>
#include <vm/block.hpp>
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

ChainMaker::ChainMaker(const Genesis& genesis)
    : config_(genesis.config),
      state_(load(genesis.alloc)),
      trie_(state_),
      head_(genesis.header),
      builder_(config_, state_, block_hashes_) {
    head_.state_root = trie_.root();
    block_hashes_.set(head_.number, header_hash(head_));
}

std::expected<void, BlockError> ChainMaker::begin_block(BlockPlan plan) {
    BlockHeader header;
    header.parent_hash = head_hash();
    header.number = head_.number + 1;
    header.timestamp = plan.timestamp;
    header.gas_limit = head_.gas_limit;
    header.beneficiary = plan.beneficiary;
    header.prev_randao = plan.prev_randao;
    header.extra_data = std::move(plan.extra_data);
    const Revision revision = config_.revision(header.number, header.timestamp, true);
    if (revision >= Revision::london) header.base_fee_per_gas = vm::next_base_fee(head_, config_);
    if (revision >= Revision::cancun) {
        header.blob_gas_used = 0;
        header.excess_blob_gas = vm::next_excess_blob_gas(head_, header.timestamp, config_);
        header.parent_beacon_block_root = plan.parent_beacon_block_root;
    }
    const BlockEnv env = vm::make_block_env(header, config_, true);
    return builder_.begin(std::move(header), env, std::move(plan.withdrawals));
}

std::uint64_t ChainMaker::blobs_left() const noexcept {
    return builder_.blob_gas_left() / vm::kGasPerBlob;
}

std::expected<Block, BlockError> ChainMaker::seal() {
    HEDDLE_TRY(BlockBuilder::Built built, builder_.finish());
    Block& block = built.block;
    block.header.state_root = trie_.apply(built.diff);
    state_.apply(built.diff);

    // Paired check: what was made must pass what replay checks, so that a wrong header never
    // leaves.
    HEDDLE_CHECK(vm::validate_header(block.header, head_, config_, true));
    HEDDLE_CHECK(vm::validate_body(block, {}, config_, true));
    head_ = block.header;
    block_hashes_.set(head_.number, header_hash(head_));
    receipts_ = std::move(built.receipts);
    return std::move(block);
}

}  // namespace heddle::node
