// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Putting a block together on some state: transactions are executed as they are chosen, one after
// the other, and what each of them touched is recorded. Which ones to choose, and what becomes of
// the block, is the caller's business. The state root is not computed here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <expected>
#include <memory>
#include <vector>

#include <types/block.hpp>
#include <types/block_error.hpp>
#include <types/chain_config.hpp>
#include <types/object.hpp>
#include <types/receipt.hpp>
#include <types/state_diff.hpp>
#include <types/transaction_error.hpp>
#include <vm/block_execution.hpp>
#include <vm/evm.hpp>
#include <vm/transition.hpp>

#include "chain/execution_log.hpp"
#include "chain/overlay_state.hpp"

namespace heddle::node {

/// Thread safety: one thread at a time. What the constructor borrows outlives it.
class BlockBuilder {
public:
    /// @param base        The state that the block starts from; it stays as it is until finish().
    /// @param code_cache  Shared analysed code; null: a private cache.
    BlockBuilder(const ChainConfig& config, const StateView& base, const BlockHashes& block_hashes,
                 std::shared_ptr<vm::CodeCache> code_cache = nullptr);
    BlockBuilder(const BlockBuilder&) = delete;
    BlockBuilder& operator=(const BlockBuilder&) = delete;

    /// Begins a block; what an unfinished one had is dropped.
    /// @param header  As next_header() gives it.
    /// @param env     What transactions see of it.
    /// @param making  Whether its access list is made.
    /// Errors: a system call at its beginning fails.
    [[nodiscard]] std::expected<void, BlockError> begin(
        BlockHeader header, const BlockEnv& env, std::vector<Withdrawal> withdrawals,
        vm::AccessListMaking making = vm::AccessListMaking::required);

    [[nodiscard]] const BlockEnv& env() const noexcept { return env_; }
    /// Of its limit, by what add() has executed: also by what was refused afterwards.
    [[nodiscard]] std::uint64_t gas_used() const noexcept {
        return env_.gas_limit - std::min(left().gas, left().state_gas);
    }
    /// What is left of the block's limits.
    [[nodiscard]] vm::BlockGas left() const noexcept { return execution_.left(); }
    [[nodiscard]] const StateView& state() const noexcept { return overlay_; }

    /// Executes the next transaction. On error the block is as before, but for what is left() where
    /// the transaction was executed before it was refused (TransactionError::malformed_deposit,
    /// access_list_full).
    [[nodiscard]] std::expected<void, TransactionError> add(const Transaction& tx);
    /// Tells of every transaction from the next block on. @param log  Outlives it; null: nobody.
    void watch(ExecutionLog* log) noexcept { log_ = log; }
    /// Of the transactions so far, in their order.
    [[nodiscard]] const std::vector<ObjectSet>& object_sets() const noexcept {
        return object_sets_.sets();
    }

    struct Built {
        Block block;  // its header lacks the state root only
        vm::BlockResult result;
        std::vector<ObjectSet> object_sets;  // of its transactions
        StateDiff diff;                      // of the whole block
    };
    /// Ends the block.
    /// @param transactions  Those that were added, in their order.
    /// Errors: a system call at its end fails.
    [[nodiscard]] std::expected<Built, BlockError> finish(std::vector<Transaction> transactions);

private:
    [[nodiscard]] std::expected<void, TransactionError> execute(const Transaction& tx);

    const ChainConfig& config_;
    const BlockHashes& block_hashes_;
    vm::Evm evm_;
    vm::Outcome outcome_;
    // The open block.
    OverlayState overlay_;
    vm::BlockExecution execution_;
    vm::ObjectSetRecorder object_sets_;
    Block block_;
    BlockEnv env_;
    ExecutionLog* log_ = nullptr;
};

}  // namespace heddle::node
