// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The world as of everything committed so far, and the only way to change it. What runs in stream
// order runs on this; so does, in the end, everything else.
#pragma once

#include <optional>

#include <types/revision.hpp>
#include <types/state_diff.hpp>

#include <vm/mutable_state.hpp>

#include "state/attempt.hpp"
#include "state/block_changes.hpp"
#include "state/versioned_state.hpp"

namespace heddle::executor {

/// Thread safety: one committer at a time, in stream order; workers read the cells meanwhile.
class CommittedState final : public vm::MutableState {
public:
    explicit CommittedState(VersionedState& state) noexcept : state_(state) {}

    /// The cells have been forgotten.
    void forget() noexcept {
        last_ = nullptr;
        fee_cell_ = nullptr;
        fees_ = {};
    }

    /// What follows is done by the task with this stamp, for this block.
    void begin(BlockChanges& block, Stamp stamp) noexcept {
        block_ = &block;
        stamp_ = stamp;
    }
    /// The same for what is going to read the state itself.
    void begin_in_order(BlockChanges& block, Stamp stamp) {
        begin(block, stamp);
        settle_fees();
    }

    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override;
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override;
    [[nodiscard]] bool has_storage(const Address& address) const noexcept override;
    [[nodiscard]] BytesView code(const Hash& code_hash) const noexcept override;

    void apply(const StateDiff& diff) override;

    /// An account of which something that the attempt depends on is not as it saw it. Null: there
    /// is none, and the attempt holds.
    [[nodiscard]] AccountCell* overtaken_by(const Attempt& attempt, const AttemptClaim& claim);
    /// Whether everything the attempt depends on is as it saw it.
    [[nodiscard]] bool is_valid(const Attempt& attempt, const AttemptClaim& claim) {
        return overtaken_by(attempt, claim) == nullptr;
    }
    /// Whether everything of the accounts that the attempt has looked at is as it was then, also
    /// what it does not depend on so far: it may come to use that. Of a valid attempt, one that is
    /// under way; fees are settled.
    [[nodiscard]] bool is_current(const Attempt& attempt, const Transaction& tx) const noexcept;
    /// Applies the changes of a valid attempt, deltas to what is there now, and ends its published
    /// versions.
    void apply(const Attempt& attempt);
    /// Takes back what an attempt has published.
    /// @param dispatched  All positions below may have seen it.
    void withdraw(const Attempt& attempt, Stamp stamp, std::uint64_t dispatched);
    /// Credits a deferred fee, in wei, as the transaction would have done.
    void credit_fee(AccountCell& beneficiary, const Uint256& fee, Revision revision);

    /// Gives the beneficiary what has come together, for those who are going to read its balance.
    void settle_fees();

    /// All changes of the block so far, merged.
    [[nodiscard]] StateDiff diff();

private:
    [[nodiscard]] AccountCell& cell(const Address& address) const noexcept;
    [[nodiscard]] bool holds(const AccountRead& seen, const vm::AccountAccess& access,
                             const AttemptClaim& claim);
    void mark_changed(AccountCell& cell);
    void remove(AccountCell& cell) noexcept;
    void clear_storage(AccountCell& cell) noexcept;
    void set_account(AccountCell& cell, const Account& account);
    void apply_delta(AccountCell& cell, const vm::AccountAccess& access, const Account& account,
                     Stamp published);
    void set_slot(AccountCell& account, SlotCell& slot, const Uint256& value, Stamp published);
    void add_codes(const StateDiff& diff, bool were_published);

    VersionedState& state_;
    BlockChanges* block_ = nullptr;
    Stamp stamp_ = 0;
    mutable AccountCell* last_ = nullptr;
    // Fees not yet in the cell, which is the hottest of all: put there before anybody looks.
    AccountCell* fee_cell_ = nullptr;
    Uint256 fees_;  // wei
    Stamp fee_stamp_ = 0;
};

/// Makes an attempt's absolute writes visible to those after it.
void publish(VersionedState& state, Attempt& attempt, Stamp stamp);
/// Takes that back. @param dispatched  All positions below may have seen it.
void withdraw(VersionedState& state, const Attempt& attempt, Stamp stamp, std::uint64_t dispatched);
/// Finds what publish() finds, for an attempt that is applied without having been published.
void find_changed_slots(VersionedState& state, Attempt& attempt);

}  // namespace heddle::executor
