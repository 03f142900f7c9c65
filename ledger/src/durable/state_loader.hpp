// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A whole state into an empty database, of any size, in the order of the hashes: from a genesis
// allocation or a snapshot. Flat values and trie nodes are written as they come.
#pragma once

#include <expected>

#include <types/account.hpp>
#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>

#include "durable/trie_tables.hpp"
#include "storage/database.hpp"
#include "storage/schema.hpp"
#include "trie/trie_builder.hpp"

namespace heddle::ledger {

/// Protocol: for each account, ascending by hash: its slots, ascending by hash, then the account.
/// Code at any time. finish() at the end.
/// Errors: also `invalid` where that order is broken.
class StateLoader {
public:
    explicit StateLoader(Database& database);

    [[nodiscard]] std::expected<void, LedgerError> add_slot(const Hash& account, const Hash& slot,
                                                            const schema::SlotEntry& entry);
    /// The root of its storage is that of the slots added since the account before.
    [[nodiscard]] std::expected<void, LedgerError> add_account(const Hash& hash,
                                                               const Address& address,
                                                               const Account& account);
    [[nodiscard]] std::expected<void, LedgerError> add_code(const Hash& hash, BytesView code);
    /// @return the state root.
    [[nodiscard]] std::expected<Hash, LedgerError> finish();

private:
    [[nodiscard]] std::expected<void, LedgerError> write_if_full();

    Database& database_;
    WriteBatch batch_;
    TrieBatch nodes_;
    Hash owner_;  // of the slots added last
    TrieBuilder slots_;
    TrieBuilder accounts_;
    Bytes value_;
};

/// Appends the block that a chain begins with here, and the marks that make it head and state
/// block.
void store_first_block(const schema::HeaderRecord& record, BytesView chain, WriteBatch& batch);

}  // namespace heddle::ledger
