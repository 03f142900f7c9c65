// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <ledger/memory_state.hpp>

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include <types/assert.hpp>
#include <types/object.hpp>

#include "flat_map.hpp"
#include "striped_mutex.hpp"

namespace heddle::ledger {
namespace {

using SlotMap = FlatMap<Uint256, Uint256, Uint256Hasher>;

struct AccountRecord {
    Account account;
    SlotMap slots;
};

/// Accounts. A table of fewer stays in the caches of a processor.
constexpr std::size_t kLeastExpected = 4'096;

void set_slot(SlotMap& slots, const Uint256& slot, const Uint256& value) {
    if (value.is_zero())
        slots.erase(slot);
    else
        slots[slot] = value;
}

/// Ascending, so that dumps and inverse diffs do not depend on the hash table.
std::vector<StorageChange> sorted_slots(const SlotMap& slots) {
    std::vector<StorageChange> sorted;
    sorted.reserve(slots.size());
    slots.for_each(
        [&](const Uint256& slot, const Uint256& value) { sorted.push_back({slot, value}); });
    std::ranges::sort(
        sorted, [](const StorageChange& a, const StorageChange& b) { return a.slot < b.slot; });
    return sorted;
}

}  // namespace

struct MemoryState::Tables {
    Tables() = default;
    /// A copy has a lock of its own.
    Tables(const Tables& other) : accounts(other.accounts), codes(other.codes) {}
    Tables& operator=(const Tables&) = delete;
    ~Tables() = default;

    [[nodiscard]] std::shared_lock<StripedMutex> read() { return std::shared_lock{mutex}; }
    [[nodiscard]] std::unique_lock<StripedMutex> write() { return std::unique_lock{mutex}; }

    void set_code(const Hash& hash, BytesView code) {
        Bytes& held = codes[hash];
        if (held.empty()) held.assign(code.begin(), code.end());
    }

