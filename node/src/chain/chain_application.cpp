// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain/chain_application.hpp"

#include <utility>

#include <types/assert.hpp>
#include <types/expected.hpp>
#include <types/transaction_error.hpp>
#include <vm/block.hpp>
#include <vm/validate.hpp>

#include "chain/block_builder.hpp"
#include "log.hpp"

namespace heddle::node {
namespace {

using consensus_adapter::BlockId;
using consensus_adapter::BlockPlan;
using consensus_adapter::FinalizedBlock;
using consensus_adapter::OrderedBlock;
using consensus_adapter::Proposal;

/// Transactions that do not fit a nearly full block before no more are tried.
constexpr unsigned kMaxMisfits = 50;
/// Less gas than any transaction costs.
constexpr std::uint64_t kLeastGas = 21'000;

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

/// Whether a transaction may go into a later block as it is.
bool is_misfit(TransactionError error) {
    return error == TransactionError::gas_limit_above_block ||
           error == TransactionError::blob_gas_above_block;
}

}  // namespace

/// Takes the finished block, which the ledger holds until it is published.
class ChainApplication::Stage final : public BlockSink {
public:
    explicit Stage(Chain& chain) : chain_(chain) {}

    [[nodiscard]] std::expected<Hash, BlockError> commit(FinishedBlock block) override {
        FinalizedBlock finalized{block.block.header, {}, block.receipts};
        HEDDLE_TRY(const Hash root, chain_.stage(std::move(block)));
        finalized.header.state_root = root;
        finalized.hash = header_hash(finalized.header);
        finalized_ = std::move(finalized);
        return root;
    }
    [[nodiscard]] Hash state_root_with(const StateDiff& diff) override {
        const auto root = chain_.state_root_with(chain_.head().header.number, diff);
        if (!root.has_value()) fatal(ledger::to_string(root.error()).c_str(), __FILE__, __LINE__);
        return *root;
    }

