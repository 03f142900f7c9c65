// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a checkpoint writes of values: of every account and slot that some blocks changed, the value
// after the last of them, and in the history the value before each. Keys are hashed once for all of
// it, and sorted once, by the hashes, which is the order of every table. Threads share it by parts
// of that order.
#pragma once

#include <cstdint>
#include <span>

#include "durable/recent_changes.hpp"
#include "storage/database.hpp"
#include "trie/worker_crew.hpp"

namespace heddle::ledger {

/// Bytes of a value's records in a batch, about, its part of the trie included: at most, so that
/// batches need not grow.
inline constexpr std::size_t kBytesPerValue = 256;
/// Values in a part, about.
inline constexpr std::size_t kValuesPerPart = 2'048;

/// Appends them to `batch`.
/// @param blocks         Consecutive, oldest first.
/// @param first_history  Number of the first block before which values are kept.
/// @param database       That of the batch.
/// Complexity: n log n of the values changed.
void store_states(std::span<const RecentChanges::Entry> blocks, std::uint64_t first_history,
                  const Database& database, WorkerCrew& crew, WriteBatch& batch);

}  // namespace heddle::ledger
