// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "durable/historical_tries.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include <types/expected.hpp>
#include <types/rlp.hpp>

#include "durable/records.hpp"
#include "storage/schema.hpp"

namespace heddle::ledger {

namespace {

/// Leaves that are written between two questions whether to go on.
constexpr std::size_t kPortion = 1'024;
/// What an entry of a table takes beside its content, about.
constexpr std::size_t kEntryBytes = 32;

Hash key_of(const Address& address) noexcept {
    return schema::hash_of(address);
}
Hash key_of(const Uint256& slot) noexcept {
    return schema::hash_of_slot(slot);
}

std::string of_block(std::uint64_t number) {
    return "the tries of block " + std::to_string(number);
}

}  // namespace

class HistoricalTries::Leaves {
public:
    void add(const Hash& key, const std::optional<AccountRecord>& record) {
        Bytes& value = entries_.emplace_back(key, Bytes{}).second;
        if (record.has_value()) schema::encode_account_leaf(*record, value);
    }
    void add(const Hash& key, const Uint256& value) {
        Bytes& leaf = entries_.emplace_back(key, Bytes{}).second;
        if (!value.is_zero()) rlp::encode_uint256(value, leaf);
    }
    /// As updates, by their keys.
    [[nodiscard]] std::vector<TrieUpdate> sorted() {
        std::ranges::sort(entries_, {}, &std::pair<Hash, Bytes>::first);
        std::vector<TrieUpdate> updates;
        updates.reserve(entries_.size());
        for (const auto& [key, value] : entries_)
            updates.push_back({key, value, nullptr});
        return updates;
    }

private:
    std::vector<std::pair<Hash, Bytes>> entries_;  // an empty value: there is no such leaf
};

HistoricalTries::HistoricalTries(const Database& database, std::unique_ptr<HistoricalState> state,
                                 const DatabaseSnapshot& snapshot, Origin origin)
    : database_(database),
      state_(std::move(state)),
      snapshot_(snapshot),
      origin_(std::move(origin)),
      store_(database, &snapshot),
      account_forest_(&store_),
      accounts_(Tree::stub(kAccountTrie, origin_.state_root)),
      storage_forest_(&store_) {}

std::expected<void, LedgerError> HistoricalTries::check_limits() const {
    if (go_on_ && !go_on_())
        return std::unexpected(LedgerError{LedgerErrorCode::unavailable,
                                           of_block(origin_.number) + ": it took too long"});
    const std::size_t bytes = read_bytes_ + written_bytes_ + account_forest_.reserved_bytes() +
                              storage_forest_.reserved_bytes();
    if (bytes > most_bytes_)
        return std::unexpected(LedgerError{
            LedgerErrorCode::unavailable,
            of_block(origin_.number) + ": so much has changed since that they do not fit into " +
                std::to_string(most_bytes_ >> 20) + " MiB"});
    return {};
}

template <typename Visit>
std::expected<void, LedgerError> HistoricalTries::visit_changes(Visit visit) const {
    // The tables are behind: forward, by what the blocks up to this one left.
    for (auto entry = origin_.recent.rbegin(); entry != origin_.recent.rend(); ++entry) {
        if (entry->number > origin_.number || entry->number <= origin_.state_block) continue;
        HEDDLE_CHECK(check_limits());
        visit(*entry->changes, &AccountUpdate::after, &SlotUpdate::after);
    }
    // Or ahead: back, by what the blocks above this one found.
    for (std::uint64_t next = origin_.number + 1; next <= origin_.state_block; ++next) {
        HEDDLE_CHECK(check_limits());
        HEDDLE_TRY(const auto changes, read_changes(database_, next, &snapshot_));
        if (!changes.has_value())
            return missing_record("the list of changes of block " + std::to_string(next));
        visit(*changes, &AccountUpdate::before, &SlotUpdate::before);
    }
    return check_limits();
}

std::expected<void, LedgerError> HistoricalTries::move() {
    HEDDLE_CHECK(visit_changes([&](const BlockChanges& changes, auto record, auto /*value*/) {
        for (const AccountUpdate& update : changes.accounts)
            if (records_.try_emplace(update.address, update.*record).second)
                read_bytes_ += sizeof(*records_.begin()) + kEntryBytes;
    }));
    Leaves leaves;
    for (const auto& [address, record] : records_)
        leaves.add(schema::hash_of(address), record);
    return write(account_forest_, accounts_, leaves, origin_.root);
}

std::expected<void, LedgerError> HistoricalTries::write(TrieForest& forest, Tree& tree,
                                                        Leaves& leaves) {
    const std::vector<TrieUpdate> updates = leaves.sorted();
    for (std::size_t begin = 0; begin < updates.size(); begin += kPortion) {
        HEDDLE_CHECK(check_limits());
        const std::size_t count = std::min(kPortion, updates.size() - begin);
        const TrieJob job{&tree, std::span(updates).subspan(begin, count)};
        HEDDLE_CHECK(from_trie(forest.update({&job, 1})));
    }
    return {};
}

std::expected<void, LedgerError> HistoricalTries::write(TrieForest& forest, Tree& tree,
                                                        Leaves& leaves, const Hash& root) {
    HEDDLE_CHECK(write(forest, tree, leaves));
    if (tree.root == root) return {};
    return std::unexpected(LedgerError{
        LedgerErrorCode::corrupt, of_block(origin_.number) + " have the root " +
                                      to_string(tree.root) + " in place of " + to_string(root)});
}

std::expected<void, LedgerError> HistoricalTries::load_storages(
    std::span<const Address> addresses) {
    struct Moved {
        Hash root;
        Slots slots;
    };
    std::unordered_map<Address, Moved, AddressHasher> moved;
    for (const Address& address : addresses) {
        if (storages_.contains(address)) continue;
        const auto record = state_->record(address);
        if (!record.has_value() || record->storage_root == kEmptyTrieRoot) continue;
        if (records_.contains(address))
            moved[address].root = record->storage_root;
        else
            storages_.emplace(address,
                              Storage{Tree::stub(schema::hash_of(address), record->storage_root)});
    }
    if (moved.empty()) return {};
    const std::size_t bytes_before = read_bytes_;
    HEDDLE_CHECK(visit_changes([&](const BlockChanges& changes, auto /*record*/, auto value) {
        for (auto& [address, storage] : moved) {
            const AccountUpdate* const update = changes.find(address);
            if (update == nullptr) continue;
            for (const SlotUpdate& slot : update->slots)
                if (storage.slots.try_emplace(slot.slot, slot.*value).second)
                    read_bytes_ += 2 * sizeof(Uint256) + kEntryBytes;
        }
    }));
    for (auto& [address, storage] : moved)
        HEDDLE_CHECK(move_storage(address, std::exchange(storage.slots, {}), storage.root));
    read_bytes_ = bytes_before;
    return {};
}

std::expected<void, LedgerError> HistoricalTries::move_storage(const Address& address,
                                                               const Slots& slots,
                                                               const Hash& root) {
    const Hash owner = schema::hash_of(address);
    HEDDLE_TRY(const auto bytes, database_.get(Table::accounts, owner.view(), &snapshot_));
    Hash root_in_tables = kEmptyTrieRoot;
    if (bytes.has_value()) {
        const auto entry = schema::decode_account_entry(*bytes);
        if (!entry.has_value()) return damaged_record("account " + to_string(address));
        root_in_tables = entry->record.storage_root;
    }
    Leaves leaves;
    for (const auto& [slot, value] : slots)
        leaves.add(schema::hash_of_slot(slot), value);
    Storage& storage =
        storages_.emplace(address, Storage{Tree::stub(owner, root_in_tables)}).first->second;
    return write(storage_forest_, storage.tree, leaves, root);
}

std::expected<AccountProof, LedgerError> HistoricalTries::prove(const Address& address,
                                                                std::span<const Uint256> slots) {
    HEDDLE_CHECK(take_back());
    AccountProof proof;
    HEDDLE_TRY(proof.nodes, from_trie(account_forest_.prove(accounts_, schema::hash_of(address))));
    const auto record = state_->record(address);
    if (record.has_value()) {
        proof.account = record->account;
        proof.storage_root = record->storage_root;
    }
    if (!slots.empty()) HEDDLE_CHECK(load_storages({&address, 1}));
    const auto storage = storages_.find(address);
    for (const Uint256& slot : slots) {
        AccountProof::Slot& entry = proof.slots.emplace_back();
        entry.slot = slot;
        if (storage == storages_.end()) continue;
        HEDDLE_CHECK(check_limits());
        entry.value = state_->storage(address, slot);
        HEDDLE_TRY(entry.nodes, from_trie(storage_forest_.prove(storage->second.tree,
                                                                schema::hash_of_slot(slot))));
    }
    return proof;
}

std::expected<std::set<Bytes>, LedgerError> HistoricalTries::nodes(std::span<const TrieKey> keys) {
    HEDDLE_CHECK(take_back());
    std::set<Bytes> nodes;
    const auto add = [&](std::vector<Bytes> way) {
        nodes.insert(std::make_move_iterator(way.begin()), std::make_move_iterator(way.end()));
    };
    std::vector<Address> owners;
    for (const TrieKey& key : keys)
        if (key.owner.has_value()) owners.push_back(*key.owner);
    HEDDLE_CHECK(load_storages(owners));
    for (const TrieKey& key : keys) {
        HEDDLE_CHECK(check_limits());
        if (!key.owner.has_value()) {
            HEDDLE_TRY(auto way, from_trie(account_forest_.prove(accounts_, key.key)));
            add(std::move(way));
            continue;
        }
        const auto storage = storages_.find(*key.owner);
        if (storage == storages_.end()) continue;
        HEDDLE_TRY(auto way, from_trie(storage_forest_.prove(storage->second.tree, key.key)));
        add(std::move(way));
    }
    return nodes;
}

template <typename Entry, typename T>
void HistoricalTries::set(const Hash& key, Entry& entry, const T& value, Leaves& leaves) const {
    entry.question = question_;
    if (entry.now == value) return;
    entry.now = value;
    leaves.add(key, value);
}

template <typename Map>
void HistoricalTries::take_back_others(Map& written, Leaves& leaves) const {
    for (auto& [of, entry] : written)
        if (entry.question != question_) set(key_of(of), entry, entry.before, leaves);
}

std::expected<Hash, LedgerError> HistoricalTries::storage_root_with(
    const AccountChange& change, const std::optional<AccountRecord>& record) {
    const bool is_new =
        change.storage_cleared || !record.has_value() || record->storage_root == kEmptyTrieRoot;
    if (change.storage.empty()) return is_new ? kEmptyTrieRoot : record->storage_root;
    const Tree none = Tree::stub(schema::hash_of(change.address), kEmptyTrieRoot);
    Storage& storage = is_new
                           ? new_storages_.try_emplace(change.address, Storage{none}).first->second
                           : storages_.at(change.address);
    Leaves leaves;
    for (const StorageChange& write : change.storage) {
        const auto [slot, is_first_time] = storage.written.try_emplace(write.slot);
        if (is_first_time) {
            written_bytes_ += sizeof(*slot) + kEntryBytes;
            if (!is_new) slot->second.before = state_->storage(change.address, write.slot);
            slot->second.now = slot->second.before;
        }
        set(schema::hash_of_slot(write.slot), slot->second, write.value, leaves);
    }
    take_back_others(storage.written, leaves);
    HEDDLE_CHECK(write(storage_forest_, storage.tree, leaves));
    return storage.tree.root;
}

std::expected<Hash, LedgerError> HistoricalTries::root_with(const StateDiff& diff) {
    std::vector<Address> written;
    for (const AccountChange& change : diff.accounts)
        if (change.account.has_value() && !change.storage_cleared && !change.storage.empty())
            written.push_back(change.address);
    HEDDLE_CHECK(load_storages(written));
    ++question_;
    Leaves leaves;
    for (const AccountChange& change : diff.accounts) {
        const auto [place, is_first] = written_.try_emplace(change.address);
        auto& entry = place->second;
        if (is_first) {
            written_bytes_ += sizeof(*place) + kEntryBytes;
            entry.before = entry.now = state_->record(change.address);
        }
        std::optional<AccountRecord> after;
        if (change.account.has_value()) {
            HEDDLE_TRY(const Hash root, storage_root_with(change, entry.before));
            after = AccountRecord{*change.account, root};
        }
        set(schema::hash_of(change.address), entry, after, leaves);
    }
    take_back_others(written_, leaves);
    HEDDLE_CHECK(write(account_forest_, accounts_, leaves));
    return accounts_.root;
}

std::expected<void, LedgerError> HistoricalTries::take_back() {
    if (question_ == 0) return {};
    ++question_;
    Leaves accounts;
    take_back_others(written_, accounts);
    HEDDLE_CHECK(write(account_forest_, accounts_, accounts, origin_.root));
    for (auto& [address, storage] : storages_) {
        if (storage.written.empty()) continue;
        Leaves slots;
        take_back_others(storage.written, slots);
        storage.written.clear();
        const Hash root = state_->record(address)->storage_root;
        HEDDLE_CHECK(write(storage_forest_, storage.tree, slots, root));
    }
    for (auto& [address, storage] : new_storages_)
        storage_forest_.drop(storage.tree);
    new_storages_.clear();
    written_.clear();
    written_bytes_ = 0;
    question_ = 0;
    return {};
}

}  // namespace heddle::ledger
