// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/list_check.hpp"

#include <algorithm>
#include <string_view>

namespace heddle::ledger {

namespace {

/// The last of the values listed, or what was there before.
template <typename Value>
Value value_after(const std::vector<ListedChange<Value>>& changes, const Value& before) {
    return changes.empty() ? before : changes.back().value;
}

Account account_of(const std::optional<AccountRecord>& record) {
    return record.has_value() ? record->account : Account{};
}

std::string names(const Address& address, std::string_view field) {
    return "leads to another " + std::string{field} + " of " + to_string(address) +
           " than is stored";
}

std::optional<std::string> check_slots(const ListedAccount& listed, const AccountUpdate& update) {
    // Slots that go with an account are in no list (self-destruction before EIP-6780).
    const bool may_have_ended = std::ranges::any_of(
        listed.code_changes, [](const auto& code) { return code.value.empty(); });
    for (const SlotUpdate& slot : update.slots) {
        const auto found =
            std::ranges::lower_bound(listed.storage_changes, slot.slot, {}, &ListedSlot::slot);
        const bool is_listed = found != listed.storage_changes.end() && found->slot == slot.slot;
        if (slot.after.is_zero() && may_have_ended) continue;
        if (!is_listed || found->changes.back().value != slot.after)
            return names(update.address, "slot " + to_hex(slot.slot));
    }
    return std::nullopt;
}

std::optional<std::string> check_account(const ListedAccount& listed, const AccountUpdate& update) {
    const Account before = account_of(update.before);
    const Account after = account_of(update.after);
    if (value_after(listed.balance_changes, before.balance) != after.balance)
        return names(update.address, "balance");
    if (value_after(listed.nonce_changes, before.nonce) != after.nonce)
        return names(update.address, "nonce");
    const Hash code = listed.code_changes.empty() ? before.code_hash
                                                  : keccak256(listed.code_changes.back().value);
    if (code != after.code_hash) return names(update.address, "code");
    return check_slots(listed, update);
}

}  // namespace

std::optional<std::string> check_changes(const BlockAccessList& list, const BlockChanges& changes) {
    for (const AccountUpdate& update : changes.accounts) {
        const auto found =
            std::ranges::lower_bound(list.accounts, update.address, {}, &ListedAccount::address);
        if (found == list.accounts.end() || found->address != update.address)
            return "does not have " + to_string(update.address) + ", which the block changes";
        if (auto problem = check_account(*found, update)) return problem;
    }
    return std::nullopt;
}

}  // namespace heddle::ledger
