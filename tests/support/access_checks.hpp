// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Access records in words, and what holds for every one of them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <types/state_diff.hpp>

#include <vm/access.hpp>

#include "recorded_state.hpp"

namespace heddle::vm::test {

[[nodiscard]] inline const AccountAccess* find_access(const AccessRecord& record,
                                                      const Address& address) {
    const auto found = std::ranges::find(record.accounts, address, &AccountAccess::address);
    return found == record.accounts.end() ? nullptr : &*found;
}

/// "balance add, code read": every field that was accessed; "nothing" for an account that is not in
/// the record.
[[nodiscard]] inline std::string accessed(const AccessRecord& record, const Address& address) {
    constexpr std::string_view kModes[] = {"none", "read", "add", "debit", "write"};
    const AccountAccess* access = find_access(record, address);
    if (access == nullptr) return "nothing";
    std::string text;
    const auto append = [&](std::string_view field, FieldAccess mode) {
        if (mode == FieldAccess::none) return;
        if (!text.empty()) text += ", ";
        text += std::string(field) + " " + std::string(kModes[static_cast<std::size_t>(mode)]);
    };
    append("balance", access->balance);
    append("nonce", access->nonce);
    append("code", access->code);
    append("storage", access->storage_all);
    return text;
}

/// What of an access record contradicts the diff or the reads of the same execution; empty when
/// nothing does.
[[nodiscard]] inline std::string flaw(const AccessRecord& record, const StateDiff& diff,
                                      const std::vector<StateRead>& reads) {
    std::vector<StateRead> accounts, slots, asked_accounts, asked_slots;
    for (const AccountAccess& account : record.accounts)
        accounts.push_back({account.address, std::nullopt});
    for (const SlotAccess& slot : record.slots) {
        if (slot.account >= record.accounts.size()) return "slot of an account beyond the list";
        slots.push_back({record.accounts[slot.account].address, slot.slot});
    }
    for (const StateRead& read : reads)
        (read.slot ? asked_slots : asked_accounts).push_back(read);
    if (accounts != asked_accounts) return "accounts are not what the view was asked for";
    if (slots != asked_slots) return "slots are not what the view was asked for";

    if (record.changed_accounts.size() != diff.accounts.size()) return "number of changed accounts";
    std::size_t next_slot = 0;
    for (std::size_t i = 0; i < diff.accounts.size(); ++i) {
        const AccountChange& change = diff.accounts[i];
        if (record.accounts.at(record.changed_accounts[i]).address != change.address)
            return "changed account " + to_string(change.address);
        for (const StorageChange& written : change.storage) {
            if (next_slot == record.changed_slots.size()) return "too few changed slots";
            const std::uint32_t index = record.changed_slots[next_slot++];
            if (index == AccessRecord::kNone) continue;
            const SlotAccess& slot = record.slots.at(index);
            if (slot.slot != written.slot || slot.account != record.changed_accounts[i])
                return "changed slot of " + to_string(change.address);
            if (!slot.is_written) return "a changed slot that was not written";
        }
    }
    return next_slot == record.changed_slots.size() ? "" : "too many changed slots";
}

}  // namespace heddle::vm::test
