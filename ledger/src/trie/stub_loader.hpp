// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Bringing a part of a trie back from the store: a stored branch with stubs below it, or a small
// subtrie made again from its leaves. Nothing is believed before its hash is compared with the
// reference that the node above holds.
#pragma once

#include <expected>
#include <optional>
#include <vector>

#include "trie/hash_pass.hpp"
#include "trie/node_pool.hpp"
#include "trie/stored_branch.hpp"
#include "trie/trie_error.hpp"
#include "trie/trie_store.hpp"

namespace heddle::ledger {

/// Thread safety: none; several loaders may share a store.
class StubLoader {
public:
    /// `store` may be null if there are no stubs.
    StubLoader(NodePool& pool, const TrieStore* store, std::uint32_t stored_leaf_count,
               KeccakPath path)
        : pool_(pool),
          store_(store),
          stored_leaf_count_(stored_leaf_count),
          hash_pass_(pool, path) {}

    /// The node at `path` with `leaf_count` leaves, to which `expected` refers.
    [[nodiscard]] std::expected<Link, TrieError> load(const Hash& owner, NibblesView path,
                                                      const Reference& expected,
                                                      std::uint32_t leaf_count);
    /// The root node of a trie that is not empty.
    [[nodiscard]] std::expected<Link, TrieError> load_root(const Hash& owner, const Hash& root);

    [[nodiscard]] bool is_stored(std::uint32_t leaf_count) const noexcept {
        return leaf_count >= stored_leaf_count_;
    }

private:
    struct Wanted {
        const Hash& owner;
        NibblesView path;
        Reference reference;
        std::optional<std::uint32_t> leaf_count;  // unknown for a root
    };
    [[nodiscard]] std::expected<std::optional<Bytes>, TrieError> read(const Wanted& wanted) const;
    [[nodiscard]] std::expected<Link, TrieError> decode(const Wanted& wanted, BytesView bytes);
    [[nodiscard]] std::expected<Link, TrieError> derive(const Wanted& wanted);
    [[nodiscard]] std::expected<void, TrieError> collect_leaves(const Wanted& wanted);
    [[nodiscard]] static std::unexpected<TrieError> error(const Wanted& wanted, TrieErrorCode code,
                                                          std::string detail = {});

    NodePool& pool_;
    const TrieStore* store_;
    std::uint32_t stored_leaf_count_;
    HashPass hash_pass_;
    Levels levels_;
    std::vector<std::uint32_t> leaves_;
};

}  // namespace heddle::ledger
