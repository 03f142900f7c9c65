// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <vm/access_list_recorder.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>

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

std::uint64_t high_bits(const Address& address) noexcept {
    std::uint64_t high = 0;
    for (std::size_t i = 0; i < 8; ++i)
        high = high << 8 | address.bytes[i];
    return high;
}

/// Fewer than these are sorted as fast without being divided.
constexpr std::size_t kLeastDivided = 64;

/// Addresses and slots are hashes, most of them: divided by their first byte, they are nearly
/// sorted. Where somebody has chosen them to begin alike, dividing them costs one pass.
/// @param key      Of an entry: what it is sorted by.
/// @param divided  Scratch.
template <typename Entries, typename Key>
void sort_by(Entries& entries, Entries& divided, Key&& key) {
    const auto sort = [&](auto begin, auto end) {
        std::sort(begin, end, [&](const auto& a, const auto& b) {
            return a.high != b.high ? a.high < b.high : key(a.entry) < key(b.entry);
        });
    };
    if (entries.size() < kLeastDivided) return sort(entries.begin(), entries.end());
    const auto byte_of = [](const auto& entry) { return entry.high >> 56; };
    std::array<std::uint32_t, 256> ends{};
    for (const auto& entry : entries)
        ++ends[byte_of(entry)];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    divided.resize(entries.size());
    for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry)
        divided[--ends[byte_of(*entry)]] = *entry;
    entries.swap(divided);
    for (std::size_t byte = 0; byte < ends.size(); ++byte)  // each is where its part begins by now
        sort(entries.begin() + ends[byte],
             byte + 1 < ends.size() ? entries.begin() + ends[byte + 1] : entries.end());
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

std::uint32_t AccessListRecorder::find_account(const Address& address) const noexcept {
    return account_index_.find(hash_of(address),
                               [&](std::uint32_t i) { return accounts_[i].address == address; });
}

std::uint32_t AccessListRecorder::find_slot(std::uint32_t account,
                                            const Uint256& slot) const noexcept {
    return slot_index_.find(hash_of(account, slot), [&](std::uint32_t i) {
        return slots_[i].slot == slot && slots_[i].account == account;
    });
}

std::uint64_t AccessListRecorder::count_new(const AccessRecord& accesses) const {
    const auto is_new_account = [&](const AccountAccess& access) {
        return find_account(access.address) == kNone;
    };
    const auto is_new_slot = [&](const SlotAccess& access) {
        const std::uint32_t account = find_account(accesses.accounts[access.account].address);
        return account == kNone || find_slot(account, access.slot) == kNone;
    };
    const auto count = std::ranges::count_if(accesses.accounts, is_new_account) +
                       std::ranges::count_if(accesses.slots, is_new_slot) +
                       std::ranges::count_if(accesses.fresh_slots, is_new_slot);
    return static_cast<std::uint64_t>(count);
}

std::uint32_t AccessListRecorder::place_account(const Address& address) {
    std::uint32_t place = find_account(address);
    if (place == kNone) {
        place = static_cast<std::uint32_t>(accounts_.size());
        account_index_.insert(hash_of(address),
                              [&](std::uint32_t i) { return hash_of(accounts_[i].address); });
        accounts_.emplace_back().address = address;
    }
    return place;
}

std::uint32_t AccessListRecorder::place_slot(std::uint32_t account, const Uint256& slot) {
    std::uint32_t place = find_slot(account, slot);
    if (place == kNone) {
        place = static_cast<std::uint32_t>(slots_.size());
        slot_index_.insert(hash_of(account, slot), [&](std::uint32_t i) {
            return hash_of(slots_[i].account, slots_[i].slot);
        });
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
    slot_places_.clear();
    for (const SlotAccess& access : accesses.slots)
        slot_places_.push_back(place_slot(places_[access.account], access.slot));
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
    std::size_t next_slot = 0;  // of accesses.changed_slots
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
            const std::uint32_t known = accesses.changed_slots[next_slot++];
            const std::uint32_t slot = known != AccessRecord::kNone
                                           ? slot_places_[known]
                                           : place_slot(place, written.slot);
            Uint256 old;
            if (!is_net) old = step.before->storage(changed.address, written.slot);
            change(slot_changes_, slots_[slot].newest_change,
                   {written.value, old, step.index, kNone, is_net});
        }
    }
}

// The list is written from its end: what is kept begins at the newest change anyway.

