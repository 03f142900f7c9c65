// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// One part of a state, in order, into files of the database and nodes of the tries. Parts are
// loaded side by side by threads that share nothing but NodeWriter.
#pragma once

#include <expected>
#include <mutex>
#include <optional>
#include <variant>
#include <vector>

#include <types/hash.hpp>
#include <types/uint256.hpp>

#include "durable/trie_tables.hpp"
#include "loading/state_record.hpp"
#include "storage/database.hpp"
#include "storage/schema.hpp"
#include "trie/trie_builder.hpp"

namespace heddle::ledger {

/// Nodes come in no order and are few: about one for each twenty leaves.
/// Thread safety: put() by any number of threads.
class NodeWriter {
public:
    explicit NodeWriter(Database& database);
    void put(const Hash& owner, NibblesView path, BytesView node);
    /// Once nothing is put any more. Errors: the first of all writes.
    [[nodiscard]] std::expected<void, LedgerError> finish();

private:
    std::mutex mutex_;  // guards what follows
    Database& database_;
    WriteBatch batch_;
    std::expected<void, LedgerError> written_;
};

/// What a part has become.
struct LoadedPart {
    std::variant<Hash, BuiltPart> trie;  // as the span of the loader says
    std::vector<TableFile> accounts;
    std::vector<TableFile> slots;
};

/// Thread safety: none.
class PartLoader {
public:
    PartLoader(Database& database, NodeWriter& nodes, TrieSpan span);

    /// The next record by key. Errors: invalid, which names what is there twice; no_space,
    /// io_error.
    [[nodiscard]] std::expected<void, LedgerError> take(const StateRecord& record);
    /// Errors: no_space, io_error.
    [[nodiscard]] std::expected<LoadedPart, LedgerError> finish();

private:
    /// The files of one table.
    class Files {
    public:
        Files(Database& database, Table table) noexcept : database_(database), table_(table) {}
        [[nodiscard]] std::expected<void, LedgerError> put(BytesView key, BytesView value);
        [[nodiscard]] std::expected<std::vector<TableFile>, LedgerError> finish();

    private:
        Database& database_;
        Table table_;
        std::vector<TableFile> files_;  // the last is being written
    };

    [[nodiscard]] std::expected<void, LedgerError> take_slot(const StateRecord& record);
    [[nodiscard]] std::expected<void, LedgerError> take_account(const StateRecord& record);

    TrieSpan span_;
    Files account_files_;
    Files slot_files_;
    Hash owner_;  // of the slots taken last
    TrieBuilder slots_;
    TrieBuilder accounts_;
    std::optional<Hash> last_slot_;  // of owner_
    std::optional<Hash> last_account_;
    std::optional<Uint256> twice_;  // a slot of owner_ that was there twice
    Bytes value_;
};

}  // namespace heddle::ledger
