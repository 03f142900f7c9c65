// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The state root again, from the leaves alone, for the day when a header and the tries disagree:
// says which of them is wrong, and what the block changed.
#pragma once

#include <expected>
#include <string>

#include <types/hash.hpp>

#include "durable/block_changes.hpp"
#include "storage/database.hpp"

namespace heddle::ledger {

/// The state root of the flat tables with `changes` on top.
/// Complexity: reads every account, and every slot of the accounts changed.
[[nodiscard]] std::expected<Hash, LedgerError> plain_root(const Database& database,
                                                          const BlockChanges& changes);

/// The accounts and slots changed, the first few by name.
[[nodiscard]] std::string summarize(const BlockChanges& changes);

}  // namespace heddle::ledger
