// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "building/block_builder.hpp"

#include <utility>

#include <types/assert.hpp>
#include <types/expected.hpp>
#include <vm/block.hpp>
#include <vm/next_header.hpp>

namespace heddle::node {
namespace {

vm::EvmOptions evm_options(std::shared_ptr<vm::CodeCache> code_cache) {
    vm::EvmOptions options;
    options.code_cache = std::move(code_cache);
    options.decode_after_entries = vm::kDecodeAfterEntries;
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
                                                    std::vector<Withdrawal> withdrawals,
                                                    vm::AccessListMaking making) {
    // Of a block that was never finished.
    (void)overlay_.take_diff();
    (void)object_sets_.take();
    block_ = {};
    block_.header = std::move(header);
    if (log_ != nullptr) log_->on_block(block_.header.number);
    if (block_.header.withdrawals_root.has_value()) block_.withdrawals = std::move(withdrawals);
    env_ = env;
    return execution_.begin({.header = block_.header,
                             .env = env_,
                             .config = config_,
                             .block_hashes = block_hashes_,
                             .recorder = &object_sets_,
                             .access_list = making},
                            overlay_, evm_);
}

std::expected<void, TransactionError> BlockBuilder::add(const Transaction& tx) {
    if (log_ == nullptr) return execute(tx);
    executor::ScheduleEvent event{.kind = executor::ScheduleEvent::Kind::in_order,
                                  .index = static_cast<std::uint32_t>(object_sets_.sets().size()),
                                  .block = block_.header.number,
                                  .begin_ns = ExecutionLog::now_ns()};
    HEDDLE_CHECK(execute(tx));
    event.end_ns = ExecutionLog::now_ns();
    log_->on_event(event);
    return {};
}

std::expected<void, TransactionError> BlockBuilder::execute(const Transaction& tx) {
    HEDDLE_CHECK(execution_.run(tx, evm_, outcome_));
    const std::size_t withdrawals = block_.withdrawals.has_value() ? block_.withdrawals->size() : 0;
    if (const auto checked = execution_.check_end(outcome_, withdrawals); !checked.has_value()) {
        execution_.forfeit(outcome_);
        return checked;
    }
    execution_.keep(outcome_);
    return {};
}

std::expected<BlockBuilder::Built, BlockError> BlockBuilder::finish(
    std::vector<Transaction> transactions) {
    HEDDLE_ASSERT(transactions.size() == execution_.result().receipts.size());
    block_.transactions = std::move(transactions);
    HEDDLE_CHECK(execution_.end(vm::ending_of(block_, env_.revision), evm_));
    Built built;
    built.result = execution_.take_result();
    built.object_sets = object_sets_.take();
    built.diff = overlay_.take_diff();
    vm::fill_body(block_);
    vm::fill(block_.header, built.result, vm::receipts_root(built.result.receipts));
    built.block = std::exchange(block_, {});
    return built;
}

}  // namespace heddle::node
