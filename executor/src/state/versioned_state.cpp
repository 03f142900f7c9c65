// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "state/versioned_state.hpp"

#include <algorithm>
#include <utility>

#include <types/assert.hpp>

namespace heddle::executor {
namespace {

/// More of them would make searches miss the caches more often, and save no reads worth it.
constexpr KeptState kMost = {.accounts = std::size_t{1} << 20,
                             .slots = std::size_t{1} << 21,
                             .stale = std::size_t{1} << 17,
                             .code_bytes = std::size_t{64} << 20};
/// With fewer, the stream would stop for nothing else.
constexpr KeptState kLeast = {.accounts = std::size_t{1} << 10,
                              .slots = std::size_t{1} << 11,
                              .stale = std::size_t{1} << 10,
                              .code_bytes = std::size_t{1} << 20};

// Of one account or slot: its cell, its word and those that are empty yet, and what a policy
// remembers of it.
constexpr std::size_t kBytesOfWords = 72;
constexpr std::size_t kBytesPerAccount =
    sizeof(AccountCell) + sizeof(AccountVersions) + kBytesOfWords + 128;
constexpr std::size_t kBytesPerSlot = sizeof(SlotCell) + kBytesOfWords + 16;

/// About what one code takes beside its bytes. A delegation (EIP-7702) has 23, and whoever pays for
/// one may have any number of them.
constexpr std::size_t kBytesPerCode = 192;

std::uint64_t hash_of(const Address& address) noexcept {
    return AddressHasher{}(address);
}
std::uint64_t hash_of(const AccountCell& account, const Uint256& slot) noexcept {
    return Uint256Hasher{}(slot, account.number);
}

}  // namespace

KeptState kept_state(std::size_t bytes) noexcept {
    // An eighth is code, another one stale cells; of the others two are slots for each account.
    const std::size_t accounts = bytes / 4 * 3 / (kBytesPerAccount + 2 * kBytesPerSlot);
    KeptState kept;
    kept.accounts = std::clamp(accounts, kLeast.accounts, kMost.accounts);
    kept.slots = std::clamp(2 * accounts, kLeast.slots, kMost.slots);
    kept.stale = std::clamp(bytes / 8 / kBytesPerAccount, kLeast.stale, kMost.stale);
    kept.code_bytes = std::clamp(bytes / 8, kLeast.code_bytes, kMost.code_bytes);
    return kept;
}

void VersionedState::attach(const StateView& base) {
    forget();
    base_ = &base;
}

/// No attempt is in flight that could have seen a value and its stamp, so values may change under
/// the same stamp.
bool VersionedState::follow(const StateDiff& diff) {
    for (const AccountChange& change : diff.accounts) {
        AccountCell* const cell = accounts_.find(
            hash_of(change.address),
            [&](const AccountCell& found) { return found.address == change.address; });
        if (cell == nullptr) continue;  // nor is there a slot of it
        // Slots with values of before could be anywhere in the table.
        if (change.storage_cleared || !change.account.has_value()) return false;
        {
            const std::lock_guard guard(cell->lock);
            if (cell->is_loaded.load(std::memory_order_relaxed)) {
                cell->exists = true;
                cell->committed = *change.account;
            }
        }
        for (const StorageChange& written : change.storage) {
            SlotCell* const slot =
                slots_.find(hash_of(*cell, written.slot), [&](const SlotCell& found) {
                    return found.slot == written.slot && found.account == cell;
                });
            const bool is_here = slot != nullptr && slot->is_loaded.load(std::memory_order_relaxed);
            // After a clearing only those that were written since count: one that is read from the
            // base later would be of before, one that is not listed would not be found.
            if (cell->stamps.storage != 0 && !(is_here && is_listed(*slot))) return false;
            if (!is_here) continue;
            const std::lock_guard guard(slot->lock);
            slot->committed = written.value;
        }
    }
    return true;
}

void VersionedState::forget() {
    slots_.reset(kept_.slots);
    accounts_.reset(kept_.accounts);
    kept_accounts_.reset();
    kept_slots_.reset();
    forget_codes();
}

void VersionedState::forget_codes() {
    codes_.clear();
    has_codes_.store(false, std::memory_order_relaxed);
    code_bytes_.store(0, std::memory_order_relaxed);
    withdrawn_codes_.clear();
    has_withdrawn_codes_.store(false, std::memory_order_relaxed);
}

bool VersionedState::wants_trim(std::size_t in_flight) const noexcept {
    const std::uint64_t accounts = kept_accounts_.get();
    const std::uint64_t slots = kept_slots_.get();
    // All cells are looked at to find those: they must be enough to be worth it.
    const std::uint64_t stale = std::max<std::uint64_t>(kept_.stale, (accounts + slots) / 8);
    return accounts > kept_.accounts || slots > kept_.slots ||
           cell_count() > accounts + slots + in_flight + stale || code_bytes() > kept_.code_bytes;
}

/// Whether one block has made so many stale cells that their memory would be more than what is kept
/// takes. It can be given back only where no cell stays, and taking out the next ones would go
/// through all of it.
bool VersionedState::has_spare_memory() const noexcept {
    return accounts_.cell_capacity() > kept_.accounts + kept_.stale + accounts_.kChunkCells ||
           slots_.cell_capacity() > kept_.slots + kept_.stale + slots_.kChunkCells;
}

bool VersionedState::trim() {
    if (code_bytes() > kept_.code_bytes) forget_codes();
    const bool are_too_many =
        kept_accounts_.get() > kept_.accounts || kept_slots_.get() > kept_.slots;
    if (are_too_many || has_spare_memory()) {
        forget();
        return true;
    }
    slots_.sweep([](const SlotCell& cell) { return cell.is_kept; });
    accounts_.sweep([](const AccountCell& cell) { return cell.is_kept; });
    return false;
}

AccountCell& VersionedState::account(const Address& address) {
    return accounts_.find_or_insert(
        hash_of(address), [&](const AccountCell& cell) { return cell.address == address; },
        [&](AccountCell& cell) {
            cell.address = address;
            cell.is_loaded.store(false, std::memory_order_relaxed);
            cell.has_clearing.store(false, std::memory_order_relaxed);
            cell.unrest.store(0, std::memory_order_relaxed);
            cell.leads_to_unrest.store(false, std::memory_order_relaxed);
            cell.stamps = {};
            if (cell.versions != nullptr) cell.versions->clear();
            cell.is_kept = false;
            cell.changed_in = 0;
            cell.changed_slots = nullptr;
            cell.slots = nullptr;
        });
}

SlotCell& VersionedState::slot(AccountCell& account, const Uint256& slot) {
    return slots_.find_or_insert(
        hash_of(account, slot),
        [&](const SlotCell& cell) { return cell.slot == slot && cell.account == &account; },
        [&](SlotCell& cell) {
            cell.account = &account;
            cell.slot = slot;
            cell.is_loaded.store(false, std::memory_order_relaxed);
            cell.stamp = 0;
            if (std::exchange(cell.has_versions, false)) cell.versions.clear();
            cell.is_kept = false;
            cell.changed_in = 0;
            cell.next_changed = nullptr;
            cell.was_listed = false;
            cell.next_slot = nullptr;
        });
}

void VersionedState::load(AccountCell& cell) const noexcept {
    cold_reads_.fetch_add(1, std::memory_order_relaxed);
    const std::optional<Account> account = base_->account(cell.address);
    const std::lock_guard guard(cell.lock);
    if (cell.is_loaded.load(std::memory_order_relaxed)) return;  // another one was faster
    cell.exists = account.has_value();
    cell.committed = account.value_or(Account{});
    cell.is_loaded.store(true, std::memory_order_release);
}

void VersionedState::load(SlotCell& cell) const noexcept {
    cold_reads_.fetch_add(1, std::memory_order_relaxed);
    const Uint256 value = base_->storage(cell.account->address, cell.slot);
    const std::lock_guard guard(cell.lock);
    if (cell.is_loaded.load(std::memory_order_relaxed)) return;  // another one was faster
    cell.committed = value;
    cell.is_loaded.store(true, std::memory_order_release);
}

AccountReading VersionedState::read(AccountCell& cell, Stamp limit) const noexcept {
    return read(cell, AccountStamps{limit, limit, limit, limit});
}

AccountReading VersionedState::read(AccountCell& cell, const AccountStamps& limits) const noexcept {
    ensure_loaded(cell);
    AccountReading reading;
    const std::lock_guard guard(cell.lock);
    bool exists = cell.exists;
    Account account = cell.committed;
    reading.stamps = cell.stamps;
    if (cell.versions != nullptr) {
        const AccountVersions& versions = *cell.versions;
        if (const auto* balance = versions.balance(limits.balance)) {
            account.balance = balance->value;
            reading.stamps.balance = balance->stamp;
        }
        if (const auto* nonce = versions.nonce(limits.nonce)) {
            account.nonce = nonce->value;
            reading.stamps.nonce = nonce->stamp;
        }
        if (const auto* code = versions.code(limits.code)) {
            exists = code->exists;
            account.code_hash = code->hash;
            reading.stamps.code = code->stamp;
        }
        if (const auto* clearing = versions.clearing(limits.storage))
            reading.stamps.storage = clearing->stamp;
    }
    if (exists) reading.account = account;
    return reading;
}

SlotReading VersionedState::read(SlotCell& cell, Stamp limit) const noexcept {
    return read(cell, limit, AccountStamps{limit, limit, limit, limit});
}

SlotReading VersionedState::read(SlotCell& cell, Stamp limit,
                                 const AccountStamps& limits) const noexcept {
    ensure_loaded(cell);
    SlotReading reading;
    {
        const std::lock_guard guard(cell.lock);
        reading = {cell.committed, cell.stamp};
        if (cell.has_versions)
            if (const SlotVersion* version = cell.versions.newest_before(limit))
                reading = {version->value, version->stamp};
    }
    if (cell.account->has_clearing.load(std::memory_order_acquire)) {
        const Stamp clearing = read(*cell.account, limits).stamps.storage;
        if (clearing > reading.stamp) reading = {Uint256{}, clearing};
    }
    return reading;
}

std::optional<Uint256> VersionedState::known_balance(AccountCell& cell) const noexcept {
    if (!cell.is_loaded.load(std::memory_order_acquire)) return std::nullopt;
    const std::lock_guard guard(cell.lock);
    return cell.committed.balance;
}

SlotReading VersionedState::committed(SlotCell& cell) const noexcept {
    ensure_loaded(cell);
    const Stamp clearing = cell.account->stamps.storage;
    if (clearing > cell.stamp) return {Uint256{}, clearing};
    return {cell.committed, cell.stamp};
}

bool VersionedState::has_storage(AccountCell& cell) const noexcept {
    for (SlotCell* slot = cell.slots; slot != nullptr; slot = slot->next_slot)
        if (!committed(*slot).value.is_zero()) return true;
    // What was never written since the cell was made is as the base has it, unless it was cleared.
    return cell.stamps.storage == 0 && base_->has_storage(cell.address);
}

BytesView VersionedState::code(const Hash& hash) const noexcept {
    if (has_codes_.load(std::memory_order_acquire)) {
        const std::lock_guard guard(codes_mutex_);
        if (const auto found = codes_.find(hash); found != codes_.end()) return found->second.code;
    }
    return base_->code(hash);
}

/// Under the mutex.
VersionedState::PublishedCode& VersionedState::hold(const Hash& hash, BytesView code) {
    const auto [entry, is_new] = codes_.try_emplace(hash);
    if (is_new) {
        entry->second.code.assign(code.begin(), code.end());
        code_bytes_.fetch_add(code.size() + kBytesPerCode, std::memory_order_relaxed);
        has_codes_.store(true, std::memory_order_release);
    }
    return entry->second;
}

void VersionedState::publish_code(const Hash& hash, BytesView code) {
    const std::lock_guard guard(codes_mutex_);
    ++hold(hash, code).publishers;
}

void VersionedState::withdraw_code(const Hash& hash, std::uint64_t dispatched) {
    const std::lock_guard guard(codes_mutex_);
    PublishedCode& code = codes_.at(hash);
    HEDDLE_ASSERT(code.publishers != 0);
    // Two may withdraw it at once, and the one that looked first come last.
    code.dispatched = std::max(code.dispatched, dispatched);
    if (--code.publishers != 0 || code.is_committed) return;
    withdrawn_codes_.push_back({hash, code.dispatched});
    has_withdrawn_codes_.store(true, std::memory_order_relaxed);
}

bool VersionedState::commit_code(const Hash& hash, BytesView code, bool was_published) {
    const std::lock_guard guard(codes_mutex_);
    PublishedCode& held = hold(hash, code);
    if (was_published) {
        HEDDLE_ASSERT(held.publishers != 0);
        --held.publishers;
    }
    return !std::exchange(held.is_committed, true);
}

void VersionedState::free_withdrawn_code(std::uint64_t committed) {
    // Whoever has missed the last one frees it the next time.
    if (!has_withdrawn_codes_.load(std::memory_order_relaxed)) return;
    const std::lock_guard guard(codes_mutex_);
    while (!withdrawn_codes_.empty() && withdrawn_codes_.front().dispatched <= committed) {
        const auto found = codes_.find(withdrawn_codes_.front().hash);
        withdrawn_codes_.pop_front();
        if (found == codes_.end()) continue;
        // It may have been published again meanwhile, and be withdrawn again.
        const PublishedCode& code = found->second;
        if (code.publishers != 0 || code.is_committed || code.dispatched > committed) continue;
        code_bytes_.fetch_sub(code.code.size() + kBytesPerCode, std::memory_order_relaxed);
        codes_.erase(found);
    }
    if (withdrawn_codes_.empty()) has_withdrawn_codes_.store(false, std::memory_order_relaxed);
}

void VersionedState::publish(AccountCell& cell, const AccountVersion& version) {
    const std::lock_guard guard(cell.lock);
    if (version.clears_storage) cell.has_clearing.store(true, std::memory_order_release);
    if (cell.versions == nullptr) cell.versions = std::make_unique<AccountVersions>();
    cell.versions->insert(version);
}

void VersionedState::publish(SlotCell& cell, const SlotVersion& version) {
    const std::lock_guard guard(cell.lock);
    cell.insert_version(version);
}

void VersionedState::withdraw(AccountCell& cell, Stamp stamp) noexcept {
    const std::lock_guard guard(cell.lock);
    cell.erase_version(stamp);
}

void VersionedState::withdraw(SlotCell& cell, Stamp stamp) noexcept {
    const std::lock_guard guard(cell.lock);
    cell.erase_version(stamp);
}

}  // namespace heddle::executor
