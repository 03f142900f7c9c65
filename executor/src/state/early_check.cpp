// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "state/early_check.hpp"

#include <cstddef>

namespace heddle::executor {
namespace {

using vm::AccountAccess;
using vm::FieldAccess;

bool depends_on(FieldAccess access) noexcept {
    return access == FieldAccess::read || access == FieldAccess::write;
}

/// Of one account, of the transaction's sender or not.
bool is_overtaken(const AccountAccess& access, const AccountStamps& seen, const AccountStamps& now,
                  bool is_sender, const Estimates& estimates) noexcept {
    const auto differs = [&](Stamp before, Stamp after) {
        return before != after || estimates.is_estimate(after);
    };
    if (access.code != FieldAccess::none && differs(seen.code, now.code)) return true;
    if (access.storage_all != FieldAccess::none && differs(seen.storage, now.storage)) return true;
    if (depends_on(access.balance) && differs(seen.balance, now.balance)) return true;
    // The sender's is the transaction's.
    return !is_sender && access.nonce != FieldAccess::none && differs(seen.nonce, now.nonce);
}

}  // namespace

AccountCell* overtaken_ahead(const VersionedState& state, const Attempt& attempt,
                             const Transaction& tx, Stamp limit,
                             const Estimates& estimates) noexcept {
    const vm::AccessRecord& accesses = attempt.outcome.accesses;
    for (const SlotRead& seen : attempt.slots) {
        const Stamp now = state.read(*seen.cell, limit).stamp;
        if (now != seen.stamp || estimates.is_estimate(now)) return seen.cell->account;
    }
    for (std::size_t i = 0; i < attempt.accounts.size(); ++i) {
        const AccountRead& seen = attempt.accounts[i];
        const AccountStamps now = state.read(*seen.cell, limit).stamps;
        const bool is_sender = seen.cell->address == *tx.sender;
        if (is_overtaken(accesses.accounts[i], seen.stamps, now, is_sender, estimates))
            return seen.cell;
    }
    return nullptr;
}

bool writes_same_places(const Attempt& before, const Attempt& now) noexcept {
    if (before.changed_slots != now.changed_slots) return false;
    const vm::AccessRecord& old_accesses = before.outcome.accesses;
    const vm::AccessRecord& new_accesses = now.outcome.accesses;
    const auto& old_accounts = before.outcome.diff.accounts;
    const auto& new_accounts = now.outcome.diff.accounts;
    if (old_accounts.size() != new_accounts.size()) return false;
    for (std::size_t i = 0; i < new_accounts.size(); ++i) {
        const std::uint32_t old_index = old_accesses.changed_accounts[i];
        const std::uint32_t new_index = new_accesses.changed_accounts[i];
        const AccountAccess& was = old_accesses.accounts[old_index];
        const AccountAccess& is = new_accesses.accounts[new_index];
        const bool is_same =
            before.accounts[old_index].cell == now.accounts[new_index].cell &&
            was.balance == is.balance && was.nonce == is.nonce && was.code == is.code &&
            old_accounts[i].account.has_value() == new_accounts[i].account.has_value() &&
            old_accounts[i].storage_cleared == new_accounts[i].storage_cleared;
        if (!is_same) return false;
    }
    return true;
}

}  // namespace heddle::executor
