// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a call is executed: a block, the state after it, and what the caller wants to be otherwise.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>

#include <types/block.hpp>
#include <types/state_view.hpp>
#include <types/transaction_error.hpp>
#include <vm/simulate.hpp>
#include <vm/transition.hpp>

#include "chain/chain.hpp"
#include "chain/overlay_state.hpp"
#include "chain/selected_state.hpp"
#include "simulation/call_request.hpp"
#include "simulation/deadline.hpp"
#include "simulation/evm_pool.hpp"
#include "simulation/overrides.hpp"

namespace heddle::node::simulation {

/// What BLOCKHASH gives a call: the hashes of the blocks below its own, and zero where an
/// overridden number makes it ask for others.
class CallBlockHashes final : public BlockHashes {
public:
    CallBlockHashes(const Chain& chain, std::uint64_t block_number)
        : chain_(chain), block_number_(block_number) {}
    [[nodiscard]] Hash block_hash(std::uint64_t number) const noexcept override;

private:
    const Chain& chain_;
    const std::uint64_t block_number_;
};

/// Thread safety: one thread at a time.
class CallSite {
public:
    /// The chain must outlive it.
    CallSite(const Chain& chain, SelectedState base);
    CallSite(const CallSite&) = delete;
    CallSite& operator=(const CallSite&) = delete;

    /// Errors: as apply(). Blocks before state: the fork decides which precompiles there are.
    void override_block(const BlockOverrides& overrides);
    void override_state(const StateOverrides& overrides);

    /// The next call finds what this one changed.
    void keep(const StateDiff& diff);

    /// All gas is for execution, also what in a transaction would pay for state alone (EIP-8037):
    /// code that is only asked may take longer than a transaction.
    void lift_execution_cap() noexcept { caps_execution_ = false; }

    [[nodiscard]] const Chain& chain() const noexcept { return chain_; }
    [[nodiscard]] const ledger::StoredHeader& header() const noexcept { return header_; }
    [[nodiscard]] const BlockEnv& env() const noexcept { return env_; }
    [[nodiscard]] const StateView& state() const noexcept;
    /// Whether prices are those of EIP-1559: the block has a base fee, or is to have one.
    [[nodiscard]] bool has_base_fee() const noexcept { return has_base_fee_; }
    /// Whether code runs that is not on the chain.
    [[nodiscard]] bool has_foreign_code() const noexcept { return has_foreign_code_; }

    /// Executes a call; what it changes goes nowhere but into the outcome. One that pays nothing
    /// sees prices of zero.
    /// Errors: as vm::validate_call(). Failure timed_out where the deadline passes meanwhile.
    [[nodiscard]] std::expected<void, TransactionError> execute(const CallTransaction& tx,
                                                                vm::Evm& evm, vm::Outcome& outcome,
                                                                const Deadline& deadline) const;
    /// Why execute() refused it; see rejection_text().
    [[nodiscard]] std::string rejection(TransactionError error, const CallTransaction& tx) const;

    /// The precompiled contract that the call goes to, or 0.
    [[nodiscard]] std::uint32_t precompile_of(const Transaction& tx) const noexcept;

    /// How a call ended that neither succeeded nor was reverted. It is executed once more: the fast
    /// interpreter does not name the first instruction that failed. Errors: Failure timed_out.
    [[nodiscard]] std::string explain_halt(const CallTransaction& tx,
                                           const Deadline& deadline) const;

private:
    [[nodiscard]] BlockEnv env_for(const Transaction& tx) const;
    /// On a chain that forks another one: fetches what it reads, together where that is known.
    void read_ahead_of(const CallTransaction& tx, const BlockEnv& env,
                       const Deadline& deadline) const;
    [[nodiscard]] vm::CallChecks checks_of(const CallTransaction& tx) const noexcept {
        return {.execution_cap = caps_execution_, .lists = tx.lists};
    }

    const Chain& chain_;
    const ledger::StoredHeader header_;
    const std::shared_ptr<const StateView> base_;
    BlockEnv env_;
    const Revision revision_;  // of the block, whatever its number; see held_to_number()
    const CallBlockHashes block_hashes_;
    std::optional<OverlayState> overlay_;
    std::optional<vm::PrecompileTable> precompiles_;
    bool has_base_fee_ = false;
    bool has_foreign_code_ = false;
    bool caps_execution_ = true;
};

}  // namespace heddle::node::simulation