    [[nodiscard]] const std::optional<FinalizedBlock>& finalized() const noexcept {
        return finalized_;
    }
    void drop() {
        chain_.unstage();
        finalized_.reset();
    }
    [[nodiscard]] std::expected<void, BlockError> publish() {
        finalized_.reset();
        return chain_.publish();
    }

private:
    Chain& chain_;
    std::optional<FinalizedBlock> finalized_;
};

ChainApplication::ChainApplication(Chain& chain, Mempool& mempool, ChainApplicationOptions options)
    : chain_(chain), mempool_(mempool), stage_(std::make_unique<Stage>(chain)), executor_([&] {
          options.executor.record_sets = true;
          return executor::make_executor(options.scheduler, std::move(options.executor));
      }()) {
    HEDDLE_ASSERT(executor_ != nullptr);
}

ChainApplication::~ChainApplication() = default;

consensus_adapter::Committed ChainApplication::committed() const {
    const ledger::StoredHeader head = chain_.head();
    consensus_adapter::Committed committed;
    committed.head = {head.header.number, head.hash};
    committed.head_timestamp = head.header.timestamp;
    committed.head_gas_limit = head.header.gas_limit;
    committed.durable_number = chain_.ledger().durable();
    return committed;
}

std::expected<Proposal, BlockError> ChainApplication::prepare(const BlockPlan& plan) {
    const ledger::StoredHeader head = chain_.head();
    BlockHeader header = chain_.next_header(head, plan.timestamp);
    header.gas_limit = plan.gas_limit;
    header.beneficiary = plan.beneficiary;
    header.prev_randao = plan.prev_randao;
    header.extra_data = plan.extra_data;
    if (header.parent_beacon_block_root)
        header.parent_beacon_block_root = plan.parent_beacon_block_root;
    const BlockEnv env = chain_.env_of_next(header, head);

    // Only this thread moves the head, so that its state stays as it is.
    BlockBuilder builder{chain_.config(), chain_.ledger().state(), chain_.block_hashes(),
                         chain_.code_cache()};
    HEDDLE_CHECK(builder.begin(std::move(header), env, plan.withdrawals));
    const auto best = mempool_.best(env.base_fee_per_gas, env.blob_base_fee);
    std::size_t bytes = 0;
    unsigned misfits = 0;
    while (builder.gas_left() >= kLeastGas && misfits < kMaxMisfits) {
        const SharedTransaction candidate = best->next();
        if (!candidate) break;
        const std::size_t size = candidate->size_bytes - candidate->sidecar.size();
        if (bytes + size > plan.max_bytes) {
            best->skip_sender();
            ++misfits;
            continue;
        }
        const auto added = builder.add(candidate->tx);
        if (added.has_value()) {
            bytes += size;
            continue;
        }
        best->skip_sender();
        if (is_misfit(added.error()))
            ++misfits;
        else
            mempool_.remove(candidate->hash, to_string(added.error()));
    }
    BlockBuilder::Chosen chosen = builder.take_chosen();
    return Proposal{std::move(chosen.transactions), std::move(chosen.object_sets)};
}

std::expected<void, std::string> ChainApplication::process(const BlockPlan& plan,
                                                           const Proposal& proposal) {
    if (!proposal.object_sets.empty() &&
        proposal.object_sets.size() != proposal.transactions.size())
        return std::unexpected("there are " + std::to_string(proposal.object_sets.size()) +
                               " object sets for " + std::to_string(proposal.transactions.size()) +
                               " transactions");
    const ledger::StoredHeader head = chain_.head();
    if (plan.timestamp <= head.header.timestamp)
        return std::unexpected("the timestamp " + std::to_string(plan.timestamp) +
                               " is not above the parent's, " +
                               std::to_string(head.header.timestamp));
    const BlockEnv env = chain_.env_of_next(chain_.next_header(head, plan.timestamp), head);
    std::size_t bytes = 0;
    Bytes encoded;
    for (std::size_t i = 0; i < proposal.transactions.size(); ++i) {
        const Transaction& tx = proposal.transactions[i];
        if (const auto valid = vm::validate_stateless(tx, env); !valid.has_value())
            return std::unexpected("transaction " + std::to_string(i) + ": " +
                                   std::string{to_string(valid.error())});
        encoded.clear();
        encode_transaction(tx, encoded);
        bytes += encoded.size();
        if (bytes > plan.max_bytes)
            return std::unexpected("the transactions take more than " +
                                   std::to_string(plan.max_bytes) + " bytes");
    }
    return {};
}

std::expected<void, BlockError> ChainApplication::start_executor() {
    if (is_started_) return {};
    const ledger::StoredHeader head = chain_.head();
    auto ancestors = chain_.ledger().ancestors(head.header.number);
    if (!ancestors.has_value())
        return std::unexpected(storage_failed(head.header.number, ancestors.error()));
    executor_->start({chain_.config(), chain_.ledger().state(), chain_.block_hashes(), *stage_},
                     {*std::move(ancestors), head.total_difficulty});
    is_started_ = true;
    return {};
}

std::expected<FinalizedBlock, BlockError> ChainApplication::finalize(OrderedBlock block) {
    if (stage_->finalized().has_value()) {
        stage_->drop();
        is_started_ = false;
    }
    HEDDLE_CHECK(start_executor());
    std::vector<Hash> hashes;
    for (const Transaction& tx : block.transactions)
        hashes.push_back(transaction_hash(tx));
    const std::size_t count = block.transactions.size();
    const bool is_declared = block.object_sets.size() == count;

    block.env.transaction_count = count;
    HEDDLE_CHECK(executor_->begin_block(std::move(block.env)));
    for (std::size_t i = 0; i < count; ++i) {
        std::optional<ObjectSet> objects;
        if (is_declared) objects = std::move(block.object_sets[i]);
        executor_->submit(std::move(block.transactions[i]), std::move(objects));
    }
    executor_->end_block();
    if (auto drained = executor_->drain(); !drained.has_value()) {
        stage_->drop();
        is_started_ = false;
        const BlockError& error = drained.error();
        // The builder and the executor disagree, which is a bug; the chain goes on without it.
        if (error.transaction.has_value() && error.index.has_value() && *error.index < count)
            mempool_.remove(hashes[*error.index], to_string(error));
        return std::unexpected(std::move(drained).error());
    }
    return stage_->finalized().value();
}

std::expected<BlockId, BlockError> ChainApplication::commit() {
    if (!stage_->finalized().has_value())
        return std::unexpected(
            out_of_turn(chain_.head().header.number + 1, "there is no finalized block to commit"));
    HEDDLE_CHECK(stage_->publish());
    const SharedBlock head = chain_.head_block();
    mempool_.on_head(*head);
    return BlockId{head->block.header.number, head->hash};
}

}  // namespace heddle::node
