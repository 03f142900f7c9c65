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

/// The same without the state, which is there already.
/// @param header  Complete but for its state root. @return the block's hash.
[[nodiscard]] std::expected<Hash, LedgerError> store_genesis_block(Database& database,
                                                                   const BlockHeader& header,
                                                                   const Hash& state_root,
                                                                   BytesView chain);

}  // namespace heddle::ledger
