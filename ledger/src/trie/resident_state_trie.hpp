// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The state root (YP 4.1) kept up to date diff by diff, fast: account trie and storage tries in
// memory as far as they are in use, the rest in a store. What MerklePatriciaTrie and StateTrie do
// plainly, and their equal in every root. Holds no flat values: reads go elsewhere.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <types/address.hpp>
#include <types/hash.hpp>
#include <types/state_diff.hpp>
#include <types/uint256.hpp>

#include "trie/trie_forest.hpp"
#include "trie/worker_crew.hpp"

namespace heddle::ledger {

struct StateTrieOptions {
    /// Threads that share what a diff changes and what is read from the store, the calling one
    /// included.
    unsigned thread_count = 1;
    TrieOptions trie;
};

/// Thread safety: none, const members included. With more than one thread the store is read by
/// several at a time.
/// Invariant: root() is the root of the state that all applied diffs make together, whatever the
/// number of threads.
/// After an error the object may only be destroyed.
class ResidentStateTrie {
public:
    using Proof = TrieForest::Proof;

    /// The empty state, in memory only: nothing can be collected into a store and evicted.
    explicit ResidentStateTrie(StateTrieOptions options = {});
    /// The state with this root, whose nodes and leaves are in `store`, which outlives the object.
    ResidentStateTrie(const TrieStore& store, const Hash& root, StateTrieOptions options = {});
    ~ResidentStateTrie();

    /// Follows the diff to the letter, as StateTrie::apply() does. A diff is undone by its inverse.
    /// @return the new root.
    [[nodiscard]] std::expected<Hash, TrieError> apply(const StateDiff& diff);
    [[nodiscard]] const Hash& root() const noexcept { return accounts_.root; }
    /// Of the accounts of the last diff, in its order; kEmptyTrieRoot for those removed.
    [[nodiscard]] std::span<const Hash> storage_roots() const noexcept { return storage_roots_; }
    /// kEmptyTrieRoot for an account without storage and one that does not exist.
    [[nodiscard]] std::expected<Hash, TrieError> storage_root(const Address& address);

    /// RLP of the nodes from the root to the key, which is the hash of an address or a slot, or to
    /// where it would be (EIP-1186). Empty if the trie is.
    [[nodiscard]] std::expected<Proof, TrieError> prove_account(const Hash& key);
    [[nodiscard]] std::expected<Proof, TrieError> prove_storage(const Address& address,
                                                                const Hash& key);

    /// How much of the branches with fewer than kAlwaysStoredLeafCount leaves is told.
    enum class Collect : std::uint8_t {
        changes,     // those that the next evictions will want to be there
        everything,  // all of them: afterwards the store's nodes are those of root(), each of them
    };
    /// Tells `sink` what to change in the store since the last call, after which the store is that
    /// of root().
    void collect_changes(NodeSink& sink, Collect what = Collect::changes);
    /// Bytes in use by nodes.
    [[nodiscard]] std::size_t memory_bytes() const noexcept;
    /// Bytes taken from the system for nodes. What is freed is used again for nodes but does not go
    /// back.
    [[nodiscard]] std::size_t reserved_bytes() const noexcept;
    /// If more than `budget_bytes` are in use: unloads what was not used for longest and was
    /// collected, down to seven eighths of them, or until only nodes of the last diff are left.
    /// Branches that the store is behind with stay, a few hundred bytes each, until the next
    /// collection has told of them. The store must have what was collected.
    /// Complexity: looks at every branch in memory; not again until the last eighth is used up.
    void evict(std::size_t budget_bytes);

    /// The threads that share `count` things to do; null: the calling one alone, because there is
    /// no other or there are fewer than `least`. For others, too, between calls.
    [[nodiscard]] WorkerCrew* crew_for(std::size_t count, std::size_t least);

private:
    /// A change of the diff that is being applied.
    struct Change {
        std::size_t first_slot = 0;  // in slot_updates_
        std::size_t slot_count = 0;
        Tree* storage = nullptr;  // null: not written
        bool keeps_storage = false;
    };

    [[nodiscard]] std::expected<Hash, TrieError> storage_root_of(const Hash& key);
    [[nodiscard]] std::expected<Tree*, TrieError> storage_tree(const Hash& key);
    void hash_keys(const StateDiff& diff);
    [[nodiscard]] std::expected<void, TrieError> load_owners(const StateDiff& diff);
    [[nodiscard]] std::expected<void, TrieError> prepare(const AccountChange& account,
                                                         const Hash& key, Change& change);
    [[nodiscard]] std::expected<void, TrieError> clear_storage(const Hash& key);
    void add_slots(const AccountChange& account, Change& change);
    [[nodiscard]] std::expected<void, TrieError> update_storage();
    [[nodiscard]] std::expected<void, TrieError> update_accounts(const StateDiff& diff);
    void encode_accounts(const StateDiff& diff);
    [[nodiscard]] std::map<std::uint32_t, std::size_t> bytes_by_generation() const;

    StateTrieOptions options_;
    TrieForest account_forest_;
    Tree accounts_;
    TrieForest storage_forest_;
    /// Storage tries in memory, by KEC(address). Never empty ones between diffs.
    std::unordered_map<Hash, Tree, HashHasher> trees_;
    /// Those written since the last collection, some perhaps more than once.
    std::vector<Hash> written_;
    std::unique_ptr<WorkerCrew> crew_;  // null: one thread, or nothing to share yet
    /// Accounts whose storage was cleared since the last collection and may be in the store.
    std::unordered_set<Hash, HashHasher> cleared_;
    std::uint32_t generation_ = 0;
    /// Branches last used before this generation are next to be evicted.
    std::uint32_t next_evicted_ = 0;

    // Of the diff that is being applied; kept for their memory.
    std::vector<Hash> keys_;
    std::vector<Uint256> slots_;
    std::vector<Hash> slot_keys_;
    std::vector<TrieUpdate> slot_updates_;
    std::vector<TrieUpdate> account_updates_;
    std::vector<TrieUpdate> sorting_space_;
    std::vector<TrieJob> storage_jobs_;
    std::vector<Change> changes_;
    std::vector<Hash> storage_roots_;
    Bytes values_;          // of slots
    Bytes account_values_;  // so much for each
};

}  // namespace heddle::ledger
