// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Checking Merkle proofs as eth_getProof gives them (EIP-1186). Making them is trie_forest.hpp's
// business.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string_view>

#include <types/bytes.hpp>
#include <types/hash.hpp>

namespace heddle::ledger {

enum class ProofError : std::uint8_t {
    node_missing,     // the proof ends before the key is decided
    hash_mismatch,    // a node does not have the hash by which the one above it refers to it
    node_malformed,   // a node that is not RLP of a trie node
    superfluous_node  // more nodes than needed
};
[[nodiscard]] std::string_view to_string(ProofError error) noexcept;

/// What `proof` proves about `key` (hashed already) in the trie with this root: its value, or
/// nullopt if the key is absent. `proof` holds the nodes from the root downwards; embedded ones are
/// part of those above them. An empty one proves that an empty trie holds nothing.
/// Thread safety: pure.
[[nodiscard]] std::expected<std::optional<Bytes>, ProofError> verify_proof(
    const Hash& root, const Hash& key, std::span<const Bytes> proof);

}  // namespace heddle::ledger
