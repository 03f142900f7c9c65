// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The marks of the table `meta` that say which blocks and states a ledger holds, for what works on
// the tables of a ledger that nobody has open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>

#include "durable/records.hpp"
#include "storage/database.hpp"
#include "storage/schema.hpp"

namespace heddle::ledger {

/// Invariants of a sound ledger: first_block <= head, state_block <= head,
/// first_history <= state_block + 1.
struct Marks {
    schema::BlockMark head;
    std::uint64_t state_block = 0;
    std::uint64_t first_block = 0;
    std::uint64_t first_header = 0;  // as read_first_header(); not above first_block
    std::uint64_t first_history = 0;

    [[nodiscard]] std::uint64_t first_state() const noexcept { return first_history - 1; }
};

/// Errors: corrupt, where one is missing or they contradict each other.
[[nodiscard]] std::expected<Marks, LedgerError> read_marks(const Database& database);

/// A header that must be there.
[[nodiscard]] std::expected<schema::HeaderRecord, LedgerError> require_header(
    const Database& database, std::uint64_t number);

/// "block 7"
[[nodiscard]] std::string block_name(std::uint64_t number);

/// The database's share of the memory of a whole ledger.
[[nodiscard]] constexpr std::size_t database_share(std::size_t memory_bytes) noexcept {
    return memory_bytes / 4;
}

}  // namespace heddle::ledger
