// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Executing stored blocks again, transaction by transaction, outside the stream: for tracing. Gives
// each transaction the state of its place in the serial order.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include <ledger/durable_ledger.hpp>
#include <types/block.hpp>
#include <vm/evm.hpp>
#include <vm/transition.hpp>

#include "chain/chain.hpp"
#include "overlay_state.hpp"

namespace heddle::node {

/// A block that is being executed again. After construction it stands before the first
/// transaction, behind the block's system calls.
/// Thread safety: one thread at a time.
class BlockReplay {
public:
    /// Errors: those of the ledger where the state before the block is not kept.
    [[nodiscard]] static std::expected<std::unique_ptr<BlockReplay>, ledger::LedgerError> start(
        const Chain& chain, ledger::StoredBlock block);

    [[nodiscard]] const ledger::StoredBlock& block() const noexcept { return block_; }
    [[nodiscard]] const BlockEnv& env() const noexcept { return env_; }
    /// The state before the next transaction.
    [[nodiscard]] const StateView& state() const noexcept { return state_; }
    [[nodiscard]] std::size_t next_index() const noexcept { return next_; }

    /// Executes transactions up to and excluding `index`.
    void advance_to(std::size_t index);
    /// Executes the next transaction on `evm`, which may have a tracer, and moves on.
    const vm::Outcome& execute_next(vm::Evm& evm);

private:
    BlockReplay(const Chain& chain, ledger::StoredBlock block,
                std::unique_ptr<ledger::PastState> base);

    const Chain& chain_;
    const ledger::StoredBlock block_;
    const std::unique_ptr<ledger::PastState> base_;
    OverlayState state_;
    BlockEnv env_;
    vm::Evm evm_;
    vm::Outcome outcome_;
    std::size_t next_ = 0;
    std::uint64_t gas_used_ = 0;
    std::uint64_t blob_gas_used_ = 0;
};

}  // namespace heddle::node