    /// Over both tables: taken shared by the reads of StateView, exclusively by every change. Reads
    /// that are for the changing thread alone (inverse, visits, counts) do without.
    StripedMutex mutex;
    FlatMap<Address, AccountRecord, AddressHasher> accounts;
    // A vector keeps its bytes in place when it is moved, so views survive growth of the table.
    FlatMap<Hash, Bytes, HashHasher> codes;
};

MemoryState::MemoryState() : tables_(std::make_unique<Tables>()) {}
MemoryState::MemoryState(const MemoryState& other)
    : tables_(std::make_unique<Tables>(*other.tables_)) {}
MemoryState::MemoryState(MemoryState&&) noexcept = default;
MemoryState& MemoryState::operator=(const MemoryState& other) {
    if (this != &other) tables_ = std::make_unique<Tables>(*other.tables_);
    return *this;
}
MemoryState& MemoryState::operator=(MemoryState&&) noexcept = default;
MemoryState::~MemoryState() = default;

std::optional<Account> MemoryState::account(const Address& address) const noexcept {
    const auto lock = tables_->read();
    const AccountRecord* record = tables_->accounts.find(address);
    if (record == nullptr) return std::nullopt;
    return record->account;
}

Uint256 MemoryState::storage(const Address& address, const Uint256& slot) const noexcept {
    const auto lock = tables_->read();
    const AccountRecord* record = tables_->accounts.find(address);
    if (record == nullptr) return {};
    const Uint256* value = record->slots.find(slot);
    return value == nullptr ? Uint256{} : *value;
}

bool MemoryState::has_storage(const Address& address) const noexcept {
    const auto lock = tables_->read();
    return storage_count(address) != 0;
}

BytesView MemoryState::code(const Hash& code_hash) const noexcept {
    if (code_hash == kEmptyCodeHash) return {};
    const auto lock = tables_->read();
    const Bytes* code = tables_->codes.find(code_hash);
    HEDDLE_ASSERT(code != nullptr);
    return *code;
}

bool MemoryState::expect(std::span<const ObjectId> objects) const noexcept {
    const auto lock = tables_->read();
    if (tables_->accounts.size() < kLeastExpected) return false;
    const Address* owner = nullptr;  // of `record`
    const AccountRecord* record = nullptr;
    for (const ObjectId& object : objects) {
        if (object.kind != ObjectKind::storage) {
            tables_->accounts.expect(object.address);
            continue;
        }
        if (owner == nullptr || *owner != object.address) {
            owner = &object.address;
            record = tables_->accounts.find(object.address);
        }
        if (record != nullptr) record->slots.expect(object.slot);
    }
    return true;
}

void MemoryState::set_account(const Address& address, const Account& account) {
    const auto lock = tables_->write();
    tables_->accounts[address].account = account;
}

void MemoryState::set_storage(const Address& address, const Uint256& slot, const Uint256& value) {
    const auto lock = tables_->write();
    set_slot(tables_->accounts[address].slots, slot, value);
}

void MemoryState::set_code(const Hash& hash, BytesView code) {
    const auto lock = tables_->write();
    tables_->set_code(hash, code);
}

void MemoryState::add(const GenesisAccount& account) {
    Account fields{.nonce = account.nonce, .balance = account.balance};
    if (!account.code.empty()) fields.code_hash = keccak256(account.code);
    const auto lock = tables_->write();
    if (!account.code.empty()) tables_->set_code(fields.code_hash, account.code);
    AccountRecord& record = tables_->accounts[account.address];
    record.account = fields;
    for (const auto& [slot, value] : account.storage)
        set_slot(record.slots, slot, value);
}

void MemoryState::apply(const StateDiff& diff) {
    const auto lock = tables_->write();
    for (const AccountChange& change : diff.accounts) {
        if (!change.account.has_value()) {
            tables_->accounts.erase(change.address);
            continue;
        }
        AccountRecord& record = tables_->accounts[change.address];
        if (change.storage_cleared) record.slots.clear();
        record.account = *change.account;
        for (const StorageChange& write : change.storage)
            set_slot(record.slots, write.slot, write.value);
    }
    for (const CodeChange& change : diff.codes)
        tables_->set_code(change.hash, change.code);
}

StateDiff MemoryState::inverse(const StateDiff& diff) const {
    StateDiff inverse;
    inverse.accounts.reserve(diff.accounts.size());
    for (const AccountChange& change : diff.accounts) {
        AccountChange& back = inverse.accounts.emplace_back();
        back.address = change.address;
        const AccountRecord* record = tables_->accounts.find(change.address);
        if (record == nullptr) continue;
        back.account = record->account;
        back.storage_cleared = change.storage_cleared || !change.account.has_value();
        if (back.storage_cleared) {
            back.storage = sorted_slots(record->slots);
            continue;
        }
        back.storage.reserve(change.storage.size());
        for (const StorageChange& write : change.storage) {
            const Uint256* old_value = record->slots.find(write.slot);
            back.storage.push_back({write.slot, old_value == nullptr ? Uint256{} : *old_value});
        }
    }
    return inverse;
}

std::size_t MemoryState::account_count() const noexcept {
    return tables_->accounts.size();
}

std::size_t MemoryState::storage_count(const Address& address) const noexcept {
    const AccountRecord* record = tables_->accounts.find(address);
    return record == nullptr ? 0 : record->slots.size();
}

void MemoryState::for_each_account(const AccountVisitor& visit) const {
    std::vector<std::pair<Address, const AccountRecord*>> sorted;
    sorted.reserve(account_count());
    tables_->accounts.for_each([&](const Address& address, const AccountRecord& record) {
        sorted.emplace_back(address, &record);
    });
    std::ranges::sort(sorted, {}, &std::pair<Address, const AccountRecord*>::first);
    for (const auto& [address, record] : sorted)
        visit(address, record->account);
}

void MemoryState::for_each_slot(const Address& address, const SlotVisitor& visit) const {
    const AccountRecord* record = tables_->accounts.find(address);
    if (record == nullptr) return;
    for (const auto& [slot, value] : sorted_slots(record->slots))
        visit(slot, value);
}

}  // namespace heddle::ledger
