// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// What a transaction leaves: its diff, and what it has accessed.
#include <utility>

#include "transaction_state.hpp"

namespace heddle::vm {

bool TransactionState::finish_destructed(AccountEntry& entry, StateDiff& diff) noexcept {
    if (entry.account.balance.is_zero()) {
        if (entry.existed) diff.accounts.push_back({entry.address, std::nullopt, true, {}});
        return false;
    }
    entry.account = {.nonce = 0, .balance = entry.account.balance};
    diff.accounts.push_back({entry.address, entry.account, entry.existed, {}});
    return true;
}

bool TransactionState::finish_account(AccountEntry& entry, StateDiff& diff) noexcept {
    const bool is_cleared =
        revision_ >= Revision::spurious_dragon && entry.is_touched && entry.is_empty();
    if (entry.is_destructed && revision_ >= Revision::amsterdam)
        return finish_destructed(entry, diff);
    if (entry.is_destructed || is_cleared || !entry.exists) {
        if (entry.existed) diff.accounts.push_back({entry.address, std::nullopt, true, {}});
        return false;
    }
    std::size_t changed_slots = 0;
    for (std::uint32_t i = entry.first_slot; i != kNoEntry; i = slots_[i].next) {
        const SlotEntry& slot = slots_[i];
        changed_slots += slot.is_loaded && slot.current != slot.original ? 1u : 0u;
    }
    if (entry.existed && entry.account == entry.original && changed_slots == 0) return true;
    AccountChange& change = diff.accounts.emplace_back();
    change.address = entry.address;
    change.account = entry.account;
    change.storage.reserve(changed_slots);
    for (std::uint32_t i = entry.first_slot; i != kNoEntry; i = slots_[i].next) {
        const SlotEntry& slot = slots_[i];
        if (slot.is_loaded && slot.current != slot.original)
            change.storage.push_back({slot.slot, slot.current});
    }
    return true;
}

/// Whoever keeps what a transaction changed keeps the code that accounts are left with, and none
/// that they had on the way: from Amsterdam on that may have cost next to nothing (EIP-8037).
void TransactionState::finish_code(const AccountEntry& entry, StateDiff& diff) noexcept {
    if (entry.fresh_code == kNoEntry || !entry.account.has_code()) return;
    diff.codes.push_back(std::move(codes_[entry.fresh_code].change));
}

AccountAccess TransactionState::access_of(const AccountEntry& entry, bool remains) const noexcept {
    const AccountUse& use = entry.use;
    AccountAccess access;
    access.address = entry.address;
    access.seen_balance = entry.original.balance;
    access.required_balance = use.required_balance;

    const Account after = remains ? entry.account : Account{};
    access.changes_balance = after.balance != entry.original.balance;
    access.changes_nonce = after.nonce != entry.original.nonce;
    access.changes_code = after.code_hash != entry.original.code_hash;

    // What came back to what it was is only read: nobody after it can tell.
    const bool is_moved = remains ? entry.account.balance != entry.original.balance : entry.existed;
    if (use.reads_balance)
        access.balance = is_moved ? FieldAccess::write : FieldAccess::read;
    else if (use.debits)
        access.balance = FieldAccess::debit;
    else if (use.credits)
        access.balance = FieldAccess::add;

    // With an account goes its nonce.
    const bool loses_nonce = entry.existed && !remains && entry.original.nonce != 0;
    if (use.sets_nonce || loses_nonce || (use.counts_nonce && use.reads_nonce))
        access.nonce = FieldAccess::write;
    else if (use.counts_nonce)
        access.nonce = FieldAccess::add;
    else if (use.reads_nonce)
        access.nonce = FieldAccess::read;

    // Whether an account counts as dead belongs here and not to the balance, so it is a change of
    // this field where a credit to an empty account that exists ends that (EIP-161). In every
    // revision, as what comes after may be of a later one.
    const bool was_dead = !entry.existed || entry.original.is_empty();
    const bool is_dead = !remains || entry.is_empty();
    if (use.is_fee_only) {
        // What a fee brings to life is seen by whoever adds up the fees.
        access.code = FieldAccess::none;
    } else if (entry.existed != remains || was_dead != is_dead ||
               (remains && entry.account.code_hash != entry.original.code_hash)) {
        access.code = FieldAccess::write;
        // Out of nothing comes a balance that is known, and that others must find with the account.
        if (was_dead && access.balance != FieldAccess::none) access.balance = FieldAccess::write;
    }

    if (use.creates || entry.is_destructed)
        access.storage_all = FieldAccess::write;
    else if (use.uses_storage)
        access.storage_all = FieldAccess::read;
    return access;
}

void TransactionState::record_slots(AccessRecord& record) noexcept {
    record.slots.resize(loaded_slots_);
    const bool is_listed = revision_ >= Revision::amsterdam;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        const SlotEntry& slot = slots_[i];
        if (!slot.is_loaded) continue;
        const AccountEntry& account = accounts_[slot.account];
        // With a contract that destructs itself go its slots; older forks see to that elsewhere.
        const bool is_written =
            slot.current != slot.original && !(is_listed && account.is_destructed);
        const SlotAccess access{slot.slot, account.load_index, is_written};
        if (slot.load_index != kNoEntry)
            record.slots[slot.load_index] = access;
        else if (is_listed)
            record.fresh_slots.push_back(access);
    }
}

void TransactionState::record_change(const AccountEntry& entry, const AccountChange& change,
                                     AccessRecord& record) noexcept {
    static_assert(AccessRecord::kNone == kNoEntry);
    record.changed_accounts.push_back(entry.load_index);
    if (change.storage.empty()) return;
    for (std::uint32_t i = entry.first_slot; i != kNoEntry; i = slots_[i].next) {
        const SlotEntry& slot = slots_[i];
        if (slot.is_loaded && slot.current != slot.original)
            record.changed_slots.push_back(slot.load_index);
    }
}

void TransactionState::record(AccessRecord& record) noexcept {
    record.clear();
    record.accounts.resize(loaded_accounts_);
    record_slots(record);
    for (std::size_t i = 0; i < accounts_.size(); ++i) {
        const AccountEntry& entry = accounts_[i];
        if (!entry.is_loaded) continue;
        const bool remains = entry.exists && !entry.is_destructed;
        record.accounts[entry.load_index] = access_of(entry, remains);
    }
}

void TransactionState::finish(StateDiff& diff, AccessRecord* record) noexcept {
    if (record != nullptr) {
        record->clear();
        record->accounts.resize(loaded_accounts_);
        record_slots(*record);
    }
    for (std::size_t i = 0; i < accounts_.size(); ++i) {
        AccountEntry& entry = accounts_[i];
        if (!entry.is_loaded) continue;
        const std::size_t changes = diff.accounts.size();
        const bool remains = finish_account(entry, diff);
        if (remains) finish_code(entry, diff);
        if (record == nullptr) continue;
        record->accounts[entry.load_index] = access_of(entry, remains);
        if (diff.accounts.size() != changes) record_change(entry, diff.accounts.back(), *record);
    }
    codes_.clear();
}

}  // namespace heddle::vm
