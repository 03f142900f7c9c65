// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The chain as a consensus engine drives it: proposals come out of the mempool, decided blocks go
// through the streaming executor, and what it finished is kept by the ledger.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <vector>

#include <consensus_adapter/application.hpp>
#include <executor/block_building.hpp>
#include <executor/executor.hpp>
#include <types/block_sink.hpp>

#include "building/proposal_maker.hpp"
#include "chain/chain.hpp"
#include "chain/execution_log.hpp"
#include "mempool/mempool.hpp"

namespace heddle::node {

class BlockStage;

struct ChainApplicationOptions {
    executor::Options executor;  // record_sets and make_access_lists are set
    std::string scheduler{executor::kDefaultScheduler};
    /// Whether access lists are kept that no header claims (before Amsterdam).
    bool stores_lists = false;
    Builder builder = kDefaultBuilder;
    unsigned fee_tolerance_percent = executor::BuildOptions{}.fee_tolerance_percent;
    /// Whether the executor executes what prepare() has put together, too, as if somebody else had
    /// proposed it.
    bool executes_own = false;
    /// Told how each block ran; outlives the application. Null: nobody is.
    ExecutionLog* executions = nullptr;
};

/// Between finalize() and commit() the ledger holds the finished block and shows nothing of it.
///
///     state      event        next       does
///     idle       finalize()   finalized  executes on the head
///     idle       finalize()   idle       the block is wrong: the executor starts again on the head
///     finalized  commit()     idle       publishes it, waits for the disk, tells of the new head
///     finalized  finalize()   finalized  drops the block held, starts again on the head
///
/// A block that prepare() has put together is executed once: decided as it was proposed, it is what
/// the builder holds.
///
/// With Unexecutable::left_out the list is first tried as it is, for that is what an honest
/// proposer's comes to. Where a transaction stops it, those that can be executed at their places
/// are found one after the other, as a proposer does, and what that gave is the block: two
/// executions at most, whatever is on the list; and where an access list came along that is not the
/// block's, one more (docs/execution-model.md).
///
/// Thread safety: as Application.
class ChainApplication final : public consensus_adapter::Application {
public:
    /// Everything outlives it.
    ChainApplication(Chain& chain, Mempool& mempool, ChainApplicationOptions options);
    ~ChainApplication() override;

    [[nodiscard]] consensus_adapter::Committed committed() const override;
    [[nodiscard]] std::expected<consensus_adapter::Proposal, BlockError> prepare(
        const consensus_adapter::BlockPlan& plan) override;
    [[nodiscard]] std::expected<void, consensus_adapter::ProposalError> process(
        const consensus_adapter::BlockPlan& plan, consensus_adapter::Proposal& proposal) override;
    /// A transaction that makes the block invalid is taken out of the mempool.
    [[nodiscard]] std::expected<consensus_adapter::FinalizedBlock, BlockError> finalize(
        consensus_adapter::OrderedBlock block,
        consensus_adapter::Unexecutable unexecutable) override;
    [[nodiscard]] std::expected<consensus_adapter::BlockId, BlockError> commit() override;

    /// Forgets what proposals are fitted to by those before. As finalize(), while there is no block
    /// under way.
    void begin_anew();

    /// The head is another one, or the state after it, than this has committed. As finalize().
    void forget_head();

    /// Of the executor. From any thread.
    [[nodiscard]] executor::MemoryUse executor_memory() const { return executor_->memory(); }

private:
    [[nodiscard]] std::expected<void, BlockError> start_executor();
    void drop_stage();
    /// Fills in their hashes, and who sent them, from the mempool where it knows. Without a valid
    /// signature the sender stays empty.
    /// @return the hashes.
    std::vector<Hash> identify(std::vector<Transaction>& transactions) const;
    void recover_unknown(std::vector<Transaction>& transactions) const;
    /// Stages a block that a builder has ended.
    [[nodiscard]] std::expected<consensus_adapter::FinalizedBlock, BlockError> stage_built(
        FinishedBlock built);
    [[nodiscard]] std::expected<consensus_adapter::FinalizedBlock, BlockError> execute(
        consensus_adapter::OrderedBlock block);
    [[nodiscard]] std::expected<consensus_adapter::FinalizedBlock, BlockError> execute_some(
        consensus_adapter::OrderedBlock block);

    Chain& chain_;
    Mempool& mempool_;
    ProposalMaker maker_;
    const bool executes_own_;
    ExecutionLog* const executions_;
    const std::unique_ptr<BlockStage> stage_;
    const std::unique_ptr<executor::Executor> executor_;
    bool is_started_ = false;          // the executor, on the head
    std::uint64_t listed_blocks_ = 0;  // that it has executed from their lists since then
};

}  // namespace heddle::node
