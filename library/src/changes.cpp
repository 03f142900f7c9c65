// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "changes.hpp"

#include <algorithm>

#include "boundary.hpp"

namespace heddle::library {

StateDiff sorted(StateDiff diff) {
    std::ranges::sort(diff.accounts, {}, &AccountChange::address);
    for (AccountChange& change : diff.accounts)
        std::ranges::sort(change.storage, [](const StorageChange& a, const StorageChange& b) {
            return a.slot < b.slot;
        });
    std::ranges::sort(diff.codes, {}, &CodeChange::hash);
    return diff;
}

}  // namespace heddle::library

using namespace heddle::library;

extern "C" {

std::size_t heddle_changes_account_count(const heddle_changes* changes) {
    return changes == nullptr ? 0 : changes->diff.accounts.size();
}

std::size_t heddle_changes_code_count(const heddle_changes* changes) {
    return changes == nullptr ? 0 : changes->diff.codes.size();
}

heddle_status heddle_changes_account(const heddle_changes* changes, std::size_t index,
                                     heddle_account_change* out) {
    if (changes == nullptr || index >= changes->diff.accounts.size())
        return HEDDLE_INVALID_ARGUMENT;
    const heddle::AccountChange& change = changes->diff.accounts[index];
    heddle_account_change told_change{};
    told_change.address = told(change.address);
    told_change.storage_cleared = change.storage_cleared ? 1 : 0;
    told_change.slot_count = change.storage.size();
    told_change.code_hash = told(heddle::kEmptyCodeHash);
    if (change.account.has_value()) {
        told_change.exists = 1;
        told_change.nonce = change.account->nonce;
        told_change.balance = told(change.account->balance);
        told_change.code_hash = told(change.account->code_hash);
    }
    return give(told_change, out);
}

heddle_status heddle_changes_slot(const heddle_changes* changes, std::size_t account,
                                  std::size_t index, heddle_slot_change* out) {
    if (changes == nullptr || out == nullptr || account >= changes->diff.accounts.size())
        return HEDDLE_INVALID_ARGUMENT;
    const auto& slots = changes->diff.accounts[account].storage;
    if (index >= slots.size()) return HEDDLE_INVALID_ARGUMENT;
    out->slot = told(slots[index].slot);
    out->value = told(slots[index].value);
    return HEDDLE_OK;
}

heddle_status heddle_changes_code(const heddle_changes* changes, std::size_t index,
                                  heddle_hash* code_hash, heddle_bytes* code) {
    if (changes == nullptr || index >= changes->diff.codes.size()) return HEDDLE_INVALID_ARGUMENT;
    const heddle::CodeChange& change = changes->diff.codes[index];
    if (code_hash != nullptr) *code_hash = told(change.hash);
    if (code != nullptr) *code = told(change.code);
    return HEDDLE_OK;
}

}  // extern "C"
