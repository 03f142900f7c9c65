// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "durable/chain_state.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <types/assert.hpp>
#include <types/expected.hpp>

#include "durable/records.hpp"
#include "storage/schema.hpp"

namespace heddle::ledger {

namespace {

/// The cache's share of the memory; the tries have the rest. They have more of it because a value
/// that is not cached costs one read, and a leaf that is not resident an iterator over the tables
/// and all branches above it.
constexpr std::size_t flat_share(std::size_t memory_bytes) noexcept {
    return memory_bytes / 4;
}

/// Below so many values in a block, waking threads costs more than they save; how many accounts
/// one of them takes at once, and slots of an account.
constexpr std::size_t kParallelValues = 256;
constexpr std::size_t kAccountsAtOnce = 32;
constexpr std::size_t kSlotsAtOnce = 256;

}  // namespace

ChainState::ChainState(const Database& database, const ChainStateOptions& options, const Hash& root)
    : database_(database),
      flat_(database, flat_share(options.memory_bytes), options.on_read_failure),
      store_(database),
      tries_(store_, root, {.thread_count = std::max(1u, options.threads), .trie = {}}),
      trie_bytes_(options.memory_bytes - flat_share(options.memory_bytes)) {}

std::expected<std::vector<SlotUpdate>, LedgerError> ChainState::all_slots(
    const Address& address, const BlockChanges& since) const {
    // The list first: what the tables show later than it is in the list as well.
    std::map<Uint256, Uint256> recent;
    recent_.visit_after(0, [&](const BlockChanges& changes) {
        if (const AccountUpdate* update = changes.find(address))
            for (const SlotUpdate& slot : update->slots)
                recent[slot.slot] = slot.after;
        return false;
    });
    const Hash prefix = schema::hash_of(address);
    Cursor cursor = database_.cursor(Table::slots);
    for (cursor.seek(prefix.view()); cursor.has_prefix(prefix.view()); cursor.next()) {
        const auto entry = schema::decode_slot_entry(cursor.value());
        if (!entry.has_value()) return damaged_record("a slot of account " + to_string(address));
        recent.try_emplace(entry->slot, entry->value);
    }
    HEDDLE_CHECK(cursor.error());
    if (const AccountUpdate* update = since.find(address))
        for (const SlotUpdate& slot : update->slots)
            recent[slot.slot] = slot.before;
    std::vector<SlotUpdate> slots;
    for (const auto& [slot, value] : recent)
        if (!value.is_zero()) slots.push_back({slot, value, {}});
    return slots;
}

std::optional<AccountRecord> ChainState::record_before(const BlockChanges& since,
                                                       const Address& address) const {
    if (const AccountUpdate* update = since.find(address)) return update->before;
    return flat_.record(address);
}

Uint256 ChainState::storage_before(const BlockChanges& since, const Address& address,
                                   const Uint256& slot) const {
    if (const AccountUpdate* update = since.find(address))
        if (const SlotUpdate* found = find_slot(*update, slot)) return found->before;
    return flat_.storage(address, slot);
}

std::vector<Uint256> ChainState::slots_before(const AccountChange& change,
                                              const BlockChanges& since, WorkerCrew* crew) const {
    const auto before = record_before(since, change.address);
    if (change.storage.size() <= kSlotsAtOnce || change.storage_cleared || !before.has_value() ||
        before->storage_root == kEmptyTrieRoot)
        return {};
    std::vector<Uint256> values(change.storage.size());
    WorkerCrew::for_pieces(
        crew, values.size(), kSlotsAtOnce, [&](std::size_t begin, std::size_t end) {
            for (; begin != end; ++begin)
                values[begin] = storage_before(since, change.address, change.storage[begin].slot);
        });
    return values;
}

std::expected<AccountUpdate, LedgerError> ChainState::update_of(
    const AccountChange& change, const BlockChanges& since,
    std::span<const Uint256> slots_before) const {
    AccountUpdate update;
    update.address = change.address;
    update.before = record_before(since, change.address);
    const bool had_storage =
        update.before.has_value() && update.before->storage_root != kEmptyTrieRoot;
    if (had_storage && (change.storage_cleared || !change.account.has_value())) {
        HEDDLE_TRY(update.slots, all_slots(change.address, since));
    }
    if (!change.account.has_value()) return update;
    update.after = AccountRecord{*change.account};

    const std::size_t cleared = update.slots.size();
    const auto is_below = [](const SlotUpdate& a, const SlotUpdate& b) { return a.slot < b.slot; };
    for (std::size_t i = 0; i < change.storage.size(); ++i) {
        const StorageChange& write = change.storage[i];
        SlotUpdate slot{write.slot, {}, write.value};
        if (change.storage_cleared) {
            const auto end = update.slots.begin() + static_cast<std::ptrdiff_t>(cleared);
            const auto old = std::lower_bound(update.slots.begin(), end, slot, is_below);
            if (old != end && old->slot == slot.slot) {
                old->after = slot.after;
                continue;
            }
        } else if (had_storage) {
            slot.before = slots_before.empty() ? storage_before(since, change.address, write.slot)
                                               : slots_before[i];
        }
        update.slots.push_back(slot);
    }
    std::erase_if(update.slots, [](const SlotUpdate& slot) { return slot.before == slot.after; });
    std::ranges::sort(update.slots, is_below);
    return update;
}

std::expected<BlockChanges, LedgerError> ChainState::changes_of(const StateDiff& diff,
                                                                const BlockChanges& since) {
    const std::vector<AccountChange>& accounts = diff.accounts;
    std::size_t values = accounts.size();
    for (const AccountChange& change : accounts)
        values += change.storage.size();
    WorkerCrew* const crew = tries_.crew_for(values, kParallelValues);
    std::vector<std::vector<Uint256>> before;
    if (crew != nullptr) {
        before.resize(accounts.size());
        for (std::size_t i = 0; i < accounts.size(); ++i)
            if (accounts[i].storage.size() > kSlotsAtOnce)
                before[i] = slots_before(accounts[i], since, crew);
    }

    std::vector<std::expected<AccountUpdate, LedgerError>> updates(accounts.size());
    WorkerCrew::for_pieces(
        crew, accounts.size(), kAccountsAtOnce, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i != end; ++i)
                updates[i] = update_of(accounts[i], since,
                                       before.empty() ? std::span<const Uint256>{} : before[i]);
        });
    BlockChanges changes;
    changes.accounts.reserve(accounts.size());
    for (auto& found : updates) {
        HEDDLE_TRY(AccountUpdate update, std::move(found));
        const bool is_same =
            update.before.has_value() == update.after.has_value() &&
            (!update.before.has_value() || update.before->account == update.after->account);
        // What was only touched is no change; nor is what came and went within the block.
        if (!is_same || !update.slots.empty()) changes.accounts.push_back(std::move(update));
    }
    std::ranges::sort(changes.accounts, {}, &AccountUpdate::address);
    return changes;
}

