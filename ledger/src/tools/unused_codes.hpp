// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Code that no account has, in no state that can be read. Blocks that were taken back and history
// that was dropped leave it behind, for code is shared: whether anybody else has it takes a walk
// over all accounts to find out.
#pragma once

#include <cstdint>
#include <expected>

#include "storage/database.hpp"
#include "tools/marks.hpp"

namespace heddle::ledger {

/// Erases it, in atomic steps. Memory: 32 bytes for each code there is.
/// @return how many codes were erased.
/// Errors: of the database; corrupt (something does not decode: nothing is erased).
[[nodiscard]] std::expected<std::uint64_t, LedgerError> drop_unused_codes(Database& database,
                                                                          const Marks& marks);

}  // namespace heddle::ledger
