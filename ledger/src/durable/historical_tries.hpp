// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The tries after one committed block, made again beside those that blocks are committed with: from
// the tries of the last checkpoint, as a snapshot of the database has them, and from what the
// blocks between have changed. Only the trie of accounts is moved as a whole, for the changes name
// the root of each storage; of storage tries those that somebody asks for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include <ledger/durable_ledger.hpp>
#include <types/keyed_hash.hpp>

#include "durable/historical_state.hpp"
#include "durable/trie_tables.hpp"
#include "storage/database.hpp"
#include "trie/trie_forest.hpp"

namespace heddle::ledger {

/// See PastTries.
class HistoricalTries final : public PastTries {
public:
    /// Where it stands, and where its tries come from.
    struct Origin {
        std::uint64_t number = 0;                    // after this block
        Hash root;                                   // of that block
        std::uint64_t state_block = 0;               // that the tables of the snapshot show
        Hash state_root;                             // of that one
        std::vector<RecentChanges::Entry> recent{};  // what the tables do not show, oldest first
    };
    /// @param state     After block `origin.number`, from the same snapshot, which it owns.
    /// @param snapshot  That one.
    HistoricalTries(const Database& database, std::unique_ptr<HistoricalState> state,
                    const DatabaseSnapshot& snapshot, Origin origin);

    /// How long it may take and how much memory it may have, with what was read of changes.
    void set_limits(GoOn go_on, std::size_t most_bytes) {
        go_on_ = std::move(go_on);
        most_bytes_ = most_bytes;
    }
    /// Reads what has changed and moves the trie of accounts; once, before anything else.
    [[nodiscard]] std::expected<void, LedgerError> move();

    [[nodiscard]] std::expected<AccountProof, LedgerError> prove(
        const Address& address, std::span<const Uint256> slots) override;
    [[nodiscard]] std::expected<std::set<Bytes>, LedgerError> nodes(
        std::span<const TrieKey> keys) override;
    /// The tries are left as they are then, and the next question writes only what differs: the
    /// roots after each transaction of a block cost what it has changed, not that times their
    /// number.
    [[nodiscard]] std::expected<Hash, LedgerError> root_with(const StateDiff& diff) override;

private:
    /// Leaves of one trie, to be written into it.
    class Leaves;
    using Slots = std::unordered_map<Uint256, Uint256, Uint256Hasher>;
    /// What a leaf held after the block, and what it holds since the last question for a root.
    template <typename T>
    struct Written {
        T before;
        T now;
        std::uint64_t question = 0;  // the last one that wrote it
    };
    struct Storage {
        Tree tree;
        std::unordered_map<Uint256, Written<Uint256>, Uint256Hasher> written{};
    };
    using Storages = std::unordered_map<Address, Storage, AddressHasher>;

    /// Shows what each block between here and the tables has changed, from the nearest on, so that
    /// what is seen first is what was here; and whether that is what it found or what it left.
    template <typename Visit>
    [[nodiscard]] std::expected<void, LedgerError> visit_changes(Visit visit) const;
    [[nodiscard]] std::expected<void, LedgerError> check_limits() const;
    /// Errors: corrupt where the trie does not have the root that it should have then.
    [[nodiscard]] std::expected<void, LedgerError> write(TrieForest& forest, Tree& tree,
                                                         Leaves& leaves, const Hash& root);
    [[nodiscard]] std::expected<void, LedgerError> write(TrieForest& forest, Tree& tree,
                                                         Leaves& leaves);
    /// Brings the storage tries of these accounts here, those that have one, all together: each
    /// time, all changes are read again.
    [[nodiscard]] std::expected<void, LedgerError> load_storages(
        std::span<const Address> addresses);
    /// @param slots  What is there where it may be something else in the tables.
    [[nodiscard]] std::expected<void, LedgerError> move_storage(const Address& address,
                                                                const Slots& slots,
                                                                const Hash& root);
    /// The root of the account's storage after `change`. @param record  The account before.
    [[nodiscard]] std::expected<Hash, LedgerError> storage_root_with(
        const AccountChange& change, const std::optional<AccountRecord>& record);
    /// Adds what is written to make it `value`, unless it is.
    template <typename Entry, typename T>
    void set(const Hash& key, Entry& entry, const T& value, Leaves& leaves) const;
    /// The same for all that the last question wrote and this one has not.
    template <typename Map>
    void take_back_others(Map& written, Leaves& leaves) const;
    /// Brings all tries back to where they were before somebody asked for a root.
    [[nodiscard]] std::expected<void, LedgerError> take_back();

    const Database& database_;
    const std::unique_ptr<HistoricalState> state_;
    const DatabaseSnapshot& snapshot_;
    const Origin origin_;
    GoOn go_on_;
    std::size_t most_bytes_ = 0;
    const TrieTables store_;
    TrieForest account_forest_;
    Tree accounts_;
    TrieForest storage_forest_;
    Storages storages_;      // that were asked for
    Storages new_storages_;  // of questions for roots: begun without a slot
    std::unordered_map<Address, Written<std::optional<AccountRecord>>, AddressHasher> written_;
    std::uint64_t question_ = 0;  // for roots, so far
    /// What accounts were here that may be something else in the tables.
    std::unordered_map<Address, std::optional<AccountRecord>, AddressHasher> records_;
    std::size_t read_bytes_ = 0;     // of what is kept of changes at the moment
    std::size_t written_bytes_ = 0;  // of what questions for roots have written
};

}  // namespace heddle::ledger
