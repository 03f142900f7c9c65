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

template <typename Item, typename Encode>
Hash root_of(const std::vector<Item>& items, Encode encode) {
    std::vector<Bytes> encoded(items.size());
    for (std::size_t i = 0; i < items.size(); ++i)
        encode(items[i], encoded[i]);
    return ordered_root(encoded);
}

}  // namespace

ChainMaker::ChainMaker(const Genesis& genesis)
    : config_(genesis.config),
      state_(load(genesis.alloc)),
      trie_(state_),
      head_(genesis.header),
      overlay_(state_) {
    head_.state_root = trie_.root();
    block_hashes_.set(head_.number, header_hash(head_));
}

std::expected<void, BlockError> ChainMaker::begin_block(BlockPlan plan) {
    header_ = BlockHeader{};
    header_.parent_hash = head_hash();
    header_.number = head_.number + 1;
    header_.timestamp = plan.timestamp;
    header_.gas_limit = head_.gas_limit;
    header_.beneficiary = plan.beneficiary;
    header_.prev_randao = plan.prev_randao;
    header_.extra_data = std::move(plan.extra_data);
    const Revision revision = config_.revision(header_.number, header_.timestamp, true);
    if (revision >= Revision::london) header_.base_fee_per_gas = vm::next_base_fee(head_, config_);
    if (revision >= Revision::cancun) {
        header_.blob_gas_used = 0;
        header_.excess_blob_gas = vm::next_excess_blob_gas(head_, header_.timestamp, config_);
        header_.parent_beacon_block_root = plan.parent_beacon_block_root;
    }
    env_ = vm::make_block_env(header_, config_, true);
    withdrawals_ = std::move(plan.withdrawals);
    transactions_.clear();
    receipts_.clear();
    blob_gas_used_ = 0;
    return vm::begin_block(header_, env_, config_, block_hashes_, evm_, overlay_);
}

std::uint64_t ChainMaker::blobs_left() const noexcept {
    return (env_.max_blob_gas_per_block - blob_gas_used_) / vm::kGasPerBlob;
}

std::expected<void, TransactionError> ChainMaker::add(Transaction tx) {
    const vm::BlockGas left{header_.gas_limit - header_.gas_used,
                            env_.max_blob_gas_per_block - blob_gas_used_};
    HEDDLE_TRY(const vm::ValidTransaction valid, vm::validate(tx, overlay_, env_, left));
    vm::transition(overlay_, block_hashes_, env_, valid, evm_, outcome_);
    overlay_.apply(outcome_.diff);
    blob_gas_used_ += valid.blob_gas();
    header_.gas_used += outcome_.receipt.gas_used;
    outcome_.receipt.cumulative_gas_used = header_.gas_used;
    receipts_.push_back(std::move(outcome_.receipt));
    transactions_.push_back(std::move(tx));
    return {};
}

std::expected<Block, BlockError> ChainMaker::seal() {
    Block block;
    block.transactions = std::move(transactions_);
    transactions_.clear();
    if (env_.revision >= Revision::shanghai) block.withdrawals = std::move(withdrawals_);
    HEDDLE_TRY(const std::vector<Bytes> requests,
               vm::end_block(header_, block.ommers, block.withdrawals, receipts_, env_, config_,
                             block_hashes_, evm_, overlay_));
    if (env_.revision >= Revision::prague) header_.requests_hash = vm::requests_hash(requests);
    if (env_.revision >= Revision::cancun) header_.blob_gas_used = blob_gas_used_;
    fill_roots(block);
    block.header = header_;

    // Paired check: what was made must pass what replay checks, so that a wrong header never
    // leaves.
    HEDDLE_CHECK(vm::validate_header(block.header, head_, config_, true));
    HEDDLE_CHECK(vm::validate_body(block, {}, config_, true));
    head_ = block.header;
    block_hashes_.set(head_.number, header_hash(head_));
    return block;
}

void ChainMaker::fill_roots(const Block& block) {
    header_.transactions_root = root_of(block.transactions, encode_transaction);
    header_.receipts_root = root_of(receipts_, encode_receipt);
    if (block.withdrawals)
        header_.withdrawals_root = root_of(*block.withdrawals, encode_withdrawal);
    for (const Receipt& receipt : receipts_)
        header_.logs_bloom |= receipt.bloom;
    const StateDiff diff = overlay_.take_diff();
    header_.state_root = trie_.apply(diff);
    state_.apply(diff);
}

}  // namespace heddle::node
