// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "state/attempt_view.hpp"

namespace heddle::executor {

void AttemptView::begin(VersionedState& state, Attempt& attempt, const AttemptPlace& place) {
    state_ = &state;
    attempt_ = &attempt;
    limit_ = make_stamp(place.position, 0);
    sender_ = *place.tx.sender;
    sender_cell_ = place.sender != nullptr ? place.sender : &state.account(sender_);
    recipient_ = place.recipient;
    estimates_ = place.estimates;
    first_in_flight_ = place.first_in_flight;
    // Read once: validation and execution must not see two different balances.
    sender_reading_ = state.read(*sender_cell_, limit_);
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

AccountCell* AttemptView::overtaken_by() const noexcept {
    for (const SlotRead& seen : attempt_->slots)
        if (state_->read(*seen.cell, limit_).stamp != seen.stamp) return seen.cell->account;
    for (const AccountRead& seen : attempt_->accounts) {
        const AccountStamps now = state_->read(*seen.cell, limit_).stamps;
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
    const AccountReading reading = state_->read(cell, limit_);
    attempt_->accounts.push_back({&cell, reading.stamps});
    has_met_unrest_ |= is_restless(cell);
    look_for_estimate(reading.stamps.code);
    return reading.account;
}

Uint256 AttemptView::storage(const Address& address, const Uint256& slot) const noexcept {
    if (last_->address != address) last_ = &state_->account(address);
    SlotCell& cell = state_->slot(*last_, slot);
    const SlotReading reading = state_->read(cell, limit_);
    attempt_->slots.push_back({&cell, reading.stamp});
    look_for_estimate(reading.stamp);
    return reading.value;
}

bool AttemptView::has_storage(const Address& address) const noexcept {
    // An account whose creation asks this has neither nonce nor code, so nobody but a clearing can
    // have changed its slots; the committer compares the stamp of the last clearing.
    AccountCell& cell = state_->account(address);
    const Stamp cleared = state_->read(cell, limit_).stamps.storage;
    look_for_estimate(cleared);
    if (cleared != 0) return false;
    return state_->base().has_storage(address);
}

BytesView AttemptView::code(const Hash& code_hash) const noexcept {
    return state_->code(code_hash);
}

}  // namespace heddle::executor
