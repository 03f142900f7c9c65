// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "trie/trie_proof.hpp"

#include <types/expected.hpp>

#include "trie/key_walk.hpp"

namespace heddle::ledger {

std::string_view to_string(ProofError error) noexcept {
    switch (error) {
        case ProofError::node_missing:
            return "the proof ends too early";
        case ProofError::hash_mismatch:
            return "a node does not match its hash";
        case ProofError::node_malformed:
            return "a node is malformed";
        case ProofError::superfluous_node:
            return "the proof has superfluous nodes";
    }
    return "unknown error";
}

std::expected<std::optional<Bytes>, ProofError> verify_proof(const Hash& root, const Hash& key,
                                                             std::span<const Bytes> proof) {
    if (root == kEmptyTrieRoot && proof.empty()) return std::nullopt;
    std::size_t used = 0;
    const auto next = [&](const Hash& hash) -> std::expected<BytesView, ProofError> {
        if (used == proof.size()) return std::unexpected(ProofError::node_missing);
        const Bytes& node = proof[used++];
        if (keccak256(node) != hash) return std::unexpected(ProofError::hash_mismatch);
        return BytesView(node);
    };
    HEDDLE_TRY(auto answer, KeyWalk(key, next).run(root));
    if (used != proof.size()) return std::unexpected(ProofError::superfluous_node);
    return answer;
}

}  // namespace heddle::ledger
