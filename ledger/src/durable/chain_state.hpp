// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The state behind a chain: its flat values, its tries, and the changes of the blocks that the
// tables of the database do not show yet; moved together, block by block. Blocks themselves and
// when they are written are not its business.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <vector>

#include <types/hash.hpp>
#include <types/state_diff.hpp>

#include "durable/durable_state.hpp"
#include "durable/recent_changes.hpp"
#include "durable/trie_tables.hpp"
#include "storage/database.hpp"
#include "trie/resident_state_trie.hpp"

namespace heddle::ledger {

struct ChainStateOptions {
    std::size_t memory_bytes = 0;
    unsigned threads = 1;
    ReadFailureHandler on_read_failure;
};

/// Thread safety: the reads of flat() and everything of recent() from any thread; all else from one
/// thread at a time. After an error only destruction makes sense.
class ChainState {
public:
    /// Stands on the tables and trie nodes as they are: the state with this root. Whether they
    /// have it is found out where they are read.
    ChainState(const Database& database, const ChainStateOptions& options, const Hash& root);

    [[nodiscard]] const DurableState& flat() const noexcept { return flat_; }
    [[nodiscard]] RecentChanges& recent() noexcept { return recent_; }
    [[nodiscard]] const RecentChanges& recent() const noexcept { return recent_; }

    /// What `diff` would change, the storage roots after it left open.
    [[nodiscard]] std::expected<BlockChanges, LedgerError> changes_of(const StateDiff& diff) {
        return changes_of(diff, {});
    }
    /// The same for a diff made on the state before `since`, which led to the flat state.
    [[nodiscard]] std::expected<BlockChanges, LedgerError> changes_of(const StateDiff& diff,
                                                                      const BlockChanges& since);
    /// The account as it was before `since`, which led to the flat state.
    [[nodiscard]] std::optional<AccountRecord> record_before(const BlockChanges& since,
                                                             const Address& address) const;
    /// A slot as it was then.
    [[nodiscard]] Uint256 storage_before(const BlockChanges& since, const Address& address,
                                         const Uint256& slot) const;
    /// Moves the tries only. @return the root after `diff`. After an error they are nowhere: they
    /// are neither moved nor looked at nor stored any more.
    [[nodiscard]] std::expected<Hash, LedgerError> move_tries(const StateDiff& diff);
    /// Moves them by a diff that the database vouches for: to the root of block `number`.
    /// Errors: as move_tries(), and corrupt where they come to another root.
    [[nodiscard]] std::expected<void, LedgerError> go_to(const StateDiff& diff,
                                                         std::uint64_t number, const Hash& root);
    /// Errors: that which has left the tries nowhere.
    [[nodiscard]] std::expected<void, LedgerError> check_tries() const;
    /// Those of the accounts of the last diff that moved them, in its order. Until the next move.
    [[nodiscard]] std::span<const Hash> storage_roots() const noexcept;
    /// Moves the flat state by a `diff` that has moved the tries, whose changes are these, and
    /// fills in the storage roots that it led to.
    RecentChanges::Shared move_flat(BlockChanges changes, const StateDiff& diff,
                                    std::span<const Hash> storage_roots, std::uint64_t number);
    /// As move_flat(), for a block that is in the database with its storage roots and code.
    void follow(const RecentChanges::Shared& changes, std::uint64_t number);

    /// As follow(), for what takes blocks above `number` back.
    void go_back(const BlockChanges& back, std::uint64_t number);

    using Collect = ResidentStateTrie::Collect;
    /// Appends the trie nodes that have changed since the last call, as far as the store must have
    /// them; at the end everything, so that whoever opens the ledger next finds no node behind.
    /// Not after an error of the tries.
    void collect_nodes(WriteBatch& batch, Collect what = Collect::changes);
    /// Tables and nodes are now those after block `number`. From any thread.
    void set_persisted(std::uint64_t number);
    /// Drops what of the tries memory has no room for. Not while a checkpoint is under way, for
    /// dropped nodes are read again from the database.
    void trim();
    /// Whether the tries keep within their memory: what has changed since the last collection has
    /// to stay, also where it is more.
    [[nodiscard]] bool has_room() const noexcept { return tries_.memory_bytes() <= trie_bytes_; }
    /// Memory that the nodes of the tries take, with what is kept for others.
    [[nodiscard]] std::size_t reserved_trie_bytes() const noexcept {
        return tries_.reserved_bytes();
    }

    [[nodiscard]] std::expected<ResidentStateTrie::Proof, LedgerError> prove_account(
        const Hash& key);
    [[nodiscard]] std::expected<ResidentStateTrie::Proof, LedgerError> prove_storage(
        const Address& address, const Hash& key);

private:
    /// Every slot that the account had before `since`, ascending.
    [[nodiscard]] std::expected<std::vector<SlotUpdate>, LedgerError> all_slots(
        const Address& address, const BlockChanges& since) const;
    /// @param slots_before  Of the slots written, in their order; empty: to be looked up.
    [[nodiscard]] std::expected<AccountUpdate, LedgerError> update_of(
        const AccountChange& change, const BlockChanges& since,
        std::span<const Uint256> slots_before) const;
    /// For update_of(), where threads had better look up an account's slots together.
    [[nodiscard]] std::vector<Uint256> slots_before(const AccountChange& change,
                                                    const BlockChanges& since,
                                                    WorkerCrew* crew) const;

    void apply(const BlockChanges& changes, std::uint64_t number);

    const Database& database_;
    DurableState flat_;
    RecentChanges recent_;
    const TrieTables store_;
    ResidentStateTrie tries_;
    std::optional<LedgerError> tries_failure_;
    const std::size_t trie_bytes_;
};

}  // namespace heddle::ledger
