// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A whole state from the first leaf to the last, of any size, with the roots of all tries computed
// from nothing: for verification and for a snapshot that was restored. Goes by the flat tables and
// the history, and believes neither tries nor caches.
//
// The accounts are cut into parts by the first bits of their hashes. Some parts at a time are
// walked by several threads, each with its accounts' slots; meanwhile the leaves of the parts
// before go, in order, into the account trie. One account's slots are one thread's work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>

#include <types/bytes.hpp>
#include <types/hash.hpp>

#include <ledger/ledger_error.hpp>

#include "storage/database.hpp"
#include "trie/nibbles.hpp"

namespace heddle::ledger {

/// Says what is wrong in one sentence that names the table and the key. Called by one thread at a
/// time, always in the same order.
using OnProblem = std::function<void(std::string)>;

struct StateWalkCounts {
    std::uint64_t accounts = 0;
    std::uint64_t slots = 0;
    std::uint64_t trie_nodes = 0;  // that the store must have
};

struct StateWalkOptions {
    /// Of the state wanted; nullopt: that of the flat tables.
    std::optional<std::uint64_t> number;
    /// The calling thread counts.
    unsigned threads = 1;
    /// About; what a part holds at most of accounts and slots together.
    std::size_t part_keys = std::size_t{1} << 14;
    /// About; for the leaves of the parts that threads are walking and have walked last. With many
    /// threads, or little memory, parts are smaller for it, down to some hundred leaves.
    std::size_t memory_bytes = std::size_t{256} << 20;
    /// For every trie node that the store must have, children before parents; those of different
    /// accounts by several threads at once. @return what is wrong with the node, for OnProblem.
    /// Errors end the walk.
    std::function<std::expected<std::optional<std::string>, LedgerError>(
        const Hash& owner, NibblesView path, BytesView node)>
        on_node;
    /// Now and then, on the calling thread; once per some ten thousand accounts and slots.
    std::function<void(const StateWalkCounts&)> on_progress;
};

/// Visits the whole state. What does not decode or fit together is a problem, and left out.
/// @return the state root; meaningless after a problem.
/// Errors: of the database, and those of on_node.
[[nodiscard]] std::expected<Hash, LedgerError> walk_state(const Database& database,
                                                          const StateWalkOptions& options,
                                                          const OnProblem& problem,
                                                          StateWalkCounts& counts);

}  // namespace heddle::ledger
