// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A Merkle-Patricia trie in memory (YP App. D) that changes and is asked for its root again and
// again. Plain on purpose: it is the oracle for faster ones. Keys are taken as they are; hashing
// them first (the "secure" trie) is the caller's business.
#pragma once

#include <types/bytes.hpp>
#include <types/hash.hpp>

#include "trie/node.hpp"

namespace heddle::ledger {

/// Thread safety: none; root() updates cached hashes.
/// Invariants: the shape depends only on the content, never on the order of changes. Recursion is
/// as deep as the longest key has nibbles.
class MerklePatriciaTrie {
public:
    /// Sets the value of `key`; `value` is not empty (an empty value means absence: erase()).
    void insert(BytesView key, BytesView value);
    /// @return whether the key was there.
    bool erase(BytesView key);
    /// Empty when the key is absent. Valid until the next change.
    [[nodiscard]] BytesView get(BytesView key) const noexcept;

    [[nodiscard]] bool empty() const noexcept { return root_ == nullptr; }
    /// Encodes and hashes only what changed since the last call.
    [[nodiscard]] Hash root();

private:
    NodePtr root_;
    Bytes scratch_;
};

}  // namespace heddle::ledger
