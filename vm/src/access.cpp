// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <vm/access.hpp>

#include <utility>

namespace heddle::vm {
namespace {

AccessMode to_mode(FieldAccess access) noexcept {
    switch (access) {
        case FieldAccess::none:
        case FieldAccess::read:
            return AccessMode::read;
        case FieldAccess::add:
            return AccessMode::add;
        case FieldAccess::debit:
            return AccessMode::debit;
        case FieldAccess::write:
            return AccessMode::write;
    }
    return AccessMode::write;
}

void append(std::vector<Access>& accesses, const Address& address, ObjectKind kind,
            FieldAccess access) {
    if (access != FieldAccess::none) accesses.push_back({{address, kind, {}}, to_mode(access)});
}

}  // namespace

void AccessRecord::clear() noexcept {
    accounts.clear();
    slots.clear();
    changed_accounts.clear();
    changed_slots.clear();
    fresh_slots.clear();
}

ObjectSet AccessRecord::object_set(const std::optional<Address>& beneficiary) const {
    std::vector<Access> accesses;
    accesses.reserve(4 * accounts.size() + slots.size() + 1);
    for (const AccountAccess& account : accounts) {
        append(accesses, account.address, ObjectKind::balance, account.balance);
        append(accesses, account.address, ObjectKind::nonce, account.nonce);
        append(accesses, account.address, ObjectKind::code, account.code);
        append(accesses, account.address, ObjectKind::storage_all, account.storage_all);
    }
    for (const SlotAccess& slot : slots)
        accesses.push_back({{accounts[slot.account].address, ObjectKind::storage, slot.slot},
                            slot.is_written ? AccessMode::write : AccessMode::read});
    if (beneficiary.has_value())
        append(accesses, *beneficiary, ObjectKind::balance, FieldAccess::add);
    return ObjectSet{std::move(accesses)};
}

}  // namespace heddle::vm
