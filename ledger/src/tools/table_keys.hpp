// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which keys a table may hold. Of tables that are keyed by number, of `meta` and of `history` a key
// tells by itself; of others it is asked whether something leads to it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>

#include <types/bytes.hpp>

#include <ledger/ledger_error.hpp>

#include "storage/database.hpp"
#include "tools/marks.hpp"

namespace heddle::ledger {

/// Why a key cannot stand in a table of a ledger with these marks, for tables that are keyed by
/// number, `meta` and `history`. nullopt: it may, if that block or change is there.
[[nodiscard]] std::optional<std::string> key_problem(Table table, BytesView key,
                                                     const Marks& marks);

/// One table that is keyed by number, gone through beside the blocks: whoever takes what stands
/// there for each of them, in ascending order, hears of all that stands between.
/// Thread safety: none.
class RecordsByNumber {
public:
    using OnStray = std::function<void(BytesView key)>;

    /// From `begin` on.
    RecordsByNumber(const Database& database, Table table, BytesView begin, OnStray on_stray);

    /// The record of a block, good until the next call; nullopt: there is none.
    /// Errors: of the database.
    [[nodiscard]] std::expected<std::optional<BytesView>, LedgerError> take(std::uint64_t number);
    /// No block is left below `end`; empty: none at all. Errors: of the database.
    [[nodiscard]] std::expected<void, LedgerError> finish(BytesView end);

private:
    Cursor cursor_;
    OnStray on_stray_;
    bool is_taken_ = false;  // where the cursor stands
};

/// Whether what was found in a table is all that stands there: told apart for some thousand groups
/// of keys, so that few keys have to be asked about where it is not. A key is in one group always.
/// Thread safety: found() and stands() from any thread, the rest once those are done.
class KeyCensus {
public:
    /// A key that something led to.
    void found(BytesView key) noexcept { add(key, 1); }
    /// A key of the table; each once.
    void stands(BytesView key) noexcept { add(key, UINT64_MAX); }

    /// Whether in the key's group stands what was found, and nothing else.
    [[nodiscard]] bool is_even(BytesView key) const noexcept;
    /// The same for all groups.
    [[nodiscard]] bool is_even() const noexcept;

private:
    static constexpr std::size_t kGroups = 4096;
    void add(BytesView key, std::uint64_t factor) noexcept;

    /// Sums of hashes of keys, modulo 2^64. Counts alone: nothing is published by them, and they
    /// are read once the threads that added are done, hence relaxed.
    std::array<std::atomic<std::uint64_t>, kGroups> sums_{};
};

/// Whether the leaves make a branch that is stored under this key of `trie_nodes`.
/// Errors: of the database.
[[nodiscard]] std::expected<bool, LedgerError> is_key_of_branch(const Database& database,
                                                                BytesView key);

}  // namespace heddle::ledger
