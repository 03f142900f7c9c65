// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Code that no account has in any state kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>

#include <types/hash.hpp>

#include "storage/database.hpp"
#include "tools/marks.hpp"

namespace heddle::ledger {

/// Takes it out of the table. @return how much of it there was.
/// @param memory_bytes  For hashes of code; where they are more, the states are walked again.
[[nodiscard]] std::expected<std::uint64_t, LedgerError> drop_unused_codes(Database& database,
                                                                          const Marks& marks,
                                                                          std::size_t memory_bytes);

/// The first code in the table that no account in the tables has; for a ledger without history.
[[nodiscard]] std::expected<std::optional<Hash>, LedgerError> find_unused_code(
    const Database& database, std::size_t memory_bytes);

}  // namespace heddle::ledger
