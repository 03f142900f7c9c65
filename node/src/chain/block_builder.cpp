// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain/block_builder.hpp"

#include <utility>

#include <types/expected.hpp>
#include <vm/block.hpp>
#include <vm/validate.hpp>

namespace heddle::node {
namespace {

vm::EvmOptions evm_options(std::shared_ptr<vm::CodeCache> code_cache) {
    vm::EvmOptions options;
    options.code_cache = std::move(code_cache);
    options.decode_gas_per_byte = vm::kDecodeGasPerByte;
    options.record_accesses = true;
    return options;
}

}  // namespace

BlockBuilder::BlockBuilder(const ChainConfig& config, const StateView& base,
                           const BlockHashes& block_hashes,
                           std::shared_ptr<vm::CodeCache> code_cache)
    : config_(config),
      block_hashes_(block_hashes),
      evm_(evm_options(std::move(code_cache))),
      overlay_(base) {}

std::expected<void, BlockError> BlockBuilder::begin(BlockHeader header, const BlockEnv& env,
                                                    std::vector<Withdrawal> withdrawals) {
    (void)overlay_.take_diff();  // of a block that was never finished
    header_ = std::move(header);
    header_.gas_used = 0;
    env_ = env;
    withdrawals_ = std::move(withdrawals);
    blob_gas_used_ = 0;
    chosen_ = {};
    receipts_.clear();
    return vm::begin_block(header_, env_, config_, block_hashes_, evm_, overlay_);
}

std::expected<void, TransactionError> BlockBuilder::add(Transaction tx) {
    HEDDLE_TRY(const vm::ValidTransaction valid,
               vm::validate(tx, overlay_, env_, {gas_left(), blob_gas_left()}));
    vm::transition(overlay_, block_hashes_, env_, valid, evm_, outcome_);
    overlay_.apply(outcome_.diff);
    blob_gas_used_ += valid.blob_gas();
    header_.gas_used += outcome_.receipt.gas_used;
    outcome_.receipt.cumulative_gas_used = header_.gas_used;
    receipts_.push_back(std::move(outcome_.receipt));
    chosen_.object_sets.push_back(outcome_.accesses.object_set());
    chosen_.transactions.push_back(std::move(tx));
    return {};
}

BlockBuilder::Chosen BlockBuilder::take_chosen() {
    return std::exchange(chosen_, {});
}

std::expected<BlockBuilder::Built, BlockError> BlockBuilder::finish() {
    Built built;
    built.block.transactions = std::move(chosen_.transactions);
    built.object_sets = std::move(chosen_.object_sets);
    built.receipts = std::move(receipts_);
    chosen_ = {};
    receipts_.clear();
    if (env_.revision >= Revision::shanghai) built.block.withdrawals = std::move(withdrawals_);
    HEDDLE_TRY(built.requests,
               vm::end_block(header_, built.block.ommers, built.block.withdrawals, built.receipts,
                             env_, config_, block_hashes_, evm_, overlay_));
    built.diff = overlay_.take_diff();

    header_.transactions_root = vm::transactions_root(built.block.transactions);
    header_.receipts_root = vm::receipts_root(built.receipts);
    header_.logs_bloom = {};
    for (const Receipt& receipt : built.receipts)
        header_.logs_bloom |= receipt.bloom;
    if (built.block.withdrawals)
        header_.withdrawals_root = vm::withdrawals_root(*built.block.withdrawals);
    if (env_.revision >= Revision::prague)
        header_.requests_hash = vm::requests_hash(built.requests);
    if (env_.revision >= Revision::cancun) header_.blob_gas_used = blob_gas_used_;
    built.block.header = header_;
    return built;
}

}  // namespace heddle::node
