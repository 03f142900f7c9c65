// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "building/chain_application.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <consensus_adapter/block_rules.hpp>
#include <consensus_adapter/parallel_for.hpp>
#include <executor/schedule_observer.hpp>
#include <types/assert.hpp>
#include <types/expected.hpp>
#include <types/transaction_error.hpp>
#include <vm/block.hpp>
#include <vm/next_header.hpp>
#include <vm/validate.hpp>

#include "building/block_room.hpp"
#include "building/block_stage.hpp"
#include "building/pooled_candidates.hpp"
#include "chain/overwritten_slots.hpp"
#include "logging/log.hpp"

namespace heddle::node {
namespace {

using consensus_adapter::BlockId;
using consensus_adapter::BlockPlan;
using consensus_adapter::FinalizedBlock;
using consensus_adapter::LeftOut;
using consensus_adapter::OrderedBlock;
using consensus_adapter::Proposal;
using consensus_adapter::Unexecutable;

/// Transactions that do not fit a nearly full block before no more are tried.
constexpr unsigned kMaxMisfits = 50;

BlockError storage_failed(std::uint64_t number, const ledger::LedgerError& error) {
    BlockError failure;
    failure.code = BlockErrorCode::storage_failed;
    failure.number = number;
    failure.detail = ledger::to_string(error);
    return failure;
}

BlockError out_of_turn(std::uint64_t number, std::string detail) {
    BlockError failure;
    failure.code = BlockErrorCode::execution_halted;
    failure.number = number;
    failure.detail = std::move(detail);
    return failure;
}

/// Whether any transaction may still fit.
/// @param least_gas  What every transaction costs.
bool has_room(const vm::BlockGas& left, std::uint64_t least_gas) {
    return left.gas >= least_gas && left.state_gas >= least_gas;
}

/// Of the transactions of a proposal.
std::size_t most_bytes(const BlockPlan& plan, const BlockEnv& env) {
    return std::min(plan.max_bytes, room_for_transactions(env.revision, plan.withdrawals.size()));
}

std::unique_ptr<executor::BlockBuilding> make_building(const Chain& chain,
                                                       const ChainApplicationOptions& options) {
    if (options.builder == Builder::serial) return nullptr;
    executor::BuildOptions building;
    building.executor = options.executor;
    building.executor.code_cache = chain.code_cache();
    building.fee_tolerance_percent = options.fee_tolerance_percent;
    return executor::make_block_building({chain.config(), chain.state(), chain.block_hashes()},
                                         std::move(building), options.executions);
}

FinishedBlock finished_of(BlockBuilder::Built built) {
    FinishedBlock finished;
    finished.block = std::move(built.block);
    finished.receipts = std::move(built.result.receipts);
    finished.diff = std::move(built.diff);
    finished.object_sets = std::move(built.object_sets);
    if (built.result.access_list.has_value())
        finished.access_list = std::move(built.result.access_list->encoded);
    finished.check_state_root = false;
    return finished;
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
      builder_(chain.config(), chain.state(), chain.block_hashes(), chain.code_cache()),
      make_building_([&chain, building = options] { return make_building(chain, building); }),
      building_(make_building_()),
      reading_evm_({.code_cache = chain.code_cache()}),
      stores_lists_(options.stores_lists),
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
    builder_.watch(executions_);
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

BlockHeader ChainApplication::open_header(const BlockHeader& given,
                                          const ledger::StoredHeader& head) const {
    BlockHeader header = vm::next_header({head.header, head.hash, head.total_difficulty},
                                         vm::attributes_of(given), chain_.config());
    if (given.base_fee_per_gas.has_value()) header.base_fee_per_gas = given.base_fee_per_gas;
    return header;
}

std::expected<Proposal, BlockError> ChainApplication::prepare(const BlockPlan& plan) {
    const ledger::StoredHeader head = chain_.kept_head();
    BlockHeader header = open_header(consensus_adapter::block_start(plan).header, head);
    const BlockEnv env = chain_.env_of_next(header, head);
    prepared_.reset();
    // What the block reads besides its transactions' values; it must not be made of anything else.
    const ReadScope reads;
    auto proposal = building_ != nullptr ? prepare_in_parallel(plan, env, std::move(header))
                                         : prepare_in_order(plan, env, std::move(header));
    if (reads.has_failed()) {
        prepared_.reset();
        return std::unexpected(out_of_turn(head.header.number + 1, reads.failure()));
    }
    if (!proposal.has_value() || !plan.wants_access_list) return proposal;
    // What comes after the transactions is in the list as well.
    auto built = finish_prepared(proposal->transactions);
    if (!built.has_value()) {
        prepared_.reset();
        return std::unexpected(std::move(built).error());
    }
    proposal->access_list = built->access_list;
    prepared_->built = *std::move(built);
    return proposal;
}

std::expected<Proposal, BlockError> ChainApplication::prepare_in_order(const BlockPlan& plan,
                                                                       const BlockEnv& env,
                                                                       BlockHeader header) {
    {
        const OverwrittenSlots slots;  // by its system calls
        HEDDLE_CHECK(
            builder_.begin(header, env, plan.withdrawals, list_making(plan.wants_access_list)));
    }
    Prepared prepared{std::move(header), plan.withdrawals, {}, {}, {}, {}};
    Proposal proposal;
    const auto best = mempool_.choose(env.base_fee_per_gas, env.blob_base_fee);
    const std::size_t max_bytes = most_bytes(plan, env);
    std::size_t bytes = 0;
    unsigned misfits = 0;
    const auto count_misfit = [&] {
        if (executor::is_nearly_full(builder_.left().most(env.revision), env.gas_limit) ||
            executor::is_nearly_full(max_bytes - bytes, max_bytes))
            ++misfits;
    };
    std::string unreadable;
    bool is_empty_checked = false;
    const std::uint64_t least_gas = vm::intrinsic_costs(env.revision).transaction;
    while (has_room(builder_.left(), least_gas) && misfits < kMaxMisfits) {
        const SharedTransaction candidate = best->next();
        if (!candidate) break;
        const std::size_t size = size_in_block(*candidate);
        if (bytes + size > max_bytes) {
            best->skip_sender();
            count_misfit();
            continue;
        }
        if (const auto read = read_ahead(candidate->tx); !read.has_value()) {
            unreadable =
                fmt::format("transaction {} waits: {}", to_string(candidate->hash), read.error());
            logger(Component::chain).warn("{}", unreadable);
            best->skip_sender();
            ++misfits;
            continue;
        }
        const auto added = builder_.add(candidate->tx);
        if (added.has_value()) {
            bytes += size;
            proposal.transactions.push_back(candidate->tx);
            prepared.transactions.push_back(candidate->hash);
            continue;
        }
        best->skip_sender();
        // What does not fit into a block of its own fits into none.
        const bool fits_nowhere =
            added.error() == TransactionError::access_list_full && proposal.transactions.empty();
        if (executor::is_misfit(added.error()) && !fits_nowhere) {
            count_misfit();
            continue;
        }
        if (fits_nowhere && !std::exchange(is_empty_checked, true))
            HEDDLE_CHECK(check_empty_block(plan, env, prepared.header));
        reject(*candidate, added.error(), env, prepared.rejected);
    }
    if (proposal.transactions.empty() && !unreadable.empty())
        return std::unexpected(out_of_turn(builder_.env().number, std::move(unreadable)));
    proposal.object_sets = builder_.object_sets();
    prepared_ = std::move(prepared);
    return proposal;
}

std::expected<Proposal, BlockError> ChainApplication::prepare_in_parallel(const BlockPlan& plan,
                                                                          const BlockEnv& env,
                                                                          BlockHeader header) {
    HEDDLE_CHECK(building_->begin({.header = header,
                                   .env = env,
                                   .withdrawals = plan.withdrawals,
                                   .makes_access_list = list_making(plan.wants_access_list) ==
                                                        vm::AccessListMaking::always}));
    PooledCandidates candidates(mempool_.choose(env.base_fee_per_gas, env.blob_base_fee));
    executor::Selection selection = building_->select(
        candidates, {.max_bytes = most_bytes(plan, env), .max_misfits = kMaxMisfits});
    const std::size_t count = selection.chosen.size();
    const auto finds_no_list = [](const executor::RejectedCandidate& rejected) {
        return rejected.error == TransactionError::access_list_full;
    };
    if (count == 0 && std::ranges::any_of(selection.rejected, finds_no_list))
        HEDDLE_CHECK(check_empty_block(plan, env, header));
    Prepared prepared{std::move(header), plan.withdrawals, {}, {}, {}, {}};
    Proposal proposal;
    proposal.transactions.resize(count);
    proposal.object_sets.resize(count);
    prepared.transactions.resize(count);
    // What is copied are lists of lists: enough of it to be shared.
    consensus_adapter::parallel_for(count, 1, [&](std::size_t i) {
        const PooledTransaction& candidate = candidates.at(selection.chosen[i]);
        proposal.transactions[i] = candidate.tx;
        proposal.object_sets[i] = selection.object_sets[i];
        prepared.transactions[i] = candidate.hash;
    });
    for (const executor::RejectedCandidate& rejected : selection.rejected)
        reject(candidates.at(rejected.candidate), rejected.error, env, prepared.rejected);
    prepared.object_sets = std::move(selection.object_sets);
    prepared_ = std::move(prepared);
    return proposal;
}

/// Else transactions would be blamed, one by one, for what keeps every block from being made.
std::expected<void, BlockError> ChainApplication::check_empty_block(const BlockPlan& plan,
                                                                    const BlockEnv& env,
                                                                    BlockHeader header) {
    BlockBuilder empty(chain_.config(), chain_.state(), chain_.block_hashes(), chain_.code_cache());
    HEDDLE_CHECK(
        empty.begin(std::move(header), env, plan.withdrawals, list_making(plan.wants_access_list)));
    HEDDLE_CHECK(empty.finish({}));
    return {};
}

/// Where those before it in the proposal keep it from being executed, that is so only if they are
/// decided: others may propose, and this node would have lost it.
void ChainApplication::reject(const PooledTransaction& candidate, TransactionError error,
                              const BlockEnv& env, std::vector<Rejected>& rejected) {
    const auto on_head = vm::validate(candidate.tx, chain_.state(), env, vm::BlockGas::whole(env));
    // What nobody pays for is executed once: it would cost every proposal as much again.
    if (executor::is_forfeited(error) || (!on_head.has_value() && on_head.error() == error))
        mempool_.remove(candidate.hash, to_string(error));
    else
        rejected.push_back({candidate.hash, error});
}

void ChainApplication::drop_rejected() {
    for (const Rejected& rejected : std::exchange(prepared_->rejected, {}))
        mempool_.remove(rejected.transaction, to_string(rejected.error));
}

std::expected<FinishedBlock, BlockError> ChainApplication::finish_prepared(
    std::vector<Transaction> transactions) {
    if (building_ == nullptr) {
        const ReadScope reads;
        HEDDLE_TRY(BlockBuilder::Built built, builder_.finish(std::move(transactions)));
        if (reads.has_failed())
            return std::unexpected(out_of_turn(built.block.header.number, reads.failure()));
        return finished_of(std::move(built));
    }
    HEDDLE_TRY(FinishedBlock built, building_->finish(std::move(transactions)));
    built.object_sets = std::move(prepared_->object_sets);
    return built;
}

vm::AccessListMaking ChainApplication::list_making(bool is_wanted) const noexcept {
    return is_wanted || stores_lists_ ? vm::AccessListMaking::always
                                      : vm::AccessListMaking::required;
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

bool ChainApplication::is_prepared(const OrderedBlock& block,
                                   const std::vector<Hash>& hashes) const {
    if (!prepared_.has_value() || prepared_->transactions != hashes) return false;
    const ledger::StoredHeader head = chain_.kept_head();
    return prepared_->header == open_header(block.start.header, head) &&
           prepared_->withdrawals == block.start.withdrawals.value_or(std::vector<Withdrawal>{});
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
    const bool is_own = is_prepared(block, hashes);
    if (is_own) drop_rejected();
    if (!executes_own_ && is_own) {
        stage_->declare(std::move(block.object_sets), std::move(block.start.access_list));
        std::optional<FinishedBlock> built = std::move(prepared_->built);
        if (built.has_value()) {
            built->block.transactions = std::move(block.transactions);  // with their hashes
        } else {
            auto finished = finish_prepared(std::move(block.transactions));
            prepared_.reset();
            HEDDLE_TRY(built, std::move(finished));
        }
        prepared_.reset();
        return stage_built(*std::move(built));
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
    const std::vector<ObjectSet> declared = std::exchange(block.object_sets, {});
    HEDDLE_TRY(std::vector<LeftOut> left_out, leave_out_unexecutable(block, declared));
    HEDDLE_TRY(BlockBuilder::Built built, builder_.finish(std::move(block.transactions)));
    HEDDLE_TRY(FinalizedBlock finalized, stage_built(finished_of(std::move(built))));
    // Of a block that there cannot be.
    finalized.has_wrong_list = !block.start.access_list.empty();
    finalized.left_out = std::move(left_out);
    finalized.executions = executions;
    return finalized;
}

std::expected<std::vector<LeftOut>, BlockError> ChainApplication::leave_out_unexecutable(
    OrderedBlock& block, const std::vector<ObjectSet>& declared) {
    const ledger::StoredHeader head = chain_.kept_head();
    BlockHeader header = open_header(block.start.header, head);
    const BlockEnv env = chain_.env_of_next(header, head);
    prepared_.reset();
    HEDDLE_CHECK(builder_.begin(std::move(header), env,
                                block.start.withdrawals.value_or(std::vector<Withdrawal>{}),
                                list_making(false)));
    std::size_t room = room_for(chain_, block);
    std::vector<LeftOut> left_out;
    std::vector<ObjectSet> declared_of_chosen;
    std::vector<Transaction> chosen;
    for (std::size_t i = 0; i < block.transactions.size(); ++i) {
        Transaction& tx = block.transactions[i];
        if (!tx.sender.has_value()) {
            left_out.push_back({i, TransactionError::invalid_signature});
            continue;
        }
        const std::size_t bytes = room == kUnboundedRoom ? 0 : bytes_in_block(tx);
        if (bytes > room) {
            left_out.push_back({i, TransactionError::gas_limit_above_block});  // it is as full
            continue;
        }
        if (const auto added = builder_.add(tx); !added.has_value()) {
            left_out.push_back({i, added.error()});
            continue;
        }
        room -= bytes;
        chosen.push_back(std::move(tx));
        if (i < declared.size()) declared_of_chosen.push_back(declared[i]);
    }
    block.transactions = std::move(chosen);
    stage_->declare(std::move(declared_of_chosen), {});
    return left_out;
}

void ChainApplication::begin_anew() {
    prepared_.reset();
    building_ = make_building_();
}

void ChainApplication::forget_head() {
    drop_stage();
    prepared_.reset();
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
