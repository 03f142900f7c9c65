// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The tries' store over the database: stored nodes are a table, leaves are the flat tables.
#pragma once

#include <types/bytes.hpp>
#include <types/hash.hpp>

#include "storage/database.hpp"
#include "trie/trie_store.hpp"

namespace heddle::ledger {

/// Key of a stored node: a byte that tells the account trie (0) from storage tries (1), the owner
/// of a storage trie, the path two nibbles a byte with a zero nibble at the end of an odd one, and
/// the number of nibbles.
[[nodiscard]] Bytes trie_node_key(const Hash& owner, NibblesView path);
/// What the keys of all nodes of one trie begin with.
[[nodiscard]] Bytes trie_node_prefix(const Hash& owner);

/// Thread safety: any number of readers.
class TrieTables final : public TrieStore {
public:
    /// @param snapshot  What is read; null: the tables as they are at the moment. Outlives this.
    explicit TrieTables(const Database& database,
                        const DatabaseSnapshot* snapshot = nullptr) noexcept
        : database_(database), snapshot_(snapshot) {}

    [[nodiscard]] std::expected<std::optional<Bytes>, LedgerError> read_node(
        const Hash& owner, NibblesView path) const override;
    /// Holds a cursor for each table that it was asked about.
    [[nodiscard]] std::unique_ptr<LeafReader> leaves() const override;

private:
    const Database& database_;
    const DatabaseSnapshot* const snapshot_;
};

/// Changes of nodes on their way into a batch.
class TrieBatch final : public NodeSink {
public:
    explicit TrieBatch(WriteBatch& batch) noexcept : batch_(batch) {}

    void put(const Hash& owner, NibblesView path, BytesView node) override;
    void erase(const Hash& owner, NibblesView path) override;
    void erase_all(const Hash& owner) override;

private:
    WriteBatch& batch_;
};

}  // namespace heddle::ledger