std::expected<Hash, LedgerError> ChainState::move_tries(const StateDiff& diff) {
    HEDDLE_CHECK(check_tries());
    auto root = from_trie(tries_.apply(diff));
    if (!root.has_value()) tries_failure_ = root.error();
    return root;
}

std::expected<void, LedgerError> ChainState::go_to(const StateDiff& diff, std::uint64_t number,
                                                   const Hash& root) {
    HEDDLE_TRY(const Hash moved, move_tries(diff));
    if (moved != root)
        tries_failure_ =
            LedgerError{LedgerErrorCode::corrupt,
                        "the changes stored lead to state root " + to_string(moved) +
                            ", that of block " + std::to_string(number) + " is " + to_string(root)};
    return check_tries();
}

std::expected<void, LedgerError> ChainState::check_tries() const {
    if (tries_failure_.has_value()) return std::unexpected(*tries_failure_);
    return {};
}

std::span<const Hash> ChainState::storage_roots() const noexcept {
    return tries_.storage_roots();
}

RecentChanges::Shared ChainState::move_flat(BlockChanges changes, const StateDiff& diff,
                                            std::span<const Hash> storage_roots,
                                            std::uint64_t number) {
    for (std::size_t i = 0; i < diff.accounts.size(); ++i) {
        AccountUpdate* update = changes.find(diff.accounts[i].address);
        if (update != nullptr && update->after.has_value())
            update->after->storage_root = storage_roots[i];
    }
    auto shared = std::make_shared<const BlockChanges>(std::move(changes));
    flat_.add_codes(diff.codes, number);
    follow(shared, number);
    return shared;
}

void ChainState::follow(const RecentChanges::Shared& changes, std::uint64_t number) {
    // Listed first: whoever sees the value of the block finds the block.
    recent_.add(number, changes);
    apply(*changes, number);
}

void ChainState::go_back(const BlockChanges& back, std::uint64_t number) {
    recent_.drop_above(number);
    apply(back, number);
}

void ChainState::apply(const BlockChanges& changes, std::uint64_t number) {
    flat_.apply(changes, number, tries_.crew_for(count_values(changes), kParallelValues));
}

void ChainState::collect_nodes(WriteBatch& batch, Collect what) {
    HEDDLE_ASSERT(!tries_failure_.has_value());
    TrieBatch sink(batch);
    tries_.collect_changes(sink, what);
}

void ChainState::set_persisted(std::uint64_t number) {
    flat_.set_persisted(number);
}

void ChainState::trim() {
    // Leaves some room, so that it is not done again at once.
    if (!has_room()) tries_.evict(trie_bytes_);
}

std::expected<ResidentStateTrie::Proof, LedgerError> ChainState::prove_account(const Hash& key) {
    return from_trie(tries_.prove_account(key));
}

std::expected<ResidentStateTrie::Proof, LedgerError> ChainState::prove_storage(
    const Address& address, const Hash& key) {
    return from_trie(tries_.prove_storage(address, key));
}

}  // namespace heddle::ledger
