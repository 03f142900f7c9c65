// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "state/block_state.hpp"

#include <array>
#include <optional>
#include <utility>

#include <types/assert.hpp>
#include <types/object.hpp>

namespace heddle::executor {

namespace {

// Bounds of what is kept from block to block. Within a block the block's own limits bound it.
constexpr std::size_t kMaxKeptAccounts = 32'768;
constexpr std::size_t kMaxKeptSlots = 131'072;
constexpr std::size_t kMaxKeptCodeBytes = std::size_t{16} << 20;
/// Executing so many plain transfers takes longer than memory takes to give a line.
constexpr std::size_t kExpectedAhead = 4;
/// Transactions. Of what others have read, it is first told where it lies, which may be another
/// processor's caches; then it comes; then its places here are asked for; then it is taken.
constexpr std::size_t kToldAhead = 12;
constexpr std::size_t kFetchedAhead = 8;
constexpr std::size_t kPlacedAhead = 6;
/// About what one code takes beside its bytes: a delegation (EIP-7702) has 23.
constexpr std::size_t kBytesPerCode = 192;

/// Empties; gives back what a large block needed.
template <typename Entry>
void clear(std::vector<Entry>& entries, std::size_t kept) noexcept {
    if (entries.capacity() > 2 * kept)
        std::vector<Entry>{}.swap(entries);
    else
        entries.clear();
}
void clear(HashIndex<>& index, std::size_t kept) noexcept {
    if (index.size() > kept)
        index = {};
    else
        index.clear_and_shrink();
}

std::uint64_t hash_of(const Address& address) noexcept {
    return AddressHasher{}(address);
}

std::uint64_t hash_of(std::uint32_t account, std::uint32_t generation,
                      const Uint256& slot) noexcept {
    return Uint256Hasher{}(slot, account | std::uint64_t{generation} << 32);
}

}  // namespace

void BlockState::attach(const StateView& committed) {
    forget();
    committed_ = &committed;
}

void BlockState::forget() noexcept {
    clear(account_index_, kMaxKeptAccounts);
    clear(slot_index_, kMaxKeptSlots);
    clear(accounts_, kMaxKeptAccounts);
    clear(slots_, kMaxKeptSlots);
    last_account_ = kNone;
    known_entries_ = kNone;
    clear(changed_accounts_, kMaxKeptAccounts);
    codes_.clear();
    changed_codes_.clear();
    code_bytes_ = 0;
}

const TransactionAhead* BlockState::expect_next(std::span<const Transaction> block,
                                                std::size_t running, ReadAhead* ahead) noexcept {
    const std::span<const Transaction> next = block.subspan(running);
    if (next.size() > 2 * kExpectedAhead) {
        const Transaction& tx = next[2 * kExpectedAhead];
        if (tx.sender.has_value()) account_index_.prefetch(hash_of(*tx.sender));
        if (tx.to.has_value()) account_index_.prefetch(hash_of(*tx.to));
    }
    if (running % kLookedAtOnce == 0) {
        const std::size_t entries = accounts_.size() + slots_.size();
        misses_ = entries != std::exchange(known_entries_, entries);
        expects_accounts_ = misses_;
    }
    // Nobody has asked for what the first ones of a block need.
    const std::size_t first = running == 0 ? 0 : kExpectedAhead;
    const TransactionAhead* read = nullptr;
    for (std::size_t i = first; i <= kExpectedAhead && i < next.size(); ++i) {
        read = ahead == nullptr ? nullptr : ahead->find(running + i);
        if (read != nullptr)
            take(next[i], *read);
        else if (expects_accounts_)
            expects_accounts_ = expect_accounts(next[i]);
    }
    if (ahead != nullptr) {
        if (next.size() > kToldAhead) ahead->fetch(running + kToldAhead);
        if (next.size() > kFetchedAhead) ahead->fetch_rest(running + kFetchedAhead);
        if (next.size() > kPlacedAhead) expect_slots(ahead->slots_of_later(running + kPlacedAhead));
    }
    return read;
}

void BlockState::take(const Transaction& tx, const TransactionAhead& read) {
    if (tx.sender.has_value()) take(*tx.sender, read.sender);
    if (tx.to.has_value()) take(*tx.to, read.recipient);
    for (const SlotValue& slot : read.slots)
        take(slot);
}

void BlockState::take(const Address& address, const std::optional<Account>& read) {
    bool is_new = false;
    AccountEntry& entry = accounts_[place_account(address, is_new)];
    if (!is_new || !read.has_value()) return;
    entry.exists = true;
    entry.account = *read;
}

/// Slots of an account that is not at hand are left: they cannot be told from those of an account
/// that the block has cleared.
void BlockState::take(const SlotValue& read) {
    const std::uint32_t account = known_account(read.address);
    if (account == kNone) return;
    bool is_new = false;
    SlotEntry& entry = slots_[place_slot(account, read.slot, is_new)];
    if (is_new && !accounts_[account].is_storage_cleared) entry.value = read.value;
}

void BlockState::expect_slots(std::span<const SlotValue> slots) const noexcept {
    for (const SlotValue& slot : slots) {
        const std::uint32_t account = known_account(slot.address);
        if (account == kNone) continue;
        slot_index_.prefetch(hash_of(account, accounts_[account].generation, slot.slot));
    }
}

std::uint32_t BlockState::known_account(const Address& address) const {
    if (last_account_ != kNone && accounts_[last_account_].address == address) return last_account_;
    return find_account(address, hash_of(address));
}

bool BlockState::expect_accounts(const Transaction& tx) const noexcept {
    std::array<ObjectId, 2> wanted;
    std::size_t count = 0;
    for (const std::optional<Address>& address : {tx.sender, tx.to})
        if (address.has_value() && find_account(*address, hash_of(*address)) == kNone)
            wanted[count++] = {*address, ObjectKind::balance, {}};
    return count == 0 || committed_->expect(std::span(wanted).first(count));
}

std::uint32_t BlockState::find_account(const Address& address, std::uint64_t hash) const {
    return account_index_.find(hash,
                               [&](std::uint32_t i) { return accounts_[i].address == address; });
}

std::uint32_t BlockState::find_slot(std::uint32_t account, const Uint256& slot,
                                    std::uint64_t hash) const {
    return slot_index_.find(hash, [&](std::uint32_t i) {
        const SlotEntry& entry = slots_[i];
        return entry.slot == slot && entry.account == account &&
               entry.generation == accounts_[account].generation;
    });
}

std::uint32_t BlockState::place_account(const Address& address, bool& is_new) const {
    is_new = false;
    if (last_account_ != kNone && accounts_[last_account_].address == address) return last_account_;
    const std::uint64_t hash = hash_of(address);
    std::uint32_t index = find_account(address, hash);
    if (index == kNone) {
        is_new = true;
        index = static_cast<std::uint32_t>(accounts_.size());
        account_index_.insert(hash, [&](std::uint32_t i) { return hash_of(accounts_[i].address); });
        accounts_.emplace_back().address = address;
    }
    return last_account_ = index;
}

std::uint32_t BlockState::load_account(const Address& address) const {
    bool is_new = false;
    const std::uint32_t index = place_account(address, is_new);
    if (is_new) {
        AccountEntry& entry = accounts_[index];
        if (const std::optional<Account> account = committed_->account(address)) {
            entry.exists = true;
            entry.account = *account;
        }
    }
    return index;
}

std::uint32_t BlockState::place_slot(std::uint32_t account, const Uint256& slot,
                                     bool& is_new) const {
    const std::uint32_t generation = accounts_[account].generation;
    const std::uint64_t hash = hash_of(account, generation, slot);
    std::uint32_t index = find_slot(account, slot, hash);
    is_new = index == kNone;
    if (is_new) {
        index = static_cast<std::uint32_t>(slots_.size());
        slot_index_.insert(hash, [&](std::uint32_t i) {
            return hash_of(slots_[i].account, slots_[i].generation, slots_[i].slot);
        });
        SlotEntry& entry = slots_.emplace_back();
        entry.account = account;
        entry.generation = generation;
        entry.slot = slot;
    }
    return index;
}

std::optional<Account> BlockState::account(const Address& address) const noexcept {
    const AccountEntry& entry = accounts_[load_account(address)];
    if (!entry.exists) return std::nullopt;
    return entry.account;
}

Uint256 BlockState::storage(const Address& address, const Uint256& slot) const noexcept {
    const std::uint32_t account = load_account(address);
    bool is_new = false;
    SlotEntry& entry = slots_[place_slot(account, slot, is_new)];
    if (is_new && !accounts_[account].is_storage_cleared)
        entry.value = committed_->storage(address, slot);
    if (notes_ != nullptr && notes_->size() < CallNotes::kMostNotes) [[unlikely]]
        notes_->push_back({address, slot, entry.value});
    return entry.value;
}

bool BlockState::has_storage(const Address& address) const noexcept {
    const AccountEntry& entry = accounts_[load_account(address)];
    for (std::uint32_t i = entry.changed_slot; i != kNone; i = slots_[i].next_changed)
        if (!slots_[i].value.is_zero()) return true;
    return !entry.is_storage_cleared && committed_->has_storage(address);
}

BytesView BlockState::code(const Hash& code_hash) const noexcept {
    if (!codes_.empty())
        if (const auto known = codes_.find(code_hash); known != codes_.end()) return known->second;
    return committed_->code(code_hash);
}

void BlockState::clear_storage(AccountEntry& entry) noexcept {
    ++entry.generation;
    entry.changed_slot = kNone;
    entry.is_storage_cleared = true;
}

void BlockState::change_account(const AccountChange& change) {
    bool is_new = false;
    const std::uint32_t index = place_account(change.address, is_new);
    AccountEntry& entry = accounts_[index];
    if (!entry.is_changed) {
        entry.is_changed = true;
        changed_accounts_.push_back(index);
    }
    if (change.storage_cleared || !change.account.has_value()) clear_storage(entry);
    entry.exists = change.account.has_value();
    if (entry.exists) entry.account = *change.account;

    for (const StorageChange& written : change.storage) {
        SlotEntry& slot = slots_[place_slot(index, written.slot, is_new)];
        slot.value = written.value;
        if (!slot.is_changed) {
            slot.is_changed = true;
            slot.next_changed = entry.changed_slot;
            entry.changed_slot = static_cast<std::uint32_t>(&slot - slots_.data());
        }
    }
}

void BlockState::apply(const StateDiff& diff) {
    for (const AccountChange& change : diff.accounts)
        change_account(change);
    for (const CodeChange& change : diff.codes)
        if (codes_.try_emplace(change.hash, change.code).second) {
            changed_codes_.push_back(change.hash);
            code_bytes_ += change.code.size() + kBytesPerCode;
        }
}

StateDiff BlockState::diff() const {
    StateDiff diff;
    diff.accounts.reserve(changed_accounts_.size());
    for (const std::uint32_t index : changed_accounts_) {
        const AccountEntry& entry = accounts_[index];
        AccountChange& change = diff.accounts.emplace_back();
        change.address = entry.address;
        change.storage_cleared = entry.is_storage_cleared;
        if (!entry.exists) continue;
        change.account = entry.account;
        for (std::uint32_t i = entry.changed_slot; i != kNone; i = slots_[i].next_changed)
            change.storage.push_back({slots_[i].slot, slots_[i].value});
    }
    diff.codes.reserve(changed_codes_.size());
    for (const Hash& hash : changed_codes_)
        diff.codes.push_back({hash, codes_.at(hash)});
    return diff;
}

void BlockState::accept() {
    if (accounts_.size() > kMaxKeptAccounts || slots_.size() > kMaxKeptSlots ||
        code_bytes_ > kMaxKeptCodeBytes) {
        forget();
        return;
    }
    for (const std::uint32_t index : changed_accounts_) {
        AccountEntry& entry = accounts_[index];
        for (std::uint32_t i = entry.changed_slot; i != kNone;) {
            SlotEntry& slot = slots_[i];
            slot.is_changed = false;
            i = std::exchange(slot.next_changed, kNone);
        }
        entry.changed_slot = kNone;
        entry.is_changed = false;
        entry.is_storage_cleared = false;
    }
    changed_accounts_.clear();
    changed_codes_.clear();
}

void BlockState::follow(const StateDiff& diff) {
    HEDDLE_ASSERT(changed_accounts_.empty());
    for (const AccountChange& change : diff.accounts) {
        const std::uint32_t index = find_account(change.address, hash_of(change.address));
        if (index == kNone) continue;  // nor is there a slot of it
        AccountEntry& entry = accounts_[index];
        // Slots of earlier generations are found no more, and read anew.
        if (change.storage_cleared || !change.account.has_value()) ++entry.generation;
        entry.exists = change.account.has_value();
        entry.account = change.account.value_or(Account{});
        for (const StorageChange& written : change.storage) {
            const std::uint64_t hash = hash_of(index, entry.generation, written.slot);
            const std::uint32_t slot = find_slot(index, written.slot, hash);
            if (slot != kNone) slots_[slot].value = written.value;
        }
    }
}

}  // namespace heddle::executor
