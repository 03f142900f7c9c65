// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "values/listed_state.hpp"

#include <algorithm>

#include <types/assert.hpp>

namespace heddle::executor {
namespace {

std::uint64_t hash_of(const Address& address) noexcept {
    return AddressHasher{}(address);
}
std::uint64_t hash_of(std::uint32_t account, const Uint256& slot) noexcept {
    return Uint256Hasher{}(slot, account);
}

/// The last change before `index`; null: there is none. Most lists are very short.
template <typename Value>
const ListedChange<Value>* last_before(std::span<const ListedChange<Value>> changes,
                                       std::uint32_t index) noexcept {
    const auto after = std::ranges::lower_bound(changes, index, {}, &ListedChange<Value>::index);
    return after == changes.begin() ? nullptr : &*(after - 1);
}
template <typename Value>
const ListedChange<Value>* last_before(const std::vector<ListedChange<Value>>& changes,
                                       std::uint32_t index) noexcept {
    return last_before(std::span{changes}, index);
}

/// What the list claims of a value at `index`; null: that it stays as it was.
template <typename Value>
const ListedChange<Value>* at(std::span<const ListedChange<Value>> changes,
                              std::uint32_t index) noexcept {
    const auto found = std::ranges::lower_bound(changes, index, {}, &ListedChange<Value>::index);
    return found == changes.end() || found->index != index ? nullptr : &*found;
}

/// @return whether the change from `was` to `now` is the one that is claimed, or neither is there.
template <typename Value>
bool is_claimed(std::span<const ListedChange<Value>> changes, std::uint32_t index, const Value& was,
                const Value& now, std::uint32_t& found) noexcept {
    if (was == now) return at(changes, index) == nullptr;
    const ListedChange<Value>* const claimed = at(changes, index);
    if (claimed == nullptr || claimed->value != now) return false;
    ++found;
    return true;
}

/// A list does not tell when an account that is there and empty comes to its end (EIP-161). No
/// public chain has any; where there is one, serial execution decides.
bool is_empty(const std::optional<Account>& account) noexcept {
    return account.has_value() && account->is_empty();
}

/// Whether an account comes to its end where its code goes. Code goes only with its account, but for
/// delegations (EIP-7702): such an account stays and has a nonce.
bool is_end(const ListedAccount& account, const ListedChange<Bytes>& code) noexcept {
    const auto is_zero = [&](const auto& changes) {
        const auto* const last = last_before(changes, code.index + 1);
        return last == nullptr || last->value == decltype(last->value){};
    };
    return code.value.empty() && is_zero(account.nonce_changes) && is_zero(account.balance_changes);
}

void note_once(std::atomic<bool>& is_noted) noexcept {
    // Many note the same: the line is written once.
    if (!is_noted.load(std::memory_order_relaxed)) is_noted.store(true, std::memory_order_relaxed);
}

}  // namespace

void ListedState::attach(const BlockAccessList& list, const StateView& before,
                         std::size_t transaction_count) {
    list_ = &list;
    before_ = &before;
    past_the_end_ = static_cast<std::uint32_t>(transaction_count) + 2;
    account_index_.clear();
    slot_index_.clear();
    codes_.clear();
    change_counts_.assign(past_the_end_, 0);
    std::size_t slots = 0;
    std::size_t codes = 0;
    for (const ListedAccount& account : list.accounts) {
        slots += account.storage_changes.size() + account.storage_reads.size();
        codes += account.code_changes.size();
    }
    std::vector<AccountEntry>(list.accounts.size()).swap(accounts_);
    std::vector<SlotEntry>(slots).swap(slots_);
    placed_slots_ = 0;
    code_hashes_.clear();
    // Entries point into them.
    code_hashes_.reserve(codes);
    ends_.clear();
    ends_.reserve(codes);
    for (const ListedAccount& account : list.accounts)
        place(account);
}

void ListedState::place(const ListedAccount& account) {
    const auto number = static_cast<std::uint32_t>(account_index_.size());
    AccountEntry& entry = accounts_[number];
    entry.listed = &account;
    account_index_.insert(hash_of(account.address), [this](std::uint32_t i) {
        return hash_of(accounts_[i].listed->address);
    });
    count(account.balance_changes);
    count(account.nonce_changes);
    count(account.code_changes);
    entry.code_hashes = code_hashes_.data() + code_hashes_.size();
    const std::size_t first_end = ends_.size();
    for (const ListedChange<Bytes>& change : account.code_changes) {
        const Hash& hash = code_hashes_.emplace_back(keccak256(change.value));
        codes_.emplace(hash, &change.value);
        if (is_end(account, change)) ends_.push_back(change.index);
    }
    entry.ends = std::span{ends_}.subspan(first_end);
    for (const ListedSlot& slot : account.storage_changes) {
        count(slot.changes);
        place_slot(number, slot.slot, slot.changes);
    }
    for (const Uint256& slot : account.storage_reads)
        place_slot(number, slot, {});
}

void ListedState::place_slot(std::uint32_t account, const Uint256& slot,
                             std::span<const ListedChange<Uint256>> changes) {
    SlotEntry& entry = slots_[placed_slots_++];
    entry.slot = slot;
    entry.account = account;
    entry.changes = changes;
    slot_index_.insert(hash_of(account, slot), [this](std::uint32_t i) {
        return hash_of(slots_[i].account, slots_[i].slot);
    });
}

template <typename Value>
void ListedState::count(const std::vector<ListedChange<Value>>& changes) {
    for (const ListedChange<Value>& change : changes) {
        HEDDLE_ASSERT(change.index < past_the_end_);
        ++change_counts_[change.index];
    }
}

const ListedState::AccountEntry* ListedState::find(const Address& address) const noexcept {
    const std::uint32_t found = account_index_.find(
        hash_of(address), [&](std::uint32_t i) { return accounts_[i].listed->address == address; });
    return found == HashIndex<>::kAbsent ? nullptr : &accounts_[found];
}

const ListedState::SlotEntry* ListedState::find(const AccountEntry& account,
                                                const Uint256& slot) const noexcept {
    const auto number = static_cast<std::uint32_t>(&account - accounts_.data());
    const std::uint32_t found = slot_index_.find(hash_of(number, slot), [&](std::uint32_t i) {
        return slots_[i].account == number && slots_[i].slot == slot;
    });
    return found == HashIndex<>::kAbsent ? nullptr : &slots_[found];
}

std::optional<Account> ListedState::before(const AccountEntry& entry) const noexcept {
    Reading reading = entry.reading.load(std::memory_order_acquire);
    if (reading == Reading::known)
        return entry.existed ? std::optional{entry.before} : std::nullopt;
    const std::optional<Account> account = before_->account(entry.listed->address);
    if (reading == Reading::unread && entry.reading.compare_exchange_strong(
                                          reading, Reading::claimed, std::memory_order_relaxed)) {
        entry.existed = account.has_value();
        entry.before = account.value_or(Account{});
        entry.reading.store(Reading::known, std::memory_order_release);
    }
    return account;
}

Uint256 ListedState::before(const SlotEntry& entry) const noexcept {
    Reading reading = entry.reading.load(std::memory_order_acquire);
    if (reading == Reading::known) return entry.before;
    const Uint256 value = before_->storage(accounts_[entry.account].listed->address, entry.slot);
    if (reading == Reading::unread && entry.reading.compare_exchange_strong(
                                          reading, Reading::claimed, std::memory_order_relaxed)) {
        entry.before = value;
        entry.reading.store(Reading::known, std::memory_order_release);
    }
    return value;
}

std::optional<Account> ListedState::account(const AccountEntry& entry,
                                            std::uint32_t index) const noexcept {
    std::optional<Account> account = before(entry);
    const ListedAccount& listed = *entry.listed;
    const auto* const balance = last_before(listed.balance_changes, index);
    const auto* const nonce = last_before(listed.nonce_changes, index);
    const auto* const code = last_before(listed.code_changes, index);
    if (balance == nullptr && nonce == nullptr && code == nullptr) return account;
    if (!account.has_value()) account.emplace();
    if (balance != nullptr) account->balance = balance->value;
    if (nonce != nullptr) account->nonce = nonce->value;
    if (code != nullptr) account->code_hash = entry.code_hashes[code - listed.code_changes.data()];
    // What a transaction leaves empty is gone (EIP-161).
    if (account->is_empty()) account.reset();
    return account;
}

std::optional<std::uint32_t> ListedState::end_before(const AccountEntry& entry,
                                                     std::uint32_t index) const noexcept {
    const auto after = std::ranges::lower_bound(entry.ends, index);
    return after == entry.ends.begin() ? std::nullopt : std::optional{*(after - 1)};
}

Uint256 ListedState::storage(const SlotEntry& entry, std::uint32_t index) const noexcept {
    const auto* const change = last_before(entry.changes, index);
    const auto end = end_before(accounts_[entry.account], index);
    if (change != nullptr && (!end.has_value() || change->index > *end)) return change->value;
    return end.has_value() ? Uint256{} : before(entry);
}

std::optional<Account> ListedState::account(const Address& address,
                                            std::uint32_t index) const noexcept {
    const AccountEntry* const entry = find(address);
    return entry != nullptr ? account(*entry, index) : before_->account(address);
}

Uint256 ListedState::storage(const Address& address, const Uint256& slot,
                             std::uint32_t index) const noexcept {
    const AccountEntry* const account = find(address);
    const SlotEntry* const entry = account != nullptr ? find(*account, slot) : nullptr;
    return entry != nullptr ? storage(*entry, index) : before_->storage(address, slot);
}

bool ListedState::has_storage(const Address& address, std::uint32_t index) const noexcept {
    const AccountEntry* const entry = find(address);
    if (entry == nullptr) return before_->has_storage(address);
    const auto end = end_before(*entry, index);
    const bool has_written =
        std::ranges::any_of(entry->listed->storage_changes, [&](const ListedSlot& slot) {
            const auto* const last = last_before(slot.changes, index);
            return last != nullptr && (!end.has_value() || last->index > *end) &&
                   !last->value.is_zero();
        });
    // Slots that no index changes are as before the block. Whether there are any besides those that
    // were emptied is not known: then there may be, and what comes of it is compared.
    return has_written || (!end.has_value() && before_->has_storage(address));
}

BytesView ListedState::code(const Hash& hash) const noexcept {
    const auto found = codes_.find(hash);
    return found != codes_.end() ? BytesView{*found->second} : before_->code(hash);
}

bool ListedState::note(const Address& address) const noexcept {
    const AccountEntry* const entry = find(address);
    if (entry == nullptr) return false;
    note_once(entry->is_noted);
    return true;
}

bool ListedState::note(const vm::AccessRecord& accesses) const noexcept {
    for (const vm::AccountAccess& access : accesses.accounts)
        if (!note(access.address)) return false;
    const auto note_slots = [&](const std::vector<vm::SlotAccess>& slots) {
        return std::ranges::all_of(slots, [&](const vm::SlotAccess& access) {
            const AccountEntry& account = *find(accesses.accounts[access.account].address);
            const SlotEntry* const entry = find(account, access.slot);
            if (entry == nullptr) return false;
            note_once(entry->is_noted);
            return true;
        });
    };
    return note_slots(accesses.slots) && note_slots(accesses.fresh_slots);
}

bool ListedState::claims(std::uint32_t index, const AccountChange& change,
                         std::uint32_t& found) const noexcept {
    const AccountEntry* const entry = find(change.address);
    if (entry == nullptr) return false;
    const ListedAccount& listed = *entry->listed;
    const std::optional<Account> earlier = account(*entry, index);
    if (is_empty(change.account) || (!change.account.has_value() && is_empty(earlier)))
        return false;
    const Account was = earlier.value_or(Account{});
    const Account now = change.account.value_or(Account{});
    if (!is_claimed(std::span{listed.balance_changes}, index, was.balance, now.balance, found) ||
        !is_claimed(std::span{listed.nonce_changes}, index, was.nonce, now.nonce, found))
        return false;
    const auto* const code = at(std::span{listed.code_changes}, index);
    if ((code != nullptr) != (was.code_hash != now.code_hash)) return false;
    if (code != nullptr) {
        if (entry->code_hashes[code - listed.code_changes.data()] != now.code_hash) return false;
        ++found;
    }
    // Slots that go with an account are in no list: it has to be clear from the list that it goes.
    const bool ends = end_before(*entry, index + 1) == index;
    if (ends && change.account.has_value()) return false;
    if (change.storage_cleared && !ends && has_storage(change.address, index)) return false;
    return std::ranges::all_of(change.storage, [&](const StorageChange& written) {
        const SlotEntry* const slot = find(*entry, written.slot);
        if (slot == nullptr) return false;
        // Before Amsterdam accesses leave out the slots of contracts that were created.
        note_once(slot->is_noted);
        return is_claimed(slot->changes, index, storage(*slot, index), written.value, found);
    });
}

bool ListedState::claims(std::uint32_t index, const StateDiff& diff,
                         const std::optional<vm::DeferredFee>& fee) const noexcept {
    std::uint32_t found = 0;
    for (const AccountChange& change : diff.accounts)
        if (!claims(index, change, found)) return false;
    if (fee.has_value()) {
        const AccountEntry* const entry = find(fee->recipient);
        if (entry == nullptr) return false;
        const std::optional<Account> earlier = account(*entry, index);
        if (fee->amount.is_zero() && is_empty(earlier)) return false;
        const Uint256 was = earlier.value_or(Account{}).balance;
        if (!is_claimed(std::span{entry->listed->balance_changes}, index, was, was + fee->amount,
                        found))
            return false;
    }
    return found == change_counts_[index];
}

bool ListedState::is_exhausted() const noexcept {
    const auto is_noted = [](const auto& entry) {
        return entry.is_noted.load(std::memory_order_relaxed);
    };
    return std::ranges::all_of(accounts_, is_noted) && std::ranges::all_of(slots_, is_noted);
}

StateDiff ListedState::diff() const {
    StateDiff diff;
    std::size_t slot = 0;
    for (const AccountEntry& entry : accounts_) {
        const ListedAccount& listed = *entry.listed;
        const std::size_t first_slot = slot;
        slot += listed.storage_changes.size() + listed.storage_reads.size();
        if (listed.storage_changes.empty() && listed.balance_changes.empty() &&
            listed.nonce_changes.empty() && listed.code_changes.empty())
            continue;
        AccountChange& change = diff.accounts.emplace_back();
        change.address = listed.address;
        change.account = account(entry, past_the_end_);
        const auto end = end_before(entry, past_the_end_);
        change.storage_cleared = end.has_value();
        if (!change.account.has_value()) continue;
        for (std::size_t i = 0; i < listed.storage_changes.size(); ++i) {
            const auto& last = slots_[first_slot + i].changes.back();
            if (!end.has_value() || last.index > *end)
                change.storage.push_back({slots_[first_slot + i].slot, last.value});
        }
        for (const ListedChange<Bytes>& code : listed.code_changes)
            if (!code.value.empty() && &code == &listed.code_changes.back())
                diff.codes.push_back({change.account->code_hash, code.value});
    }
    return diff;
}

}  // namespace heddle::executor
