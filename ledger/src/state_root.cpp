// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <ledger/state_root.hpp>

#include <algorithm>
#include <vector>

#include <types/ordered_root.hpp>
#include <types/rlp.hpp>

#include "account_leaf.hpp"
#include "flat_map.hpp"
#include "trie/merkle_patricia_trie.hpp"

namespace heddle::ledger {
namespace {

Hash hash_slot(const Uint256& slot) noexcept {
    return keccak256(to_hash(slot).view());
}

/// Hashed keys with their values, sorted before the root is taken.
class SecureItems {
public:
    void add(const Hash& key, const Bytes& value) { items_.push_back({key, value}); }

    [[nodiscard]] Hash root() {
        std::ranges::sort(items_, {}, &Item::key);
        std::vector<TrieItem> views;
        views.reserve(items_.size());
        for (const Item& item : items_)
            views.push_back({item.key.view(), item.value});
        return trie_root(views);
    }

private:
    struct Item {
        Hash key;
        Bytes value;
    };
    std::vector<Item> items_;
};

Hash compute_storage_root(const MemoryState& state, const Address& address) {
    if (!state.has_storage(address)) return kEmptyTrieRoot;
    SecureItems items;
    Bytes encoded;
    state.for_each_slot(address, [&](const Uint256& slot, const Uint256& value) {
        encoded.clear();
        rlp::encode_uint256(value, encoded);
        items.add(hash_slot(slot), encoded);
    });
    return items.root();
}

}  // namespace

Hash compute_state_root(const MemoryState& state) {
    SecureItems items;
    Bytes encoded;
    state.for_each_account([&](const Address& address, const Account& account) {
        encoded.clear();
        encode_account_leaf(account, compute_storage_root(state, address), encoded);
        items.add(keccak256(address.view()), encoded);
    });
    return items.root();
}

struct StateTrie::Tries {
    MerklePatriciaTrie accounts;
    // Only tries that are not empty.
    FlatMap<Address, MerklePatriciaTrie, AddressHasher> storages;
    Hash root = kEmptyTrieRoot;
    Bytes encoded;  // kept for its memory

    void apply(const AccountChange& change);
    Hash write_slots(const AccountChange& change);
};

/// @return the storage root after the change.
Hash StateTrie::Tries::write_slots(const AccountChange& change) {
    if (change.storage_cleared) storages.erase(change.address);
    MerklePatriciaTrie* trie = storages.find(change.address);
    for (const StorageChange& write : change.storage) {
        const Hash key = hash_slot(write.slot);
        if (write.value.is_zero()) {
            if (trie != nullptr) trie->erase(key.view());
            continue;
        }
        if (trie == nullptr) trie = &storages[change.address];
        encoded.clear();
        rlp::encode_uint256(write.value, encoded);
        trie->insert(key.view(), encoded);
    }
    if (trie == nullptr) return kEmptyTrieRoot;
    const Hash storage_root = trie->root();
    if (trie->empty()) storages.erase(change.address);
    return storage_root;
}

void StateTrie::Tries::apply(const AccountChange& change) {
    const Hash key = keccak256(change.address.view());
    if (!change.account.has_value()) {
        storages.erase(change.address);
        accounts.erase(key.view());
        return;
    }
    const Hash storage_root = write_slots(change);
    encoded.clear();
    encode_account_leaf(*change.account, storage_root, encoded);
    accounts.insert(key.view(), encoded);
}

StateTrie::StateTrie() : tries_(std::make_unique<Tries>()) {}
StateTrie::StateTrie(StateTrie&&) noexcept = default;
StateTrie& StateTrie::operator=(StateTrie&&) noexcept = default;
StateTrie::~StateTrie() = default;

StateTrie::StateTrie(const MemoryState& state) : StateTrie() {
    AccountChange change;
    state.for_each_account([&](const Address& address, const Account& account) {
        change.address = address;
        change.account = account;
        change.storage.clear();
        state.for_each_slot(address, [&](const Uint256& slot, const Uint256& value) {
            change.storage.push_back({slot, value});
        });
        tries_->apply(change);
    });
    tries_->root = tries_->accounts.root();
}

Hash StateTrie::apply(const StateDiff& diff) {
    for (const AccountChange& change : diff.accounts)
        tries_->apply(change);
    tries_->root = tries_->accounts.root();
    return tries_->root;
}

const Hash& StateTrie::root() const noexcept {
    return tries_->root;
}

Hash StateTrie::storage_root(const Address& address) const noexcept {
    // A trie's root() only refreshes caches, and after apply() there is nothing left to refresh.
    MerklePatriciaTrie* trie = tries_->storages.find(address);
    return trie == nullptr ? kEmptyTrieRoot : trie->root();
}

}  // namespace heddle::ledger
