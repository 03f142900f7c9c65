// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The first block and its state, into an empty database.
#pragma once

#include <expected>

#include <types/bytes.hpp>
#include <types/genesis.hpp>

#include "storage/database.hpp"

namespace heddle::ledger {

/// Writes everything of the genesis block: header, flat state, trie nodes, marks, and `chain` as it
/// is.
[[nodiscard]] std::expected<void, LedgerError> store_genesis(Database& database,
                                                             const Genesis& genesis,
                                                             BytesView chain);

}  // namespace heddle::ledger
