// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "state/attempt_view.hpp"

namespace heddle::executor {

void AttemptView::begin(VersionedState& state, Attempt& attempt, const AttemptPlace& place) {
    state_ = &state;
    attempt_ = &attempt;
    limit_ = make_stamp(place.sight.before != 0 ? place.sight.before : place.position, 0);
    if (place.sight.unit != unit_) {
        own_accounts_.clear();
        own_slots_.clear();
    }
    unit_ = place.sight.unit;
    sender_ = *place.tx.sender;
    sender_cell_ = place.sender != nullptr ? place.sender : &state.account(sender_);
    recipient_ = place.recipient;
    is_behind_ = place.is_behind;
    is_behind_all_ = place.is_behind_all;
    estimates_ = place.estimates;
    first_in_flight_ = place.first_in_flight;
    // Read once: validation and execution must not see two different balances.
    sender_reading_ = read(*sender_cell_);
    if (sender_reading_.account.has_value()) sender_reading_.account->nonce = place.tx.nonce;
    last_ = sender_cell_;
    restart();
}

void AttemptView::restart() noexcept {
    attempt_->accounts.clear();
    attempt_->slots.clear();
    has_met_unrest_ = false;
    awaited_ = 0;
}

void AttemptView::add_own(const Attempt& attempt, Stamp stamp) {
    if (unit_ == 0) return;
    const StateDiff& diff = attempt.outcome.diff;
    const vm::AccessRecord& accesses = attempt.outcome.accesses;
    const Stamp after = stamp + 1;
    for (std::size_t i = 0; i < diff.accounts.size(); ++i) {
        const AccountChange& change = diff.accounts[i];
        const vm::AccountAccess& access = accesses.accounts[accesses.changed_accounts[i]];
        const AccountCell* const cell = attempt.accounts[accesses.changed_accounts[i]].cell;
        const bool is_gone = !change.account.has_value();
        const auto [entry, is_new] = own_accounts_.try_emplace(cell, limits_of(*cell));
        AccountStamps& limits = entry->second;
        // What publish() has published; deltas are not.
        if (is_gone || access.balance == vm::FieldAccess::write) limits.balance = after;
        if (is_gone || access.nonce == vm::FieldAccess::write) limits.nonce = after;
        if (is_gone || access.code == vm::FieldAccess::write) limits.code = after;
        if (is_gone || change.storage_cleared) limits.storage = after;
    }
    for (const SlotCell* const slot : attempt.changed_slots)
        own_slots_.insert_or_assign(slot, after);
}

AccountStamps AttemptView::limits_of(const AccountCell& cell) const noexcept {
    const auto own = own_accounts_.find(&cell);
    return own != own_accounts_.end() ? own->second : AccountStamps{limit_, limit_, limit_, limit_};
}

AccountReading AttemptView::read(AccountCell& cell) const noexcept {
    if (own_accounts_.empty()) [[likely]]
        return state_->read(cell, limit_);
    return state_->read(cell, limits_of(cell));
}

SlotReading AttemptView::read(SlotCell& cell) const noexcept {
    if (own_accounts_.empty()) [[likely]]
        return state_->read(cell, limit_);
    const auto own = own_slots_.find(&cell);
    return state_->read(cell, own != own_slots_.end() ? own->second : limit_,
                        limits_of(*cell.account));
}

AccountCell* AttemptView::overtaken_by() const noexcept {
    for (const SlotRead& seen : attempt_->slots)
        if (read(*seen.cell).stamp != seen.stamp) return seen.cell->account;
    for (const AccountRead& seen : attempt_->accounts) {
        const AccountStamps now = read(*seen.cell).stamps;
        if (now.code != seen.stamps.code || now.storage != seen.stamps.storage) return seen.cell;
    }
    return nullptr;
}

/// Which fields of accounts matter is known now only.
Stamp AttemptView::find_awaited() const noexcept {
    const vm::AccessRecord& accesses = attempt_->outcome.accesses;
    const auto look = [&](vm::FieldAccess access, Stamp stamp) {
        if (access == vm::FieldAccess::read || access == vm::FieldAccess::write)
            look_for_estimate(stamp);
    };
    for (std::size_t i = 0; i < attempt_->accounts.size() && awaited_ == 0; ++i) {
        const AccountRead& seen = attempt_->accounts[i];
        look(accesses.accounts[i].balance, seen.stamps.balance);
        if (seen.cell != sender_cell_) look(accesses.accounts[i].nonce, seen.stamps.nonce);
    }
    return awaited_;
}

std::optional<Account> AttemptView::account(const Address& address) const noexcept {
    if (address == sender_) {
        attempt_->accounts.push_back({sender_cell_, sender_reading_.stamps});
        look_for_estimate(sender_reading_.stamps.code);
        return sender_reading_.account;
    }
    const bool is_recipient = recipient_ != nullptr && recipient_->address == address;
    AccountCell& cell = is_recipient ? *recipient_ : state_->account(address);
    last_ = &cell;
    const AccountReading reading = read(cell);
    attempt_->accounts.push_back({&cell, reading.stamps});
    const bool is_ordered_by = is_behind_all_ || (is_behind_ && is_recipient);
    has_met_unrest_ |= is_ordered_by ? is_unruly(cell) : is_restless(cell);
    look_for_estimate(reading.stamps.code);
    return reading.account;
}

Uint256 AttemptView::storage(const Address& address, const Uint256& slot) const noexcept {
    if (last_->address != address) last_ = &state_->account(address);
    SlotCell& cell = state_->slot(*last_, slot);
    const SlotReading reading = read(cell);
    attempt_->slots.push_back({&cell, reading.stamp});
    look_for_estimate(reading.stamp);
    return reading.value;
}

bool AttemptView::has_storage(const Address& address) const noexcept {
    // An account whose creation asks this has neither nonce nor code, so nobody but a clearing can
    // have changed its slots; the committer compares the stamp of the last clearing.
    AccountCell& cell = state_->account(address);
    const Stamp cleared = read(cell).stamps.storage;
    look_for_estimate(cleared);
    if (cleared != 0) return false;
    return state_->base().has_storage(address);
}

BytesView AttemptView::code(const Hash& code_hash) const noexcept {
    return state_->code(code_hash);
}

}  // namespace heddle::executor
