// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a chain begins and how far back it must reach, as a node and its CometBFT have to agree on
// it. Values in, values out: nothing of a running engine.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>

#include <types/bytes.hpp>
#include <types/hash.hpp>

namespace heddle::node {

/// Whether CometBFT's genesis file belongs to the chain of this data directory.
/// @param app_state  Of that file: JSON.
/// Errors: why not, and what to do.
[[nodiscard]] std::expected<void, std::string> check_genesis(BytesView app_state,
                                                             const Hash& genesis_hash,
                                                             const std::string& datadir);

/// The lowest height whose block CometBFT must keep (ABCI Commit); 0: all. What a loss of power
/// could take from the ledger is brought back by CometBFT's blocks, and who starts from a snapshot
/// goes on with those behind it.
/// @param durable          The last block that survives a loss of power.
/// @param oldest_snapshot  Of those that are offered, or are being made.
/// @param retained         Blocks to be kept below what is needed; 0: all.
[[nodiscard]] std::uint64_t retain_height(std::uint64_t durable,
                                          std::optional<std::uint64_t> oldest_snapshot,
                                          std::uint64_t retained) noexcept;

}  // namespace heddle::node
