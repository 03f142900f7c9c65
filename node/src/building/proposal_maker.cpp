// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "building/proposal_maker.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <consensus_adapter/block_rules.hpp>
#include <consensus_adapter/parallel_for.hpp>
#include <types/expected.hpp>
#include <vm/next_header.hpp>
#include <vm/validate.hpp>

#include "building/block_room.hpp"
#include "building/pooled_candidates.hpp"
#include "chain/overwritten_slots.hpp"
#include "chain/transaction_reads.hpp"
#include "logging/log.hpp"

namespace heddle::node {
namespace {

using consensus_adapter::BlockPlan;
using consensus_adapter::Proposal;
using executor::OrderedBlock;

/// Transactions that do not fit a nearly full block before no more are tried.
constexpr unsigned kMaxMisfits = 50;

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
                                                       const ProposalOptions& options) {
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

}  // namespace

BlockError out_of_turn(std::uint64_t number, std::string detail) {
    BlockError failure;
    failure.code = BlockErrorCode::execution_halted;
    failure.number = number;
    failure.detail = std::move(detail);
    return failure;
}

ProposalMaker::ProposalMaker(Chain& chain, Mempool& mempool, const ProposalOptions& options)
    : chain_(chain),
      mempool_(mempool),
      stores_lists_(options.stores_lists),
      make_building_([&chain, options] { return make_building(chain, options); }),
      builder_(chain.config(), chain.state(), chain.block_hashes(), chain.code_cache()),
      building_(make_building_()),
      reading_evm_({.code_cache = chain.code_cache()}) {
    builder_.watch(options.executions);
}

BlockHeader ProposalMaker::open_header(const BlockHeader& given,
                                       const ledger::StoredHeader& head) const {
    BlockHeader header = vm::next_header({head.header, head.hash, head.total_difficulty},
                                         vm::attributes_of(given), chain_.config());
    if (given.base_fee_per_gas.has_value()) header.base_fee_per_gas = given.base_fee_per_gas;
    return header;
}

std::expected<Proposal, BlockError> ProposalMaker::make(const BlockPlan& plan) {
    const ledger::StoredHeader head = chain_.kept_head();
    BlockHeader header = open_header(consensus_adapter::block_start(plan).header, head);
    const BlockEnv env = chain_.env_of_next(header, head);
    prepared_.reset();
    // What the block reads besides its transactions' values; it must not be made of anything else.
    const ReadScope reads;
    auto proposal = building_ != nullptr ? make_in_parallel(plan, env, std::move(header))
                                         : make_in_order(plan, env, std::move(header));
    if (reads.has_failed()) {
        prepared_.reset();
        return std::unexpected(out_of_turn(head.header.number + 1, reads.failure()));
    }
    if (!proposal.has_value() || !plan.wants_access_list) return proposal;
    // What comes after the transactions is in the list as well.
    auto built = finish(proposal->transactions, std::move(prepared_->object_sets));
    if (!built.has_value()) {
        prepared_.reset();
        return std::unexpected(std::move(built).error());
    }
    proposal->access_list = built->access_list;
    prepared_->built = *std::move(built);
    return proposal;
}

struct ProposalMaker::Draft {
    const BlockPlan& plan;
    const BlockEnv& env;
    std::size_t max_bytes;
    Prepared prepared;
    Proposal proposal;
    std::size_t bytes = 0;  // of the transactions so far
    unsigned misfits = 0;
    std::string unreadable{};       // why a transaction waits whose values could not be read
    bool is_empty_checked = false;  // check_empty_block() was asked
};

std::expected<Proposal, BlockError> ProposalMaker::make_in_order(const BlockPlan& plan,
                                                                 const BlockEnv& env,
                                                                 BlockHeader header) {
    {
        const OverwrittenSlots slots;  // by its system calls
        HEDDLE_CHECK(
            builder_.begin(header, env, plan.withdrawals, list_making(plan.wants_access_list)));
    }
    Draft draft{.plan = plan,
                .env = env,
                .max_bytes = most_bytes(plan, env),
                .prepared = {std::move(header), plan.withdrawals, {}, {}, {}, {}},
                .proposal = {}};
    const auto best = mempool_.choose(env.base_fee_per_gas, env.blob_base_fee);
    const std::uint64_t least_gas = vm::intrinsic_costs(env.revision).transaction;
    while (has_room(builder_.left(), least_gas) && draft.misfits < kMaxMisfits) {
        const SharedTransaction candidate = best->next();
        if (!candidate) break;
        HEDDLE_TRY(const bool is_in, offer(*candidate, draft));
        if (!is_in) best->skip_sender();
    }
    if (draft.proposal.transactions.empty() && !draft.unreadable.empty())
        return std::unexpected(out_of_turn(builder_.env().number, std::move(draft.unreadable)));
    draft.proposal.object_sets = builder_.object_sets();
    prepared_ = std::move(draft.prepared);
    return std::move(draft.proposal);
}

std::expected<bool, BlockError> ProposalMaker::offer(const PooledTransaction& candidate,
                                                     Draft& draft) {
    const auto count_misfit = [&] {
        const std::uint64_t gas_left = builder_.left().most(draft.env.revision);
        if (executor::is_nearly_full(gas_left, draft.env.gas_limit) ||
            executor::is_nearly_full(draft.max_bytes - draft.bytes, draft.max_bytes))
            ++draft.misfits;
    };
    const std::size_t size = size_in_block(candidate);
    if (draft.bytes + size > draft.max_bytes) {
        count_misfit();
        return false;
    }
    if (const auto read = read_ahead(candidate.tx); !read.has_value()) {
        draft.unreadable =
            fmt::format("transaction {} waits: {}", to_string(candidate.hash), read.error());
        logger(Component::chain).warn("{}", draft.unreadable);
        ++draft.misfits;
        return false;
    }
    const auto added = builder_.add(candidate.tx);
    if (added.has_value()) {
        draft.bytes += size;
        draft.proposal.transactions.push_back(candidate.tx);
        draft.prepared.transactions.push_back(candidate.hash);
        return true;
    }
    // What does not fit into a block of its own fits into none.
    const bool fits_nowhere =
        added.error() == TransactionError::access_list_full && draft.proposal.transactions.empty();
    if (executor::is_misfit(added.error()) && !fits_nowhere) {
        count_misfit();
        return false;
    }
    if (fits_nowhere && !std::exchange(draft.is_empty_checked, true))
        HEDDLE_CHECK(check_empty_block(draft.plan, draft.env, draft.prepared.header));
    reject(candidate, added.error(), draft.env, draft.prepared.rejected);
    return false;
}

std::expected<void, std::string> ProposalMaker::read_ahead(const Transaction& tx) {
    const ForkBase* const base = chain_.fork_base();
    if (base == nullptr) return {};
    return read_ahead_of(tx, {*base, builder_.state(), chain_.block_hashes(), builder_.env()},
                         reading_evm_);
}

std::expected<Proposal, BlockError> ProposalMaker::make_in_parallel(const BlockPlan& plan,
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
std::expected<void, BlockError> ProposalMaker::check_empty_block(const BlockPlan& plan,
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
void ProposalMaker::reject(const PooledTransaction& candidate, TransactionError error,
                           const BlockEnv& env, std::vector<Rejected>& rejected) {
    const auto on_head = vm::validate(candidate.tx, chain_.state(), env, vm::BlockGas::whole(env));
    // What nobody pays for is executed once: it would cost every proposal as much again.
    if (executor::is_forfeited(error) || (!on_head.has_value() && on_head.error() == error))
        mempool_.remove(candidate.hash, to_string(error));
    else
        rejected.push_back({candidate.hash, error});
}

void ProposalMaker::drop_rejected() {
    for (const Rejected& rejected : std::exchange(prepared_->rejected, {}))
        mempool_.remove(rejected.transaction, to_string(rejected.error));
}

std::expected<FinishedBlock, BlockError> ProposalMaker::finish(
    std::vector<Transaction> transactions, std::vector<ObjectSet> object_sets) {
    if (building_ == nullptr) {
        const ReadScope reads;
        HEDDLE_TRY(BlockBuilder::Built built, builder_.finish(std::move(transactions)));
        if (reads.has_failed())
            return std::unexpected(out_of_turn(built.block.header.number, reads.failure()));
        return finished_of(std::move(built));
    }
    HEDDLE_TRY(FinishedBlock built, building_->finish(std::move(transactions)));
    built.object_sets = std::move(object_sets);
    return built;
}

vm::AccessListMaking ProposalMaker::list_making(bool is_wanted) const noexcept {
    return is_wanted || stores_lists_ ? vm::AccessListMaking::always
                                      : vm::AccessListMaking::required;
}

bool ProposalMaker::has_made(const OrderedBlock& block, const std::vector<Hash>& hashes) const {
    if (!prepared_.has_value() || prepared_->transactions != hashes) return false;
    const ledger::StoredHeader head = chain_.kept_head();
    return prepared_->header == open_header(block.start.header, head) &&
           prepared_->withdrawals == block.start.withdrawals.value_or(std::vector<Withdrawal>{});
}

std::expected<FinishedBlock, BlockError> ProposalMaker::take(
    std::vector<Transaction> transactions) {
    Prepared prepared = *std::exchange(prepared_, std::nullopt);
    if (!prepared.built.has_value())
        return finish(std::move(transactions), std::move(prepared.object_sets));
    prepared.built->block.transactions = std::move(transactions);  // with their hashes
    return *std::move(prepared.built);
}

std::expected<ProposalMaker::ExecutablePart, BlockError> ProposalMaker::build_executable(
    OrderedBlock block, std::size_t room) {
    const ledger::StoredHeader head = chain_.kept_head();
    BlockHeader header = open_header(block.start.header, head);
    const BlockEnv env = chain_.env_of_next(header, head);
    prepared_.reset();
    HEDDLE_CHECK(builder_.begin(std::move(header), env,
                                block.start.withdrawals.value_or(std::vector<Withdrawal>{}),
                                list_making(false)));
    ExecutablePart part;
    std::vector<Transaction> chosen;
    for (std::size_t i = 0; i < block.transactions.size(); ++i) {
        Transaction& tx = block.transactions[i];
        if (!tx.sender.has_value()) {
            part.left_out.push_back({i, TransactionError::invalid_signature});
            continue;
        }
        const std::size_t bytes = room == kUnboundedRoom ? 0 : bytes_in_block(tx);
        if (bytes > room) {
            part.left_out.push_back({i, TransactionError::gas_limit_above_block});  // it is as full
            continue;
        }
        if (const auto added = builder_.add(tx); !added.has_value()) {
            part.left_out.push_back({i, added.error()});
            continue;
        }
        room -= bytes;
        chosen.push_back(std::move(tx));
        if (i < block.object_sets.size()) part.declared.push_back(std::move(block.object_sets[i]));
    }
    HEDDLE_TRY(BlockBuilder::Built built, builder_.finish(std::move(chosen)));
    part.block = finished_of(std::move(built));
    return part;
}

void ProposalMaker::begin_anew() {
    prepared_.reset();
    building_ = make_building_();
}

}  // namespace heddle::node
