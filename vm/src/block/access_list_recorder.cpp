// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <vm/access_list_recorder.hpp>

#include <algorithm>
#include <numeric>
#include <optional>

#include <types/account.hpp>
#include <types/assert.hpp>

namespace heddle::vm {
namespace {

std::uint64_t hash_of(const Address& address) noexcept {
    return AddressHasher{}(address);
}

std::uint64_t hash_of(std::uint32_t account, const Uint256& slot) noexcept {
    return Uint256Hasher{}(slot, account);
}

/// The changes of one field, oldest first.
/// @param take  Makes the value that is listed of the one that is kept.
template <typename Listed, typename Changes, typename Take>
std::vector<ListedChange<Listed>> list_changes(const Changes& changes, std::uint32_t newest,
                                               Take&& take) {
    std::vector<ListedChange<Listed>> listed;
    for (std::uint32_t i = newest; i < changes.size(); i = changes[i].older)
        if (changes[i].is_net || changes[i].value != changes[i].before)
            listed.push_back({changes[i].index, take(changes[i].value)});
    std::ranges::reverse(listed);
    return listed;
}

}  // namespace

void AccessListRecorder::begin() noexcept {
    account_index_.clear();
    slot_index_.clear();
    accounts_.clear();
    slots_.clear();
    slot_changes_.clear();
    balance_moves_.clear();
    nonce_changes_.clear();
    code_changes_.clear();
}

std::uint32_t AccessListRecorder::place_account(const Address& address) {
    const std::uint64_t hash = hash_of(address);
    std::uint32_t place =
        account_index_.find(hash, [&](std::uint32_t i) { return accounts_[i].address == address; });
    if (place == kNone) {
        place = static_cast<std::uint32_t>(accounts_.size());
        account_index_.insert(hash, [&](std::uint32_t i) { return hash_of(accounts_[i].address); });
        accounts_.emplace_back().address = address;
    }
    return place;
}

std::uint32_t AccessListRecorder::place_slot(std::uint32_t account, const Uint256& slot) {
    const std::uint64_t hash = hash_of(account, slot);
    std::uint32_t place = slot_index_.find(hash, [&](std::uint32_t i) {
        return slots_[i].slot == slot && slots_[i].account == account;
    });
    if (place == kNone) {
        place = static_cast<std::uint32_t>(slots_.size());
        slot_index_.insert(
            hash, [&](std::uint32_t i) { return hash_of(slots_[i].account, slots_[i].slot); });
        slots_.push_back({slot, account, accounts_[account].newest_slot, kNone});
        accounts_[account].newest_slot = place;
    }
    return place;
}

void AccessListRecorder::record(const BlockStep& step) {
    record_accesses(step.accesses);
    record_diff(step);
    if (!step.deferred_fee.has_value()) return;
    const std::uint32_t recipient = place_account(step.deferred_fee->recipient);
    move_balance(recipient, step.index, step.deferred_fee->amount);
}

void AccessListRecorder::record_accesses(const AccessRecord& accesses) {
    places_.clear();
    for (const AccountAccess& access : accesses.accounts)
        places_.push_back(place_account(access.address));
    for (const SlotAccess& access : accesses.slots)
        (void)place_slot(places_[access.account], access.slot);
    for (const SlotAccess& access : accesses.fresh_slots)
        (void)place_slot(places_[access.account], access.slot);
}

void AccessListRecorder::move_balance(std::uint32_t account, std::uint32_t index,
                                      const Uint256& difference) {
    if (difference.is_zero()) return;
    std::uint32_t& newest = accounts_[account].newest_balance;
    if (newest != kNone && balance_moves_[newest].index == index) {
        balance_moves_[newest].difference += difference;
        return;
    }
    balance_moves_.push_back({difference, index, newest});
    newest = static_cast<std::uint32_t>(balance_moves_.size() - 1);
}

/// A later step of an index replaces the value, and keeps what was there before the first.
template <typename Value>
void AccessListRecorder::change(std::vector<Change<Value>>& changes, std::uint32_t& newest,
                                const Change<Value>& wanted) {
    if (newest != kNone && changes[newest].index == wanted.index) {
        changes[newest].value = wanted.value;
        return;
    }
    const std::uint32_t older = newest;
    newest = static_cast<std::uint32_t>(changes.size());
    changes.push_back(wanted);
    changes.back().older = older;
}

void AccessListRecorder::record_diff(const BlockStep& step) {
    const AccessRecord& accesses = step.accesses;
    const bool is_net = step.before == nullptr;
    HEDDLE_ASSERT(accesses.changed_accounts.size() == step.diff.accounts.size());
    for (std::size_t i = 0; i < step.diff.accounts.size(); ++i) {
        const AccountChange& changed = step.diff.accounts[i];
        const AccountAccess& access = accesses.accounts[accesses.changed_accounts[i]];
        const std::uint32_t place = places_[accesses.changed_accounts[i]];
        const Account after = changed.account.value_or(Account{});
        move_balance(place, step.index, after.balance - access.seen_balance);
        Account before;
        if (!is_net) before = step.before->account(changed.address).value_or(Account{});
        AccountEntry& entry = accounts_[place];
        if (is_net ? access.changes_nonce : before.nonce != after.nonce)
            change(nonce_changes_, entry.newest_nonce,
                   {after.nonce, before.nonce, step.index, kNone, is_net});
        if (is_net ? access.changes_code : before.code_hash != after.code_hash)
            change(code_changes_, entry.newest_code,
                   {after.code_hash, before.code_hash, step.index, kNone, is_net});
        for (const StorageChange& written : changed.storage) {
            const std::uint32_t slot = place_slot(place, written.slot);
            Uint256 old;
            if (!is_net) old = step.before->storage(changed.address, written.slot);
            change(slot_changes_, slots_[slot].newest_change,
                   {written.value, old, step.index, kNone, is_net});
        }
    }
}

BlockAccessList AccessListRecorder::finish(const StateView& after) {
    std::vector<std::uint32_t> by_address(accounts_.size());
    std::iota(by_address.begin(), by_address.end(), 0u);
    std::ranges::sort(by_address, {},
                      [this](std::uint32_t i) -> const Address& { return accounts_[i].address; });
    BlockAccessList list;
    list.accounts.reserve(accounts_.size());
    for (const std::uint32_t i : by_address)
        list.accounts.push_back(list_account(accounts_[i], after));
    return list;
}

ListedAccount AccessListRecorder::list_account(const AccountEntry& entry, const StateView& after) {
    ListedAccount listed;
    listed.address = entry.address;
    list_storage(entry, listed);
    list_balances(entry, after, listed);
    listed.nonce_changes = list_changes<std::uint64_t>(nonce_changes_, entry.newest_nonce,
                                                       [](std::uint64_t nonce) { return nonce; });
    listed.code_changes =
        list_changes<Bytes>(code_changes_, entry.newest_code, [&](const Hash& hash) {
            const BytesView code = after.code(hash);
            return Bytes(code.begin(), code.end());
        });
    return listed;
}

void AccessListRecorder::list_storage(const AccountEntry& entry, ListedAccount& listed) {
    order_.clear();
    for (std::uint32_t i = entry.newest_slot; i != kNone; i = slots_[i].older)
        order_.push_back(i);
    std::ranges::sort(order_, [this](std::uint32_t a, std::uint32_t b) {
        return slots_[a].slot < slots_[b].slot;
    });
    for (const std::uint32_t i : order_) {
        const SlotEntry& slot = slots_[i];
        auto changes = list_changes<Uint256>(slot_changes_, slot.newest_change,
                                             [](const Uint256& value) { return value; });
        if (changes.empty())
            listed.storage_reads.push_back(slot.slot);
        else
            listed.storage_changes.push_back({slot.slot, std::move(changes)});
    }
}

/// Backwards from what the account has in the end.
void AccessListRecorder::list_balances(const AccountEntry& entry, const StateView& after,
                                       ListedAccount& listed) const {
    if (entry.newest_balance == kNone) return;
    Uint256 balance = after.account(entry.address).value_or(Account{}).balance;
    for (std::uint32_t i = entry.newest_balance; i != kNone; i = balance_moves_[i].older) {
        const BalanceMove& move = balance_moves_[i];
        if (move.difference.is_zero()) continue;
        listed.balance_changes.push_back({move.index, balance});
        balance = balance - move.difference;
    }
    std::ranges::reverse(listed.balance_changes);
}

}  // namespace heddle::vm
