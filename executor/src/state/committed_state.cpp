// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "state/committed_state.hpp"

#include <algorithm>
#include <mutex>

#include <types/assert.hpp>

#include <vm/moved_balance.hpp>

#include "workers/prefetch.hpp"

namespace heddle::executor {
namespace {

using vm::AccessRecord;
using vm::AccountAccess;
using vm::FieldAccess;

/// Cells of a block's diff that are fetched ahead: they are anywhere.
constexpr std::size_t kAhead = 4;

bool is_absolute(FieldAccess access) noexcept {
    return access == FieldAccess::write;
}
bool depends_on(FieldAccess access) noexcept {
    return access == FieldAccess::read || access == FieldAccess::write;
}

/// Whether moving this balance gives what moving the one that was seen gave: every check of cover
/// comes out as it did, and no sum leaves 256 bits.
bool may_be_moved(const AccountAccess& access, const Uint256& balance) noexcept {
    return balance >= access.required_balance &&
           (balance < vm::kMostMovedBalance || access.seen_balance >= vm::kMostMovedBalance);
}

/// Whether there is anything that is not a delta.
bool is_published(const AccountChange& change, const AccountAccess& access) noexcept {
    return !change.account.has_value() || change.storage_cleared || is_absolute(access.balance) ||
           is_absolute(access.nonce) || is_absolute(access.code);
}

AccountVersion make_version(const AccountChange& change, const AccountAccess& access,
                            Stamp stamp) noexcept {
    AccountVersion version;
    version.stamp = stamp;
    const bool is_gone = !change.account.has_value();
    const Account account = change.account.value_or(Account{});
    version.exists = !is_gone;
    version.sets_balance = is_gone || is_absolute(access.balance);
    version.sets_nonce = is_gone || is_absolute(access.nonce);
    version.sets_code = is_gone || is_absolute(access.code);
    version.clears_storage = is_gone || change.storage_cleared;
    version.balance = account.balance;
    version.nonce = account.nonce;
    version.code_hash = account.code_hash;
    return version;
}

}  // namespace

AccountCell& CommittedState::cell(const Address& address) const noexcept {
    if (last_ == nullptr || last_->address != address) last_ = &state_.account(address);
    state_.ensure_loaded(*last_);
    state_.keep(*last_);
    return *last_;
}

std::optional<Account> CommittedState::account(const Address& address) const noexcept {
    const AccountCell& found = cell(address);
    if (!found.exists) return std::nullopt;
    return found.committed;
}

Uint256 CommittedState::storage(const Address& address, const Uint256& slot) const noexcept {
    SlotCell& found = state_.slot(cell(address), slot);
    state_.keep(found);
    return state_.committed(found).value;
}

bool CommittedState::has_storage(const Address& address) const noexcept {
    return state_.has_storage(cell(address));
}

BytesView CommittedState::code(const Hash& code_hash) const noexcept {
    return state_.code(code_hash);
}

void CommittedState::mark_changed(AccountCell& cell) {
    if (cell.changed_in == block_->serial) return;
    state_.keep(cell);
    cell.changed_in = block_->serial;
    cell.changed_slots = nullptr;
    block_->accounts.push_back(&cell);
}

/// The account is gone, its storage with it. Under the cell's lock.
void CommittedState::remove(AccountCell& cell) noexcept {
    cell.exists = false;
    cell.committed = {};
    cell.stamps = {stamp_, stamp_, stamp_, stamp_};
    cell.slots = nullptr;
    cell.has_clearing.store(true, std::memory_order_release);
}

void CommittedState::clear_storage(AccountCell& cell) noexcept {
    cell.stamps.storage = stamp_;
    cell.slots = nullptr;
    cell.has_clearing.store(true, std::memory_order_release);
}

/// Under the cell's lock. Only what differs gets the stamp: readers of the rest stay valid. Whether
/// an account counts as dead (EIP-161) belongs to `code`, so an empty account that gets its first
/// wei or nonce, or loses the last, has its code stamped, as in vm's records of attempts.
void CommittedState::set_account(AccountCell& cell, const Account& account) {
    if (!cell.exists || cell.committed.code_hash != account.code_hash ||
        cell.committed.is_empty() != account.is_empty())
        cell.stamps.code = stamp_;
    if (cell.committed.nonce != account.nonce) cell.stamps.nonce = stamp_;
    if (cell.committed.balance != account.balance) cell.stamps.balance = stamp_;
    cell.exists = true;
    cell.committed = account;
}

void CommittedState::set_slot(AccountCell& account, SlotCell& slot, const Uint256& value,
                              Stamp published) {
    if (!is_listed(slot)) {
        state_.keep(slot);
        slot.was_listed = true;
        slot.next_slot = account.slots;
        account.slots = &slot;
    }
    {
        const std::lock_guard guard(slot.lock);
        slot.committed = value;
        slot.stamp = stamp_;
        slot.is_loaded.store(true, std::memory_order_release);
        if (published != 0) slot.erase_version(published);
    }
    if (slot.changed_in != block_->serial) {
        slot.changed_in = block_->serial;
        slot.next_changed = account.changed_slots;
        account.changed_slots = &slot;
    }
}

void CommittedState::add_codes(const StateDiff& diff, bool were_published) {
    for (const CodeChange& change : diff.codes)
        if (state_.commit_code(change.hash, change.code, were_published))
            block_->codes.push_back(change.hash);
}

void CommittedState::apply(const StateDiff& diff) {
    settle_fees();
    add_codes(diff, false);  // before anybody can find an account that has it
    for (const AccountChange& change : diff.accounts) {
        AccountCell& changed = cell(change.address);
        mark_changed(changed);
        {
            const std::lock_guard guard(changed.lock);
            if (!change.account.has_value()) {
                remove(changed);
            } else {
                if (change.storage_cleared) clear_storage(changed);
                set_account(changed, *change.account);
            }
        }
        for (const StorageChange& written : change.storage)
            set_slot(changed, state_.slot(changed, written.slot), written.value, 0);
    }
    // What the same task applies next is later than this.
    if (attempt_of(stamp_) != kLastAttempt) ++stamp_;
}

bool CommittedState::holds(const AccountRead& seen, const AccountAccess& access,
                           const AttemptClaim& claim) {
    const AccountCell& now = *seen.cell;
    if (&now == fee_cell_) settle_fees();
    if (access.code != FieldAccess::none && now.stamps.code != seen.stamps.code) return false;
    if (access.storage_all != FieldAccess::none && now.stamps.storage != seen.stamps.storage)
        return false;
    if (depends_on(access.balance) ? now.stamps.balance != seen.stamps.balance
                                   : !may_be_moved(access, now.committed.balance))
        return false;
    if (now.address == *claim.tx.sender)
        return now.committed.nonce == claim.tx.nonce && now.committed.balance >= claim.upfront_cost;
    return access.nonce == FieldAccess::none || now.stamps.nonce == seen.stamps.nonce;
}

AccountCell* CommittedState::overtaken_by(const Attempt& attempt, const AttemptClaim& claim) {
    const AccessRecord& accesses = attempt.outcome.accesses;
    HEDDLE_ASSERT(accesses.accounts.size() == attempt.accounts.size() &&
                  accesses.slots.size() == attempt.slots.size());
    for (std::size_t i = 0; i < attempt.accounts.size(); ++i)
        if (!holds(attempt.accounts[i], accesses.accounts[i], claim))
            return attempt.accounts[i].cell;
    for (const SlotRead& seen : attempt.slots)
        if (std::max(seen.cell->stamp, seen.cell->account->stamps.storage) != seen.stamp)
            return seen.cell->account;
    return nullptr;
}

bool CommittedState::is_current(const Attempt& attempt, const Transaction& tx) const noexcept {
    return std::ranges::all_of(attempt.accounts, [&](const AccountRead& seen) {
        const AccountStamps& now = seen.cell->stamps;
        // A valid transaction has its sender's nonce, so attempts begin with that one.
        const bool is_nonce_current =
            seen.cell->address == *tx.sender || now.nonce == seen.stamps.nonce;
        return is_nonce_current && now.balance == seen.stamps.balance &&
               now.code == seen.stamps.code && now.storage == seen.stamps.storage;
    });
}

/// Under the cell's lock. The counterpart of what publish() decides.
void CommittedState::apply_delta(AccountCell& cell, const AccountAccess& access,
                                 const Account& account, Stamp published) {
    if (access.code == FieldAccess::write) {
        cell.exists = true;
        cell.committed.code_hash = account.code_hash;
        cell.stamps.code = stamp_;
    }
    if (access.nonce != FieldAccess::none) {
        if (is_absolute(access.nonce) || cell.committed.nonce != account.nonce)
            cell.stamps.nonce = stamp_;
        cell.committed.nonce = account.nonce;
    }
    if (is_absolute(access.balance)) {
        cell.committed.balance = account.balance;
        cell.stamps.balance = stamp_;
    } else if (const Uint256 delta = account.balance - access.seen_balance; !delta.is_zero()) {
        cell.committed.balance += delta;
        cell.stamps.balance = stamp_;
    }
    cell.erase_version(published);
}

void CommittedState::apply(const Attempt& attempt) {
    const StateDiff& diff = attempt.outcome.diff;
    const AccessRecord& accesses = attempt.outcome.accesses;
    for (const AccountRead& read : attempt.accounts)
        state_.keep(*read.cell);
    for (const SlotRead& read : attempt.slots)
        state_.keep(*read.cell);
    std::size_t slot = 0;
    for (std::size_t i = 0; i < diff.accounts.size(); ++i) {
        const AccountChange& change = diff.accounts[i];
        const std::uint32_t index = accesses.changed_accounts[i];
        AccountCell& cell = *attempt.accounts[index].cell;
        if (&cell == fee_cell_) settle_fees();
        mark_changed(cell);
        {
            const std::lock_guard guard(cell.lock);
            if (change.account.has_value()) {
                if (change.storage_cleared) clear_storage(cell);
                apply_delta(cell, accesses.accounts[index], *change.account, stamp_);
            } else {
                remove(cell);
                cell.erase_version(stamp_);
            }
        }
        for (const StorageChange& written : change.storage)
            set_slot(cell, *attempt.changed_slots[slot++], written.value, stamp_);
    }
    add_codes(diff, true);
}

void CommittedState::withdraw(const Attempt& attempt, Stamp stamp, std::uint64_t dispatched) {
    executor::withdraw(state_, attempt, stamp, dispatched);
    // All positions before this one are committed.
    state_.free_withdrawn_code(position_of(stamp));
}

void CommittedState::credit_fee(AccountCell& beneficiary, const Uint256& fee, Revision revision) {
    state_.ensure_loaded(beneficiary);
    if (fee_cell_ != &beneficiary) settle_fees();
    const bool is_alive = beneficiary.exists && !beneficiary.committed.is_empty();
    // Sums of 256 bits begin anew, and what comes to nothing may end the account.
    const bool has_room = beneficiary.committed.balance + fees_ + fee >= fee;
    if (is_alive && has_room) {
        // Nobody can see this but by asking for the balance.
        fee_cell_ = &beneficiary;
        fees_ += fee;
        fee_stamp_ = stamp_;
        return;
    }
    settle_fees();
    const bool clears_empty = revision >= Revision::spurious_dragon;  // EIP-161
    Account account = beneficiary.exists ? beneficiary.committed : Account{};
    account.balance += fee;
    const bool is_cleared = clears_empty && account.is_empty();
    if (beneficiary.exists ? fee.is_zero() && !is_cleared : is_cleared) return;
    mark_changed(beneficiary);
    const std::lock_guard guard(beneficiary.lock);
    if (is_cleared) return remove(beneficiary);
    // Coming to life is something that others may have to see, growing richer is not.
    set_account(beneficiary, account);
}

void CommittedState::settle_fees() {
    if (fees_.is_zero()) return;
    mark_changed(*fee_cell_);
    const std::lock_guard guard(fee_cell_->lock);
    fee_cell_->committed.balance += fees_;
    fee_cell_->stamps.balance = fee_stamp_;
    fees_ = {};
}

StateDiff CommittedState::diff() {
    settle_fees();
    StateDiff diff;
    diff.accounts.reserve(block_->accounts.size());
    const Stamp block_start = block_->first_stamp;
    const std::vector<AccountCell*>& changed = block_->accounts;
    for (std::size_t i = 0; i < changed.size(); ++i) {
        if (i + kAhead < changed.size()) prefetch_for_read(changed[i + kAhead]);
        const AccountCell* const cell = changed[i];
        AccountChange& change = diff.accounts.emplace_back();
        change.address = cell->address;
        change.storage_cleared = cell->stamps.storage >= block_start;
        if (!cell->exists) continue;
        change.account = cell->committed;
        for (const SlotCell* slot = cell->changed_slots; slot != nullptr; slot = slot->next_changed)
            if (slot->stamp >= cell->stamps.storage)
                change.storage.push_back({slot->slot, slot->committed});
    }
    diff.codes.reserve(block_->codes.size());
    for (const Hash& hash : block_->codes) {
        const BytesView code = state_.code(hash);
        diff.codes.push_back({hash, Bytes(code.begin(), code.end())});
    }
    return diff;
}

void publish(VersionedState& state, Attempt& attempt, Stamp stamp) {
    const StateDiff& diff = attempt.outcome.diff;
    const AccessRecord& accesses = attempt.outcome.accesses;
    // Before anybody can find an account that has it.
    for (const CodeChange& change : diff.codes)
        state.publish_code(change.hash, change.code);
    attempt.changed_slots.clear();
    std::size_t slot = 0;
    for (std::size_t i = 0; i < diff.accounts.size(); ++i) {
        const AccountChange& change = diff.accounts[i];
        const std::uint32_t index = accesses.changed_accounts[i];
        const AccountAccess& access = accesses.accounts[index];
        AccountCell& cell = *attempt.accounts[index].cell;
        if (is_published(change, access))
            VersionedState::publish(cell, make_version(change, access, stamp));
        for (const StorageChange& written : change.storage) {
            const std::uint32_t number = accesses.changed_slots[slot++];
            SlotCell& target = number == AccessRecord::kNone ? state.slot(cell, written.slot)
                                                             : *attempt.slots[number].cell;
            attempt.changed_slots.push_back(&target);
            VersionedState::publish(target, {stamp, written.value});
        }
    }
}

void withdraw(VersionedState& state, const Attempt& attempt, Stamp stamp,
              std::uint64_t dispatched) {
    const vm::Outcome& outcome = attempt.outcome;
    for (const std::uint32_t index : outcome.accesses.changed_accounts)
        VersionedState::withdraw(*attempt.accounts[index].cell, stamp);
    for (SlotCell* slot : attempt.changed_slots)
        VersionedState::withdraw(*slot, stamp);
    for (const CodeChange& change : outcome.diff.codes)
        state.withdraw_code(change.hash, dispatched);
}

void find_changed_slots(VersionedState& state, Attempt& attempt) {
    const vm::AccessRecord& accesses = attempt.outcome.accesses;
    attempt.changed_slots.clear();
    std::size_t slot = 0;
    const std::vector<AccountChange>& accounts = attempt.outcome.diff.accounts;
    for (std::size_t i = 0; i < accounts.size(); ++i) {
        AccountCell& cell = *attempt.accounts[accesses.changed_accounts[i]].cell;
        for (const StorageChange& written : accounts[i].storage) {
            const std::uint32_t number = accesses.changed_slots[slot++];
            attempt.changed_slots.push_back(number == AccessRecord::kNone
                                                ? &state.slot(cell, written.slot)
                                                : attempt.slots[number].cell);
        }
    }
}

}  // namespace heddle::executor
