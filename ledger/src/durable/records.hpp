// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Records read from the database and decoded; bytes that do not decode become an error that names
// the record.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include <types/block.hpp>
#include <types/object.hpp>
#include <types/receipt.hpp>

#include "durable/block_changes.hpp"
#include "storage/database.hpp"
#include "storage/schema.hpp"

namespace heddle::ledger {

/// nullopt: there is no such record.
template <typename T>
using Found = std::expected<std::optional<T>, LedgerError>;

/// `what` names the record, e.g. "the header of block 7".
[[nodiscard]] std::unexpected<LedgerError> damaged_record(const std::string& what);
/// A record that must be there and is not.
[[nodiscard]] std::unexpected<LedgerError> missing_record(const std::string& what);

[[nodiscard]] Found<schema::HeaderRecord> read_header(const Database& database,
                                                      std::uint64_t number);
[[nodiscard]] Found<std::uint64_t> read_block_number(const Database& database, const Hash& hash);
/// With senders.
[[nodiscard]] Found<Block> read_block(const Database& database, std::uint64_t number);
/// With what depends on the transactions filled in.
[[nodiscard]] Found<std::vector<Receipt>> read_receipts(const Database& database,
                                                        const Block& block);
[[nodiscard]] Found<std::vector<ObjectSet>> read_object_sets(const Database& database,
                                                             std::uint64_t number);
[[nodiscard]] Found<schema::TransactionPlace> read_place(const Database& database,
                                                         const Hash& transaction);
[[nodiscard]] Found<BlockChanges> read_changes(const Database& database, std::uint64_t number,
                                               const DatabaseSnapshot* snapshot = nullptr);

/// Numbers and marks of the table `meta`.
[[nodiscard]] Found<std::uint64_t> read_number(const Database& database, schema::Meta key,
                                               const DatabaseSnapshot* snapshot = nullptr);
[[nodiscard]] Found<schema::BlockMark> read_head(const Database& database);

/// Headers of a snapshot, but for block 0's: those that BLOCKHASH in the next block can ask for
/// (YP 9.4.2).
inline constexpr std::uint64_t kSnapshotHeaders = 256;
/// Whole blocks of a snapshot: its own and those before it that the next block's ommers may descend
/// from (YP 11.1).
inline constexpr std::uint64_t kSnapshotBlocks = 7;
/// The first of the headers that a snapshot brings with its first whole block, beside block 0's.
[[nodiscard]] constexpr std::uint64_t first_header_below(std::uint64_t first_block) noexcept {
    constexpr std::uint64_t kBelow = kSnapshotHeaders - kSnapshotBlocks;
    return first_block > kBelow ? first_block - kBelow : 0;
}
/// The first block from which on there has to be each header up to the head's. Where that is above
/// the first one that a snapshot brings, the chain began there, and nothing is below.
[[nodiscard]] std::expected<std::uint64_t, LedgerError> read_first_header(
    const Database& database, std::uint64_t first_block);

}  // namespace heddle::ledger