BytesView AccessListRecorder::finish(const StateView& after) {
    writer_.clear();
    read_balances(after);
    sort_accounts();
    for (auto account = order_.rbegin(); account != order_.rend(); ++account)
        write_account(account->entry, after);
    writer_.wrap_list(0);
    return writer_.bytes();
}

/// All at once: one waits for memory while others do, too.
void AccessListRecorder::read_balances(const StateView& after) {
    balances_.resize(accounts_.size());
    for (std::size_t i = 0; i < accounts_.size(); ++i)
        if (accounts_[i].newest_balance != kNone)
            balances_[i] = after.account(accounts_[i].address).value_or(Account{}).balance;
}

void AccessListRecorder::sort_accounts() {
    order_.clear();
    for (std::uint32_t i = 0; i < accounts_.size(); ++i)
        order_.push_back({high_bits(accounts_[i].address), i});
    sort_by(order_, divided_,
            [&](std::uint32_t i) -> const Address& { return accounts_[i].address; });
}

void AccessListRecorder::write_account(std::uint32_t number, const StateView& after) {
    const AccountEntry& entry = accounts_[number];
    const std::size_t behind = writer_.size();
    write_changes(code_changes_, entry.newest_code,
                  [&](const Hash& hash) { writer_.add(after.code(hash)); });
    write_changes(nonce_changes_, entry.newest_nonce,
                  [&](std::uint64_t nonce) { writer_.add(nonce); });
    write_balances(entry.newest_balance, balances_[number]);
    write_storage(entry);
    writer_.add(entry.address);
    writer_.wrap_list(behind);
}

template <typename Value, typename Write>
void AccessListRecorder::write_changes(const std::vector<Change<Value>>& changes,
                                       std::uint32_t newest, Write&& write) {
    const std::size_t behind = writer_.size();
    for (std::uint32_t i = newest; i != kNone; i = changes[i].older) {
        const Change<Value>& change = changes[i];
        if (!change.is_net && change.value == change.before) continue;
        const std::size_t behind_change = writer_.size();
        write(change.value);
        writer_.add(std::uint64_t{change.index});
        writer_.wrap_list(behind_change);
    }
    writer_.wrap_list(behind);
}

/// Backwards from what the account has in the end.
void AccessListRecorder::write_balances(std::uint32_t newest, Uint256 balance) {
    const std::size_t behind = writer_.size();
    for (std::uint32_t i = newest; i != kNone; i = balance_moves_[i].older) {
        const BalanceMove& move = balance_moves_[i];
        if (move.difference.is_zero()) continue;
        const std::size_t behind_change = writer_.size();
        writer_.add(balance);
        writer_.add(std::uint64_t{move.index});
        writer_.wrap_list(behind_change);
        balance = balance - move.difference;
    }
    writer_.wrap_list(behind);
}

void AccessListRecorder::sort_slots(const AccountEntry& entry) {
    changed_.clear();
    read_.clear();
    const auto is_changed = [this](const SlotEntry& slot) {
        for (std::uint32_t i = slot.newest_change; i != kNone; i = slot_changes_[i].older)
            if (slot_changes_[i].is_net || slot_changes_[i].value != slot_changes_[i].before)
                return true;
        return false;
    };
    for (std::uint32_t i = entry.newest_slot; i != kNone; i = slots_[i].older) {
        const SlotEntry& slot = slots_[i];
        (is_changed(slot) ? changed_ : read_).push_back({(slot.slot >> 192).low64(), i});
    }
    const auto number = [this](std::uint32_t i) -> const Uint256& { return slots_[i].slot; };
    sort_by(changed_, divided_, number);
    sort_by(read_, divided_, number);
}

void AccessListRecorder::write_storage(const AccountEntry& entry) {
    sort_slots(entry);
    const std::size_t behind_reads = writer_.size();
    for (auto slot = read_.rbegin(); slot != read_.rend(); ++slot)
        writer_.add(slots_[slot->entry].slot);
    writer_.wrap_list(behind_reads);

    const std::size_t behind_changes = writer_.size();
    for (auto slot = changed_.rbegin(); slot != changed_.rend(); ++slot) {
        const SlotEntry& changed = slots_[slot->entry];
        const std::size_t behind = writer_.size();
        write_changes(slot_changes_, changed.newest_change,
                      [&](const Uint256& value) { writer_.add(value); });
        writer_.add(changed.slot);
        writer_.wrap_list(behind);
    }
    writer_.wrap_list(behind_changes);
}

}  // namespace heddle::vm
