// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks put together on the chain's head: proposals out of the mempool, and of a decided list what
// of it can be executed. When that happens, and what becomes of a block, is ChainApplication's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <consensus_adapter/application.hpp>
#include <executor/block_building.hpp>
#include <executor/options.hpp>
#include <executor/ordered_block.hpp>
#include <types/block_sink.hpp>
#include <types/transaction_error.hpp>

#include "building/block_builder.hpp"
#include "chain/chain.hpp"
#include "chain/execution_log.hpp"
#include "mempool/mempool.hpp"

namespace heddle::node {

/// Who puts proposals together.
enum class Builder : std::uint8_t {
    serial,  // one transaction after the other, the best first
    aria,    // in batches, on the executor's number of threads (executor/block_building.hpp)
};
inline constexpr Builder kDefaultBuilder = Builder::aria;

struct ProposalOptions {
    executor::Options executor;  // of the builder that works in batches
    Builder builder = kDefaultBuilder;
    unsigned fee_tolerance_percent = executor::BuildOptions{}.fee_tolerance_percent;
    /// Whether access lists are made that no header claims (before Amsterdam).
    bool stores_lists = false;
    /// Told how each block ran; outlives the maker. Null: nobody is.
    ExecutionLog* executions = nullptr;
};

/// What the chain says where it cannot make or commit a block now.
[[nodiscard]] BlockError out_of_turn(std::uint64_t number, std::string detail);

/// Keeps what executing the last proposal gave, so that the block is executed once where it is
/// decided as it was proposed.
///
/// Thread safety: one caller at a time.
class ProposalMaker {
public:
    /// Chain and pool outlive it.
    ProposalMaker(Chain& chain, Mempool& mempool, const ProposalOptions& options);

    /// Chooses transactions for a block on the head.
    /// Errors: a system call at the block's beginning fails, no block can be made, or
    /// execution_halted where what it needs could not be read (chains that fork another one).
    [[nodiscard]] std::expected<consensus_adapter::Proposal, BlockError> make(
        const consensus_adapter::BlockPlan& plan);

    /// Whether the last proposal is this block, on this head.
    /// @param hashes  Of its transactions.
    [[nodiscard]] bool has_made(const executor::OrderedBlock& block,
                                const std::vector<Hash>& hashes) const;
    /// The last proposal is decided: takes out of the mempool what is in no block after those
    /// before it in the proposal. Once has_made().
    void drop_rejected();
    /// The block of the last proposal, executed, without its state root. Once has_made(); the
    /// proposal is gone, also after an error.
    /// @param transactions  The proposal's.
    /// Errors: a system call at its end fails; execution_halted, as make().
    [[nodiscard]] std::expected<FinishedBlock, BlockError> take(
        std::vector<Transaction> transactions);

    /// What of a decided list can be executed.
    struct ExecutablePart {
        FinishedBlock block;  // without its state root
        std::vector<consensus_adapter::LeftOut> left_out;
        std::vector<ObjectSet> declared;  // sets that came with transactions of the block
    };
    /// Leaves out of a decided block what cannot be executed at its place. The last proposal is
    /// gone.
    /// @param room  Bytes that its transactions may take together; kUnboundedRoom.
    /// Errors: a system call fails.
    [[nodiscard]] std::expected<ExecutablePart, BlockError> build_executable(
        executor::OrderedBlock block, std::size_t room);

    /// The last proposal is worth nothing any more.
    void forget() { prepared_.reset(); }
    /// As forget(), and forgets what proposals are fitted to by those before.
    void begin_anew();

private:
    /// A transaction that is in no block after those before it in the proposal.
    struct Rejected {
        Hash transaction;
        TransactionError error{};
    };
    /// What make() has put into a builder since that was used for something else.
    struct Prepared {
        BlockHeader header;
        std::vector<Withdrawal> withdrawals;
        std::vector<Hash> transactions;
        std::vector<ObjectSet> object_sets;  // where building_ has it
        std::vector<Rejected> rejected;      // still in the mempool
        /// The block as the builder has ended it; before it is ended, nothing.
        std::optional<FinishedBlock> built;
    };
    /// A proposal of the serial builder that is not complete.
    struct Draft;

    /// The block's header as far as it is known before its transactions are.
    [[nodiscard]] BlockHeader open_header(const BlockHeader& given,
                                          const ledger::StoredHeader& head) const;
    /// Of which blocks a builder makes the access list: of all, where it is wanted or stored.
    [[nodiscard]] vm::AccessListMaking list_making(bool is_wanted) const noexcept;
    /// A proposal of what the mempool has, by one of the builders; into `prepared_`.
    [[nodiscard]] std::expected<consensus_adapter::Proposal, BlockError> make_in_order(
        const consensus_adapter::BlockPlan& plan, const BlockEnv& env, BlockHeader header);
    [[nodiscard]] std::expected<consensus_adapter::Proposal, BlockError> make_in_parallel(
        const consensus_adapter::BlockPlan& plan, const BlockEnv& env, BlockHeader header);
    /// Appends the transaction to the draft if it can be executed there.
    /// @return whether it is in.
    /// Errors: as check_empty_block().
    [[nodiscard]] std::expected<bool, BlockError> offer(const PooledTransaction& candidate,
                                                        Draft& draft);
    /// Of a chain that forks another one: fetches what the transaction reads in the block that is
    /// begun. Errors: what could not be read.
    [[nodiscard]] std::expected<void, std::string> read_ahead(const Transaction& tx);
    /// Of the mempool's best: takes it out where it cannot be executed on the head either, else
    /// notes it.
    void reject(const PooledTransaction& candidate, TransactionError error, const BlockEnv& env,
                std::vector<Rejected>& rejected);
    /// Whether there can be a block at all, where no transaction fits the access list of one:
    /// under Amsterdam's rules what its own calls access may be more than its gas limit pays for.
    [[nodiscard]] std::expected<void, BlockError> check_empty_block(
        const consensus_adapter::BlockPlan& plan, const BlockEnv& env, BlockHeader header);
    /// Ends the block that make() has begun.
    /// @param object_sets  Of its transactions, where building_ has it.
    [[nodiscard]] std::expected<FinishedBlock, BlockError> finish(
        std::vector<Transaction> transactions, std::vector<ObjectSet> object_sets);

    Chain& chain_;
    Mempool& mempool_;
    const bool stores_lists_;
    const std::function<std::unique_ptr<executor::BlockBuilding>()> make_building_;
    BlockBuilder builder_;
    std::unique_ptr<executor::BlockBuilding> building_;  // null: proposals are builder_'s
    vm::Evm reading_evm_;                                // of read_ahead()
    std::optional<Prepared> prepared_;
};

}  // namespace heddle::node
