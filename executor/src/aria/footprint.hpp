// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What an attempt has read and changed, object by object, as Aria's rules count it.
#pragma once

#include <cstdint>

#include <types/object.hpp>

#include "aria/reservations.hpp"
#include "state/attempt.hpp"
#include "stream/task.hpp"

namespace heddle::executor {

/// Object numbers of accounts (kKindsPerAccount for each) and of slots are apart.
struct ObjectTables {
    Reservations accounts;
    Reservations slots;

    void begin_batch() noexcept {
        accounts.begin_batch();
        slots.begin_batch();
    }
    void shrink(std::size_t kept_accounts, std::size_t kept_slots) noexcept {
        accounts.shrink(kept_accounts * kKindsPerAccount);
        slots.shrink(kept_slots);
    }
    [[nodiscard]] std::size_t memory_bytes() const noexcept {
        return accounts.memory_bytes() + slots.memory_bytes();
    }
};

/// Whose attempt it is: what it is known to be without having read it is no dependency.
struct FootprintOf {
    const AccountCell* sender = nullptr;       // its nonce is the transaction's
    const AccountCell* beneficiary = nullptr;  // others pay it fees, which are noted nowhere
};

/// One object that an attempt has accessed.
struct ObjectTouch {
    ObjectKind kind = ObjectKind::balance;
    std::uint32_t number = 0;  // of the object, as ObjectRequest::number
    AccountCell* account = nullptr;
    SlotCell* slot = nullptr;  // of slots
    bool is_read = false;      // the outcome depends on the value
    bool is_changed = false;   // moved balances included: whoever reads them has to see it
    bool is_moved = false;     // of a balance: only moved, so that moves commute
    Stamp seen = 0;            // of the value, where it is read
    /// Fees are paid to this balance by all others.
    bool is_of_beneficiary = false;
};

/// Calls `visit(touch)` for each object; stops where it answers false.
/// @return whether it never did.
template <typename Visit>
bool visit_objects(const Attempt& attempt, const FootprintOf& of, Visit&& visit) {
    using vm::FieldAccess;
    const auto depends = [](FieldAccess access) {
        return access == FieldAccess::read || access == FieldAccess::write;
    };
    const vm::AccessRecord& accesses = attempt.outcome.accesses;
    for (std::size_t i = 0; i < attempt.accounts.size(); ++i) {
        const vm::AccountAccess& access = accesses.accounts[i];
        AccountCell* const cell = attempt.accounts[i].cell;
        const AccountStamps& seen = attempt.accounts[i].stamps;
        const std::uint32_t number = cell->number * kKindsPerAccount;
        ObjectTouch touch{.account = cell};
        const auto meet = [&](ObjectKind kind, std::uint32_t offset, bool is_read, bool is_changed,
                              Stamp stamp) {
            touch.kind = kind;
            touch.number = number + offset;
            touch.is_read = is_read;
            touch.is_changed = is_changed;
            touch.seen = stamp;
            return (!is_read && !is_changed) || visit(touch);
        };
        touch.is_moved = !depends(access.balance);
        touch.is_of_beneficiary = cell == of.beneficiary;
        if (!meet(ObjectKind::balance, 0, depends(access.balance), access.changes_balance,
                  seen.balance))
            return false;
        touch.is_moved = touch.is_of_beneficiary = false;
        const bool reads_nonce = access.nonce != FieldAccess::none && cell != of.sender;
        if (!meet(ObjectKind::nonce, 1, reads_nonce, access.changes_nonce, seen.nonce) ||
            !meet(ObjectKind::code, 2, access.code != FieldAccess::none,
                  access.changes_code || access.code == FieldAccess::write, seen.code) ||
            !meet(ObjectKind::storage_all, 3, access.storage_all != FieldAccess::none,
                  access.storage_all == FieldAccess::write, seen.storage))
            return false;
    }
    for (std::size_t i = 0; i < attempt.slots.size(); ++i) {
        SlotCell* const slot = attempt.slots[i].cell;
        if (!visit(ObjectTouch{.kind = ObjectKind::storage,
                               .number = slot->number,
                               .account = slot->account,
                               .slot = slot,
                               .is_read = true,
                               .is_changed = accesses.slots[i].is_written,
                               .seen = attempt.slots[i].stamp}))
            return false;
    }
    return true;
}

}  // namespace heddle::executor
