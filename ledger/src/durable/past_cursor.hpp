// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The flat tables as they were: a walk over the values after some block, in the order of their
// keys.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>

#include <types/bytes.hpp>

#include "storage/database.hpp"

namespace heddle::ledger {

/// A table of the flat state as it was after a block: where the history knows what a value was
/// replaced with after that block, what it says stands for what is in the table.
class PastCursor {
public:
    /// Stands at the first value.
    /// @param number  The history above it counts; nullopt: the table as it is.
    PastCursor(const Database& database, Table table, std::optional<std::uint64_t> number,
               const DatabaseSnapshot* snapshot = nullptr);
    /// To the first value whose key is not below `key`.
    void seek(BytesView key);

    /// Not where either side has failed: the other alone would tell of another state.
    [[nodiscard]] bool valid() const noexcept { return is_good_ && (has_flat() || has_past()); }
    void next();
    [[nodiscard]] BytesView key() const noexcept;
    [[nodiscard]] BytesView value() const noexcept;
    [[nodiscard]] bool has_prefix(BytesView prefix) const noexcept;
    /// What the table has under key() today; nullopt: nothing.
    [[nodiscard]] std::optional<BytesView> present() const noexcept;
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
    /// To what follows this block's entry for the key where the history stands.
    void seek_behind(std::uint64_t number);
    void next_past();

    Cursor flat_;
    std::optional<Cursor> past_;  // absent: the history knows of no later value
    std::uint8_t tag_;
    std::size_t key_size_;
    std::uint64_t number_;
    const Database& database_;
    const DatabaseSnapshot* snapshot_;
    bool has_history_;
    bool is_good_ = true;  // no side has failed
    Bytes seek_;
};

}  // namespace heddle::ledger
