// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The world as one attempt sees it: for everything the newest value before its position that is
// known when it looks. What it saw is noted, so that the committer can tell whether it still holds.
#pragma once

#include <optional>
#include <unordered_map>

#include <types/state_view.hpp>

#include "state/attempt.hpp"
#include "state/versioned_state.hpp"

namespace heddle::executor {

/// Thread safety: none; one worker's. What it gives may be inconsistent, never torn: the host must
/// cope with any values, and does, as it copes with any state.
class AttemptView final : public StateView {
public:
    /// For one attempt. The sender's nonce is taken to be the transaction's: the order of the block
    /// says so, and the committer checks it.
    void begin(VersionedState& state, Attempt& attempt, const AttemptPlace& place);
    /// What was read so far does not count; the sender's account stays as it was read.
    void restart() noexcept;
    /// An attempt of the unit has been published: those that follow it in the unit see it, though
    /// they see nothing else that is as new.
    void add_own(const Attempt& attempt, Stamp stamp);

    /// Whether an account was read whose changes have overtaken many attempts of late, other than
    /// one that the attempt is ordered by.
    [[nodiscard]] bool has_met_unrest() const noexcept { return has_met_unrest_; }
    /// An account of which something that was read has a newer value before this position, where
    /// the attempt depends on it in any case: slots, code, existence. Null: there is none. Whoever
    /// published the value may still be withdrawn.
    [[nodiscard]] AccountCell* overtaken_by() const noexcept;

    /// Of a value that was read, that the attempt depends on, and that is going to be replaced: the
    /// first one that was found. 0: none was. While the attempt is under way, only what it depends
    /// on in any case is looked at: slots, code, existence.
    [[nodiscard]] Stamp awaited() const noexcept { return awaited_; }
    /// The attempt has run to its end: looks at everything. @return whether there is one.
    [[nodiscard]] bool awaits_anything() const noexcept {
        return estimates_ != nullptr && find_awaited() != 0;
    }
    /// The sender may not be able to pay: looks at its balance.
    void await_sender() const noexcept { look_for_estimate(sender_reading_.stamps.balance); }
    void await_nothing() noexcept { awaited_ = 0; }

    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override;
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override;
    [[nodiscard]] bool has_storage(const Address& address) const noexcept override;
    [[nodiscard]] BytesView code(const Hash& code_hash) const noexcept override;

private:
    void look_for_estimate(Stamp stamp) const noexcept {
        if (estimates_ != nullptr && stamp >= first_in_flight_ && awaited_ == 0 &&
            estimates_->is_estimate(stamp))
            awaited_ = stamp;
    }
    [[nodiscard]] Stamp find_awaited() const noexcept;
    [[nodiscard]] AccountReading read(AccountCell& cell) const noexcept;
    [[nodiscard]] SlotReading read(SlotCell& cell) const noexcept;
    /// Below what an account's objects are read: the unit's own values are above the bound.
    [[nodiscard]] AccountStamps limits_of(const AccountCell& cell) const noexcept;

    VersionedState* state_ = nullptr;
    Attempt* attempt_ = nullptr;
    Stamp limit_ = 0;
    // What earlier attempts of the unit have left.
    std::uint64_t unit_ = 0;
    std::unordered_map<const AccountCell*, AccountStamps> own_accounts_;  // limits
    std::unordered_map<const SlotCell*, Stamp> own_slots_;
    Address sender_;
    AccountCell* recipient_ = nullptr;  // null: to be found
    AccountCell* sender_cell_ = nullptr;
    AccountReading sender_reading_;
    bool is_behind_ = false;
    bool is_behind_all_ = false;
    const Estimates* estimates_ = nullptr;
    Stamp first_in_flight_ = 0;
    mutable Stamp awaited_ = 0;
    mutable bool has_met_unrest_ = false;
    mutable AccountCell* last_ = nullptr;  // slots are mostly read in runs of one account
};

}  // namespace heddle::executor
