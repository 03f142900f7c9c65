// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Executing stored blocks again, transaction by transaction, outside the stream: for tracing. Gives
// each transaction the state of its place in the serial order.
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <optional>

#include <ledger/durable_ledger.hpp>
#include <types/block.hpp>
#include <types/transaction_error.hpp>
#include <vm/block_execution.hpp>
#include <vm/evm.hpp>
#include <vm/transition.hpp>

#include "chain/chain.hpp"
#include "chain/overlay_state.hpp"
#include "tracing/recorded_reads.hpp"

namespace heddle::node {

/// A block that is being executed again. After construction it stands before the first
/// transaction, behind the block's system calls.
/// Thread safety: one thread at a time.
class BlockReplay {
public:
    /// @param block  Its parent must be in the chain; the block itself need not be. Senders may be
    ///               missing.
    /// @param reads  What is read is noted there; outlives it. Null: nobody wants to know.
    /// Errors: those of the ledger where the state before the block is not kept; invalid where the
    /// system calls fail.
    [[nodiscard]] static std::expected<std::unique_ptr<BlockReplay>, ledger::LedgerError> start(
        const Chain& chain, SharedBlock block, Reads* reads = nullptr);

    [[nodiscard]] const ledger::StoredBlock& block() const noexcept { return *block_; }
    [[nodiscard]] const BlockEnv& env() const noexcept { return env_; }
    /// The state before the next transaction.
    [[nodiscard]] const StateView& state() const noexcept { return state_; }
    /// What the block has changed before the next transaction.
    [[nodiscard]] StateDiff diff() const { return state_.diff(); }
    [[nodiscard]] std::size_t next_index() const noexcept { return next_; }
    /// Logs of the transactions before the next one.
    [[nodiscard]] std::size_t log_count() const noexcept { return log_count_; }

    /// Executes the next transaction on `evm`, which may have a tracer and a supervisor. state()
    /// stays the one before it until finish_next().
    /// Errors: it cannot be executed; not with blocks of the chain.
    [[nodiscard]] std::expected<const vm::Outcome*, TransactionError> execute_next(vm::Evm& evm);
    /// Moves on. The last outcome must not be vm::is_unfinished().
    void finish_next();
    /// After the last transaction: rewards, withdrawals, system calls. diff() is the block's then.
    /// Errors: invalid where that cannot be; not with blocks of the chain.
    [[nodiscard]] std::expected<void, ledger::LedgerError> end();

private:
    BlockReplay(const Chain& chain, SharedBlock block, std::unique_ptr<ledger::PastState> base,
                Reads* reads);
    [[nodiscard]] std::expected<void, ledger::LedgerError> begin(const Chain& chain);
    [[nodiscard]] const StateView& recorded_base() const noexcept {
        return recorded_state_ ? static_cast<const StateView&>(*recorded_state_) : *base_;
    }

    const SharedBlock block_;  // with whoever asked for it
    const std::unique_ptr<ledger::PastState> base_;
    std::optional<RecordedState> recorded_state_;
    std::optional<RecordedHashes> recorded_hashes_;
    OverlayState state_;
    vm::BlockExecution execution_;
    const BlockEnv env_;
    vm::Evm evm_;
    vm::Outcome outcome_;
    std::size_t next_ = 0;
    std::size_t log_count_ = 0;
};

}  // namespace heddle::node
