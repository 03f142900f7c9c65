// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A Merkle-Patricia trie with keys of 32 bytes (YP App. D) of which only some nodes are known: what
// it holds at a key, and the root that it has after changes. Plain and without memory between
// calls: tries that are there as a whole are trie_forest.hpp's business.
#pragma once

#include <expected>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include <types/bytes.hpp>
#include <types/hash.hpp>

#include "trie/node_rlp.hpp"
#include "trie/trie_proof.hpp"

namespace heddle::ledger {

/// RLP of trie nodes by their hashes, of any number of tries.
using NodeTable = std::unordered_map<Hash, Bytes, HashHasher>;

/// The value of a key; nullopt: it is absent. Errors: node_missing, node_malformed.
/// Thread safety: pure.
[[nodiscard]] std::expected<std::optional<Bytes>, ProofError> find_value(const NodeTable& nodes,
                                                                         const Hash& root,
                                                                         const Hash& key);

struct TrieWrite {
    Hash key;
    Bytes value;  // empty: the key is absent from now on
};

/// A node that an update cannot do without.
struct TrieGap {
    NibblePath path;
    Hash hash;
    bool is_malformed = false;  // else it is not there
};

/// The root after the writes, which are sorted by key, each key once. All of them are done at once:
/// a branch that is left with a single child needs that child, none that only would be so in
/// between.
/// Errors: every node that is known to be needed, not empty. More may be needed once these are
/// there: one that is missing on the way to a key hides what is below it.
/// Complexity: linear in the nodes on the way to the keys. Thread safety: pure.
[[nodiscard]] std::expected<Hash, std::vector<TrieGap>> root_after(
    const NodeTable& nodes, const Hash& root, std::span<const TrieWrite> writes);

}  // namespace heddle::ledger
