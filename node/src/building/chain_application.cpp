// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "building/chain_application.hpp"

#include <algorithm>
#include <utility>

#include <consensus_adapter/parallel_for.hpp>
#include <types/assert.hpp>
#include <types/expected.hpp>
#include <types/sender_recovery.hpp>
#include <vm/validate.hpp>

#include "building/block_room.hpp"
#include "building/block_stage.hpp"
#include "logging/log.hpp"

namespace heddle::node {
namespace {

using consensus_adapter::BlockId;
using consensus_adapter::BlockPlan;
using consensus_adapter::FinalizedBlock;
using consensus_adapter::OrderedBlock;
using consensus_adapter::Proposal;
using consensus_adapter::ProposalError;
using consensus_adapter::ProposalErrorCode;
using consensus_adapter::Unexecutable;

BlockError storage_failed(std::uint64_t number, const ledger::LedgerError& error) {
    BlockError failure;
    failure.code = BlockErrorCode::storage_failed;
    failure.number = number;
    failure.detail = ledger::to_string(error);
    return failure;
}

/// Bytes that transactions of the decided block may take.
std::size_t room_for(const Chain& chain, const OrderedBlock& block) {
    const ledger::StoredHeader head = chain.kept_head();
    const BlockHeader header = chain.next_header(head, block.start.header.timestamp);
    const std::size_t withdrawals =
        block.start.withdrawals.has_value() ? block.start.withdrawals->size() : 0;
    return room_for_transactions(chain.env_of_next(header, head).revision, withdrawals);
}

/// Whether the block is wrong for some of its transactions, and would be right without them.
bool is_of_transaction(const BlockError& error) {
    return error.transaction.has_value() || error.code == BlockErrorCode::invalid_deposit_layout ||
           error.code == BlockErrorCode::access_list_too_large;
}

}  // namespace

ChainApplication::ChainApplication(Chain& chain, Mempool& mempool, ChainApplicationOptions options)
    : chain_(chain),
      mempool_(mempool),
      maker_(chain, mempool,
             {.executor = options.executor,
              .builder = options.builder,
              .fee_tolerance_percent = options.fee_tolerance_percent,
              .stores_lists = options.stores_lists,
              .executions = options.executions}),
      executes_own_(options.executes_own),
      executions_(options.executions),
      stage_(std::make_unique<BlockStage>(chain, options.stores_lists, options.executions)),
      executor_([&] {
          options.executor.record_sets = true;
          options.executor.make_access_lists = true;
          options.executor.on_choice = [](std::uint64_t number, std::string_view reason) {
              logger(Component::chain).info("block {}: {}", number, reason);
          };
          return executor::make_executor(options.scheduler, std::move(options.executor),
                                         options.executions);
      }()) {
    HEDDLE_ASSERT(executor_ != nullptr);
}

ChainApplication::~ChainApplication() = default;

consensus_adapter::Committed ChainApplication::committed() const {
    const ledger::StoredHeader head = chain_.kept_head();
    consensus_adapter::Committed committed;
    committed.head = {head.header.number, head.hash};
    committed.head_timestamp = head.header.timestamp;
    committed.may_repeat_timestamp = chain_.config().equal_timestamps;
    committed.head_gas_limit = head.header.gas_limit;
    committed.durable_number = chain_.ledger().durable();
    return committed;
}

std::expected<Proposal, BlockError> ChainApplication::prepare(const BlockPlan& plan) {
    return maker_.make(plan);
}

std::expected<void, ProposalError> ChainApplication::process(const BlockPlan& plan,
                                                             Proposal& proposal) {
    if (!proposal.object_sets.empty() &&
        proposal.object_sets.size() != proposal.transactions.size())
        return std::unexpected(ProposalError{ProposalErrorCode::wrong_set_count,
                                             proposal.object_sets.size(),
                                             proposal.transactions.size()});
    const ledger::StoredHeader head = chain_.kept_head();
    if (plan.timestamp < chain_.config().earliest_timestamp(head.header.timestamp))
        return std::unexpected(ProposalError{ProposalErrorCode::early_timestamp, plan.timestamp,
                                             head.header.timestamp});
    const BlockEnv env = chain_.env_of_next(chain_.next_header(head, plan.timestamp), head);
    identify(proposal.transactions);
    const auto invalid = [](std::size_t i, TransactionError error) {
        return std::unexpected(ProposalError{ProposalErrorCode::invalid_transaction, i, 0, error});
    };
    std::size_t bytes = 0;
    // Of a list above it others would leave out what does not fit, and an honest proposer knows.
    const std::size_t room = room_for_transactions(env.revision, plan.withdrawals.size());
    std::size_t taken = 0;
    Bytes encoded;
    for (std::size_t i = 0; i < proposal.transactions.size(); ++i) {
        const Transaction& tx = proposal.transactions[i];
        if (!tx.sender.has_value()) return invalid(i, TransactionError::invalid_signature);
        // Whether it pays enough depends on the block it comes into, as everything that merely
        // keeps it from being executed.
        if (const auto valid = vm::validate_stateless(tx, env);
            !valid.has_value() && valid.error() != TransactionError::max_fee_below_base_fee)
            return invalid(i, valid.error());
        encoded.clear();
        encode_transaction(tx, encoded);
        bytes += encoded.size();
        taken += bytes_in_block(encoded.size(), tx.type);
        if (bytes > plan.max_bytes || taken > room)
            return std::unexpected(
                ProposalError{ProposalErrorCode::too_large, 0, std::min(plan.max_bytes, room)});
    }
    return {};
}

std::vector<Hash> ChainApplication::identify(std::vector<Transaction>& transactions) const {
    std::vector<Hash> hashes(transactions.size());
    consensus_adapter::parallel_for(transactions.size(), 1, [&](std::size_t i) {
        Transaction& tx = transactions[i];
        remember_hash(tx);
        hashes[i] = *tx.hash.value;
        if (tx.sender.has_value()) return;
        if (const SharedTransaction known = mempool_.find(hashes[i])) {
            tx.sender = known->tx.sender;
            tx.authorization_list = known->tx.authorization_list;  // with what is remembered of it
        }
    });
    recover_unknown(transactions);
    return hashes;
}

void ChainApplication::recover_unknown(std::vector<Transaction>& transactions) const {
    UnknownSigners unknown;
    for (Transaction& tx : transactions)
        unknown.add(tx);
    if (unknown.pieces() == 0) return;
    const std::uint64_t began_ns = ExecutionLog::now_ns();
    consensus_adapter::parallel_for(unknown.pieces(), 1,
                                    [&](std::size_t piece) { unknown.recover(piece); });
    if (executions_ != nullptr) executions_->recovered(ExecutionLog::now_ns() - began_ns);
}

std::expected<void, BlockError> ChainApplication::start_executor() {
    if (is_started_) return {};
    const ledger::StoredHeader head = chain_.kept_head();
    auto ancestors = chain_.ledger().ancestors(head.header.number);
    if (!ancestors.has_value())
        return std::unexpected(storage_failed(head.header.number, ancestors.error()));
    executor_->start({chain_.config(), chain_.state(), chain_.block_hashes(), *stage_},
                     {*std::move(ancestors), head.total_difficulty});
    is_started_ = true;
    listed_blocks_ = 0;
    return {};
}

void ChainApplication::drop_stage() {
    stage_->drop();
    is_started_ = false;
}

std::expected<FinalizedBlock, BlockError> ChainApplication::execute(OrderedBlock block) {
    HEDDLE_CHECK(start_executor());
    HEDDLE_CHECK(executor::run(*executor_, std::move(block)));
    auto drained = executor_->drain();
    if (!drained.has_value()) {
        drop_stage();
        return std::unexpected(std::move(drained).error());
    }
    FinalizedBlock finalized = stage_->finalized().value();
    const std::uint64_t listed = drained->stats.parallel.listed_blocks;
    finalized.is_listed = listed != std::exchange(listed_blocks_, listed);
    return finalized;
}

std::expected<FinalizedBlock, BlockError> ChainApplication::stage_built(FinishedBlock built) {
    HEDDLE_CHECK(stage_->commit(std::move(built)));
    is_started_ = false;  // the executor knows nothing of this block
    return stage_->finalized().value();
}

std::expected<FinalizedBlock, BlockError> ChainApplication::finalize(OrderedBlock block,
                                                                     Unexecutable unexecutable) {
    if (stage_->finalized().has_value()) drop_stage();
    const std::vector<Hash> hashes = identify(block.transactions);
    const bool is_own = maker_.has_made(block, hashes);
    if (is_own) maker_.drop_rejected();
    if (!executes_own_ && is_own) {
        stage_->declare(std::move(block.object_sets), std::move(block.start.access_list));
        HEDDLE_TRY(FinishedBlock built, maker_.take(std::move(block.transactions)));
        return stage_built(std::move(built));
    }
    if (unexecutable == Unexecutable::left_out) return execute_some(std::move(block));

    stage_->declare({}, block.start.access_list);
    auto finalized = execute(std::move(block));
    if (finalized.has_value()) {
        finalized->executions = 1;
        return finalized;
    }
    const BlockError& error = finalized.error();
    // The builder and the executor disagree, which is a bug; the chain goes on without it.
    if (is_of_transaction(error) && error.index.has_value() && *error.index < hashes.size())
        mempool_.remove(hashes[*error.index], to_string(error));
    return finalized;
}

std::expected<FinalizedBlock, BlockError> ChainApplication::execute_some(OrderedBlock block) {
    stage_->declare(block.object_sets, block.start.access_list);
    unsigned executions = 0;
    const std::size_t room = room_for(chain_, block);
    const bool has_room = room == kUnboundedRoom || bytes_in_block(block.transactions) <= room;
    if (has_room && std::ranges::all_of(block.transactions, [](const Transaction& tx) {
            return tx.sender.has_value();
        })) {
        ++executions;
        auto whole = execute(block);
        if (whole.has_value()) whole->executions = executions;
        if (whole.has_value() || !is_of_transaction(whole.error())) return whole;
    }
    ++executions;
    // Of a block that there cannot be.
    const bool has_wrong_list = !block.start.access_list.empty();
    HEDDLE_TRY(ProposalMaker::ExecutablePart part, maker_.build_executable(std::move(block), room));
    stage_->declare(std::move(part.declared), {});
    HEDDLE_TRY(FinalizedBlock finalized, stage_built(std::move(part.block)));
    finalized.has_wrong_list = has_wrong_list;
    finalized.left_out = std::move(part.left_out);
    finalized.executions = executions;
    return finalized;
}

void ChainApplication::begin_anew() {
    maker_.begin_anew();
}

void ChainApplication::forget_head() {
    drop_stage();
    maker_.forget();
}

std::expected<BlockId, BlockError> ChainApplication::commit() {
    if (!stage_->finalized().has_value())
        return std::unexpected(out_of_turn(chain_.kept_head().header.number + 1,
                                           "there is no finalized block to commit"));
    mempool_.while_shown([this] { stage_->show(); });
    HEDDLE_CHECK(stage_->acknowledge());
    const SharedBlock head = chain_.kept_head_block();
    mempool_.on_head(*head);
    return BlockId{head->block.header.number, head->hash};
}

}  // namespace heddle::node
