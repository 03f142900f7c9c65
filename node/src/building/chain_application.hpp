// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The chain as a consensus engine drives it: proposals come out of the mempool, decided blocks go
// through the streaming executor, and what it finished is kept by the ledger.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <consensus_adapter/application.hpp>
#include <executor/block_building.hpp>
#include <executor/executor.hpp>
#include <executor/ordered_block.hpp>
#include <types/block_sink.hpp>

#include "building/block_builder.hpp"
#include "chain/chain.hpp"
#include "chain/execution_log.hpp"
#include "mempool/mempool.hpp"

namespace heddle::node {

class BlockStage;

/// Who puts proposals together.
enum class Builder : std::uint8_t {
    serial,  // one transaction after the other, the best first
    aria,    // in batches, on the executor's number of threads (executor/block_building.hpp)
};
inline constexpr Builder kDefaultBuilder = Builder::aria;

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
    /// The block's header as far as it is known before its transactions are.
    [[nodiscard]] BlockHeader open_header(const BlockHeader& given,
                                          const ledger::StoredHeader& head) const;
    /// Fills in their hashes, and who sent them, from the mempool where it knows. Without a valid
    /// signature the sender stays empty.
    /// @return the hashes.
    std::vector<Hash> identify(std::vector<Transaction>& transactions) const;
    void recover_unknown(std::vector<Transaction>& transactions) const;
    /// Whether the builder holds the block, executed.
    [[nodiscard]] bool is_prepared(const consensus_adapter::OrderedBlock& block,
                                   const std::vector<Hash>& hashes) const;
    /// Of which blocks a builder makes the access list: of all, where it is wanted or stored.
    [[nodiscard]] vm::AccessListMaking list_making(bool is_wanted) const noexcept;
    /// A proposal of what the mempool has, by one of the builders; into `prepared_`.
    [[nodiscard]] std::expected<consensus_adapter::Proposal, BlockError> prepare_in_order(
        const consensus_adapter::BlockPlan& plan, const BlockEnv& env, BlockHeader header);
    [[nodiscard]] std::expected<consensus_adapter::Proposal, BlockError> prepare_in_parallel(
        const consensus_adapter::BlockPlan& plan, const BlockEnv& env, BlockHeader header);
    /// A transaction that is in no block after those before it in the proposal.
    struct Rejected {
        Hash transaction;
        TransactionError error{};
    };
    /// Of the mempool's best: takes it out where it cannot be executed on the head either, else
    /// notes it.
    void reject(const PooledTransaction& candidate, TransactionError error, const BlockEnv& env,
                std::vector<Rejected>& rejected);
    /// Whether there can be a block at all, where no transaction fits the access list of one:
    /// under Amsterdam's rules what its own calls access may be more than its gas limit pays for.
    [[nodiscard]] std::expected<void, BlockError> check_empty_block(
        const consensus_adapter::BlockPlan& plan, const BlockEnv& env, BlockHeader header);
    /// What was noted, for the proposal is decided.
    void drop_rejected();
    /// Of a chain that forks another one: fetches what the transaction reads in the block that is
    /// begun. Errors: what could not be read.
    [[nodiscard]] std::expected<void, std::string> read_ahead(const Transaction& tx);
    /// Ends the block that prepare() has begun.
    [[nodiscard]] std::expected<FinishedBlock, BlockError> finish_prepared(
        std::vector<Transaction> transactions);
    /// Stages a block that a builder has ended.
    [[nodiscard]] std::expected<consensus_adapter::FinalizedBlock, BlockError> stage_built(
        FinishedBlock built);
    [[nodiscard]] std::expected<consensus_adapter::FinalizedBlock, BlockError> execute(
        consensus_adapter::OrderedBlock block);
    [[nodiscard]] std::expected<consensus_adapter::FinalizedBlock, BlockError> execute_some(
        consensus_adapter::OrderedBlock block);
    /// Takes out of the block what cannot be executed at its place, one after the other; the rest
    /// is in the builder then.
    [[nodiscard]] std::expected<std::vector<consensus_adapter::LeftOut>, BlockError>
    leave_out_unexecutable(consensus_adapter::OrderedBlock& block,
                           const std::vector<ObjectSet>& declared);

    Chain& chain_;
    Mempool& mempool_;
    BlockBuilder builder_;
    const std::function<std::unique_ptr<executor::BlockBuilding>()> make_building_;
    std::unique_ptr<executor::BlockBuilding> building_;  // null: proposals are builder_'s
    /// What prepare() has put into a builder since that was used for something else.
    struct Prepared {
        BlockHeader header;
        std::vector<Withdrawal> withdrawals;
        std::vector<Hash> transactions;
        std::vector<ObjectSet> object_sets;  // where building_ has it
        std::vector<Rejected> rejected;      // still in the mempool
        /// The block as the builder has ended it; before it is ended, nothing.
        std::optional<FinishedBlock> built;
    };
    std::optional<Prepared> prepared_;
    vm::Evm reading_evm_;  // of read_ahead()
    const bool stores_lists_;
    const bool executes_own_;
    ExecutionLog* const executions_;
    const std::unique_ptr<BlockStage> stage_;
    const std::unique_ptr<executor::Executor> executor_;
    bool is_started_ = false;          // the executor, on the head
    std::uint64_t listed_blocks_ = 0;  // that it has executed from their lists since then
};

}  // namespace heddle::node
