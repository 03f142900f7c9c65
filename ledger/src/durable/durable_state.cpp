// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "durable/durable_state.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <types/assert.hpp>

#include "storage/schema.hpp"

namespace heddle::ledger {

void fail_read(const ReadFailureHandler& handler, const LedgerError& error) noexcept {
    if (handler) handler(error);
    fatal(to_string(error).c_str(), __FILE__, __LINE__);
}

namespace {

/// Machines keep the code that they run; here is what they ask for once in a while.
constexpr std::size_t code_share(std::size_t memory_bytes) noexcept {
    return memory_bytes / 8;
}
constexpr std::size_t values_share(std::size_t memory_bytes) noexcept {
    return memory_bytes - code_share(memory_bytes);
}

/// Objects of a set that are looked at before all of it is fetched.
constexpr std::size_t kSample = 64;

/// Accounts that a thread writes at once, and slots of one account.
constexpr std::size_t kAccountsAtOnce = 32;
constexpr std::size_t kValuesAtOnce = 256;

/// Values that are fetched at once: execution waits for none longer than this takes.
constexpr std::size_t kBatch = 256;

/// Calls `load` with no more than kBatch of them at a time.
template <typename Key, typename Load>
void in_batches(const std::vector<Key>& keys, const Load& load) {
    for (std::size_t i = 0; i < keys.size(); i += kBatch)
        load(std::span{keys}.subspan(i, std::min(kBatch, keys.size() - i)));
}

/// schema::hash_of(). Who reads a slot mostly reads others of the same account next.
const Hash& hash_of_owner(const Address& address) noexcept {
    struct Last {
        Address address;
        Hash hash = schema::hash_of({});
    };
    thread_local Last last;
    if (last.address != address) last = {address, schema::hash_of(address)};
    return last.hash;
}

}  // namespace

void fail_decoding(const ReadFailureHandler& handler, const std::string& what) noexcept {
    fail_read(handler, {LedgerErrorCode::corrupt, "the record of " + what + " does not decode"});
}

std::string name_of_account(const Address& address) {
    return "account " + to_string(address);
}

std::string name_of_slot(const Address& address, const Uint256& slot) {
    return "slot " + to_hex(slot) + " of " + name_of_account(address);
}

std::optional<AccountRecord> decode_flat_account(const Address& address,
                                                 const std::optional<Bytes>& bytes,
                                                 const ReadFailureHandler& on_failure) noexcept {
    if (!bytes.has_value()) return std::nullopt;
    const auto entry = schema::decode_account_entry(*bytes);
    if (!entry.has_value() || entry->address != address)
        fail_decoding(on_failure, name_of_account(address));
    return entry->record;
}

Uint256 decode_flat_slot(const Address& address, const Uint256& slot,
                         const std::optional<Bytes>& bytes,
                         const ReadFailureHandler& on_failure) noexcept {
    if (!bytes.has_value()) return {};
    const auto entry = schema::decode_slot_entry(*bytes);
    if (!entry.has_value() || entry->slot != slot)
        fail_decoding(on_failure, name_of_slot(address, slot));
    return entry->value;
}

DurableState::DurableState(const Database& database, std::size_t memory_bytes,
                           ReadFailureHandler on_failure)
    : database_(database),
      on_failure_(std::move(on_failure)),
      accounts_(values_share(memory_bytes) / 2 / AccountCache::kBytesPerValue),
      slots_(values_share(memory_bytes) / 2 / SlotCache::kBytesPerValue),
      codes_(code_share(memory_bytes)),
      prefetcher_([this](Prefetcher::Wanted& wanted) {
          in_batches(wanted.accounts, [this](std::span<const Address> keys) { load(keys); });
          in_batches(wanted.slots, [this](std::span<const Slot> keys) { load(keys); });
      }) {}

std::optional<AccountRecord> DurableState::record(const Address& address) const noexcept {
    const auto cached = accounts_.find(address);
    if (cached.value.has_value()) return *cached.value;
    const auto bytes = database_.get(Table::accounts, schema::hash_of(address).view());
    if (!bytes.has_value()) fail_read(on_failure_, bytes.error());
    auto loaded = decode_flat_account(address, *bytes, on_failure_);
    accounts_.offer(address, loaded, cached.ticket);
    return loaded;
}

std::optional<Account> DurableState::account(const Address& address) const noexcept {
    const auto found = record(address);
    if (!found.has_value()) return std::nullopt;
    return found->account;
}

Uint256 DurableState::storage(const Address& address, const Uint256& slot) const noexcept {
    const Slot key{address, slot};
    const auto cached = slots_.find(key);
    if (cached.value.has_value()) return *cached.value;
    const schema::SlotKey place(hash_of_owner(address), schema::hash_of_slot(slot));
    const auto bytes = database_.get(Table::slots, place.view());
    if (!bytes.has_value()) fail_read(on_failure_, bytes.error());
    const Uint256 loaded = decode_flat_slot(address, slot, *bytes, on_failure_);
    slots_.offer(key, loaded, cached.ticket);
    return loaded;
}

bool DurableState::has_storage(const Address& address) const noexcept {
    const auto found = record(address);
    return found.has_value() && found->storage_root != kEmptyTrieRoot;
}

StoredCodes::Code DurableState::find_code(const Hash& code_hash) const noexcept {
    if (StoredCodes::Code code = codes_.find(code_hash)) return code;
    auto bytes = database_.get(Table::codes, code_hash.view());
    if (!bytes.has_value()) fail_read(on_failure_, bytes.error());
    if (!bytes->has_value()) return nullptr;
    // Not hashed: that would take longer than executing most of what is read from a disk, at 2,600
    // gas for 24 KiB. What a disk has changed is found by the checksums of the database, anything
    // else by `heddle verify`.
    return codes_.offer(code_hash, *std::move(*bytes));
}

BytesView DurableState::code(const Hash& code_hash) const noexcept {
    if (code_hash == kEmptyCodeHash) return {};
    // What StateView promises: whatever is dropped, the thread has what it was given last.
    thread_local StoredCodes::Code at_hand;
    at_hand = find_code(code_hash);
    if (at_hand == nullptr)
        fail_read(on_failure_,
                  {LedgerErrorCode::corrupt, "the code " + to_string(code_hash) + " is missing"});
    return *at_hand;
}

bool DurableState::is_loaded(const ObjectId& object) const noexcept {
    return object.kind == ObjectKind::storage
               ? slots_.find({object.address, object.slot}).value.has_value()
               : accounts_.find(object.address).value.has_value();
}

bool DurableState::are_at_hand(std::span<const ObjectId> objects) const noexcept {
    return std::ranges::all_of(objects,
                               [this](const ObjectId& object) { return is_loaded(object); });
}

bool DurableState::seems_loaded(const ObjectSet& objects) const noexcept {
    const std::span<const Access> accesses = objects.accesses();
    // Rounded up, so that steps do not fall into the pattern in which contracts lay out their data.
    const std::size_t step = accesses.size() / kSample + 1;
    for (std::size_t i = 0; i < accesses.size(); i += step)
        if (!is_loaded(accesses[i].object)) return false;
    return true;
}

void DurableState::prefetch(const ObjectSet& objects) const noexcept {
    // A whole block's objects that are there already would keep another thread busy for nothing.
    if (objects.accesses().size() > kSample && seems_loaded(objects)) return;
    prefetcher_.add(objects);
}

void DurableState::load(std::span<const Address> accounts) const noexcept {
    std::vector<Bytes> keys;
    std::vector<std::pair<Address, AccountCache::Ticket>> missing;
    for (const Address& address : accounts) {
        const auto cached = accounts_.find(address);
        if (cached.value.has_value()) continue;
        const Hash hash = schema::hash_of(address);
        keys.emplace_back(hash.bytes.begin(), hash.bytes.end());
        missing.emplace_back(address, cached.ticket);
    }
    if (keys.empty()) return;
    const auto values = database_.get_all(Table::accounts, keys);
    // Whoever needs the value will meet the failure again.
    if (!values.has_value()) return;
    for (std::size_t i = 0; i < missing.size(); ++i) {
        const auto& [address, ticket] = missing[i];
        accounts_.offer(address, decode_flat_account(address, (*values)[i], on_failure_), ticket);
    }
}

void DurableState::load(std::span<const Slot> slots) const noexcept {
    std::vector<Bytes> keys;
    std::vector<std::pair<Slot, SlotCache::Ticket>> missing;
    Address address;
    Hash address_hash = schema::hash_of(address);
    for (const Slot& key : slots) {
        const auto cached = slots_.find(key);
        if (cached.value.has_value()) continue;
        if (key.address != address) address_hash = schema::hash_of(address = key.address);
        const schema::SlotKey place(address_hash, schema::hash_of_slot(key.slot));
        keys.emplace_back(place.bytes.begin(), place.bytes.end());
        missing.emplace_back(key, cached.ticket);
    }
    if (keys.empty()) return;
    const auto values = database_.get_all(Table::slots, keys);
    if (!values.has_value()) return;
    for (std::size_t i = 0; i < missing.size(); ++i) {
        const auto& [key, ticket] = missing[i];
        slots_.offer(key, decode_flat_slot(key.address, key.slot, (*values)[i], on_failure_),
                     ticket);
    }
}

void DurableState::apply(const BlockChanges& changes, std::uint64_t number, WorkerCrew* crew) {
    const auto write_slots = [&](const AccountUpdate& update, std::size_t begin, std::size_t end) {
        for (const SlotUpdate& slot : std::span(update.slots).subspan(begin, end - begin))
            slots_.write({update.address, slot.slot}, slot.after, number);
    };
    const std::vector<AccountUpdate>& accounts = changes.accounts;
    // Those with many slots share them, the others themselves.
    for (const AccountUpdate& update : accounts)
        if (update.slots.size() > kValuesAtOnce)
            WorkerCrew::for_pieces(
                crew, update.slots.size(), kValuesAtOnce,
                [&](std::size_t begin, std::size_t end) { write_slots(update, begin, end); });
    WorkerCrew::for_pieces(crew, accounts.size(), kAccountsAtOnce,
                           [&](std::size_t begin, std::size_t end) {
                               for (; begin != end; ++begin) {
                                   const AccountUpdate& update = accounts[begin];
                                   if (update.slots.size() <= kValuesAtOnce)
                                       write_slots(update, 0, update.slots.size());
                                   accounts_.write(update.address, update.after, number);
                               }
                           });
}

void DurableState::add_codes(std::span<const CodeChange> codes, std::uint64_t number) {
    codes_.write(codes, number);
}

void DurableState::set_persisted(std::uint64_t number) noexcept {
    accounts_.set_persisted(number);
    slots_.set_persisted(number);
    codes_.set_persisted(number);
}

}  // namespace heddle::ledger
