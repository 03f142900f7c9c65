// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A whole state from the first leaf to the last, of any size, with the roots of all tries computed
// from nothing: for verification and for a snapshot that was restored. Goes by the flat tables and
// the history, and believes neither tries nor caches.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <unordered_set>

#include <types/bytes.hpp>
#include <types/hash.hpp>

#include "durable/block_changes.hpp"
#include "storage/database.hpp"
#include "storage/schema.hpp"
#include "trie/nibbles.hpp"

namespace heddle::ledger {

/// Says what is wrong in one sentence that names the table and the key.
using OnProblem = std::function<void(std::string)>;

/// A table of the flat state as it was after a block: where the history knows what a value was
/// replaced with after that block, what it says stands for what is in the table.
class PastCursor {
public:
    /// @param number  The history above it counts; nullopt: the table as it is.
    PastCursor(const Database& database, Table table, std::optional<std::uint64_t> number,
               const DatabaseSnapshot* snapshot = nullptr);

    [[nodiscard]] bool valid() const noexcept { return has_flat() || has_past(); }
    void next();
    [[nodiscard]] BytesView key() const noexcept;
    [[nodiscard]] BytesView value() const noexcept;
    /// Whether value() is as in `history`; it may then say that there was none.
    [[nodiscard]] bool is_past() const noexcept;
    [[nodiscard]] std::expected<void, LedgerError> error() const;

private:
    [[nodiscard]] bool has_flat() const noexcept { return flat_.valid(); }
    [[nodiscard]] bool has_past() const noexcept { return past_.has_value() && past_->valid(); }
    [[nodiscard]] BytesView past_key() const noexcept;
    /// -1, 0 or 1: the next value is in the table, in both, in the history.
    [[nodiscard]] int side() const noexcept;
    /// From the key where the history stands, to its entry that counts, or that of a later key.
    void settle_past();
    void next_past();

    Cursor flat_;
    std::optional<Cursor> past_;
    std::uint8_t tag_;
    std::size_t key_size_;
    std::uint64_t number_;
    Bytes seek_;
};

struct StateWalkCounts {
    std::uint64_t accounts = 0;
    std::uint64_t slots = 0;
    std::uint64_t codes = 0;  // different ones that accounts refer to
};

struct StateWalkOptions {
    /// Of the state wanted; nullopt: that of the flat tables.
    std::optional<std::uint64_t> number;
    /// For every trie node that the store must have, children before parents.
    std::function<void(const Hash& owner, NibblesView path, BytesView node)> on_node;
    /// Now and then; once per some thousand accounts and slots.
    std::function<void(const StateWalkCounts&)> on_progress;
};

/// Visits the whole state. What does not decode or fit together is a problem, and left out.
/// @return the state root; meaningless after a problem.
/// Errors: of the database.
[[nodiscard]] std::expected<Hash, LedgerError> walk_state(const Database& database,
                                                          const StateWalkOptions& options,
                                                          const OnProblem& problem,
                                                          StateWalkCounts& counts);

}  // namespace heddle::ledger
