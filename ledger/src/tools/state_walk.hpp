// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A whole state from the first leaf to the last, of any size, with the roots of all tries computed
// from nothing: for verification and for a snapshot that was restored. Goes by the flat tables and
// the history, and believes neither tries nor caches.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <unordered_set>

#include <types/bytes.hpp>
#include <types/hash.hpp>

#include "storage/database.hpp"
#include "trie/nibbles.hpp"

namespace heddle::ledger {

/// Says what is wrong in one sentence that names the table and the key.
using OnProblem = std::function<void(std::string)>;

struct StateWalkCounts {
    std::uint64_t accounts = 0;
    std::uint64_t slots = 0;
    std::uint64_t codes = 0;  // different ones that accounts refer to
};

struct StateWalkOptions {
    /// Of the state wanted; nullopt: that of the flat tables.
    std::optional<std::uint64_t> number;
    /// For every trie node that the store must have, children before parents.
    std::function<void(const Hash& owner, NibblesView path, BytesView node)> on_node;
    /// Now and then; once per some thousand accounts and slots.
    std::function<void(const StateWalkCounts&)> on_progress;
};

/// Visits the whole state. What does not decode or fit together is a problem, and left out.
/// @return the state root; meaningless after a problem.
/// Errors: of the database.
[[nodiscard]] std::expected<Hash, LedgerError> walk_state(const Database& database,
                                                          const StateWalkOptions& options,
                                                          const OnProblem& problem,
                                                          StateWalkCounts& counts);

}  // namespace heddle::ledger
