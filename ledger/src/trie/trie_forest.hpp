// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Any number of resident tries that share memory, one store and one hashing pass: fast incremental
// Merkle-Patricia tries (YP App. D) with keys of 32 bytes, as the secure tries have them. Keys of
// other or mixed lengths, and so branches with a value, are merkle_patricia_trie.hpp's business.
//
// What is not in memory is a stub. Branches with at least Options::stored_leaf_count leaves below
// them are kept in the store under their path; smaller subtries are made again from their leaves.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <vector>

#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/keccak_batch.hpp>

#include "trie/node_pool.hpp"
#include "trie/stub_loader.hpp"
#include "trie/trie_error.hpp"
#include "trie/trie_store.hpp"
#include "trie/update_pass.hpp"

namespace heddle::ledger {

struct TrieOptions {
    std::uint32_t stored_leaf_count = kStoredLeafCount;
    KeccakPath keccak = best_keccak_path();
};

/// Thread safety: none; forests that share a store may be used by different threads.
/// Invariant: a trie's shape, and so its root, depends only on its content.
/// After an error the forest may only be destroyed.
class TrieForest {
public:
    using Proof = std::vector<Bytes>;

    /// `store` may be null if all tries start out empty; it outlives the forest.
    explicit TrieForest(const TrieStore* store, TrieOptions options = {});
    // Its parts know each other by address.
    TrieForest(const TrieForest&) = delete;
    TrieForest& operator=(const TrieForest&) = delete;
    ~TrieForest() = default;

    /// Applies the jobs, at most one per tree, and brings the roots up to date.
    /// @param crew  Threads that read from the store; null: the calling one alone. The result is
    ///              the same.
    [[nodiscard]] std::expected<void, TrieError> update(std::span<const TrieJob> jobs,
                                                        WorkerCrew* crew = nullptr);
    /// What later updates visit counts as used later.
    void set_generation(std::uint32_t generation) noexcept { generation_ = generation; }

    /// The value of a key, loading what is not in memory; nullopt: absent.
    [[nodiscard]] std::expected<std::optional<Bytes>, TrieError> get(Tree& tree, const Hash& key);
    /// Of an account in the account trie; kEmptyTrieRoot if it is absent.
    [[nodiscard]] std::expected<Hash, TrieError> storage_root(Tree& tree, const Hash& key);
    /// Brings into memory what lies on the way to these keys, sorted, all together: get() and the
    /// like then read nothing. @param crew  As in update().
    [[nodiscard]] std::expected<void, TrieError> load_paths(Tree& tree, std::span<const Hash> keys,
                                                            WorkerCrew* crew);
    /// RLP of the nodes from the root to the leaf, or to where the key would be; embedded nodes are
    /// part of those above them (EIP-1186). Empty for an empty trie.
    [[nodiscard]] std::expected<Proof, TrieError> prove(Tree& tree, const Hash& key);

    /// Tells `sink` which nodes moved away or vanished since the last call, in all tries.
    void collect_stale(NodeSink& sink);
    /// Tells `sink` what changed in this tree since the last call. To be called after
    /// collect_stale(), with nothing in between.
    void collect(Tree& tree, NodeSink& sink);

    /// Frees a trie's memory; it is empty afterwards. Nodes in the store are not touched.
    void drop(Tree& tree) noexcept;
    /// Bytes in use by branches, with the leaves that hang from them, per generation.
    template <typename Visit>
    void for_each_generation(const Tree& tree, Visit visit) const;
    /// Turns saved subtries that were last used before `generation` into stubs, the whole trie too.
    void evict(Tree& tree, std::uint32_t generation) noexcept;

    [[nodiscard]] std::size_t live_bytes() const noexcept { return pool_.live_bytes(); }
    [[nodiscard]] std::size_t reserved_bytes() const noexcept { return pool_.reserved_bytes(); }

private:
    /// Walks towards `key` and shows each node to `visit(link, depth)`, the depth without the
    /// prefix of a branch. @return the key's leaf, or none.
    template <typename Visit>
    [[nodiscard]] std::expected<Link, TrieError> walk(Tree& tree, const Hash& key, Visit visit);
    /// A child that is in the store only.
    struct StubPlace {
        std::uint32_t branch = 0;
        std::uint16_t bit = 0;
        NibblePath path;
    };
    /// The first on the way to `key`; nullopt: all that there is of it is in memory.
    [[nodiscard]] std::optional<StubPlace> find_stub(const Tree& tree, const Hash& key) const;
    void collect_branch(const Hash& owner, std::uint32_t index, NibblePath& path, NodeSink& sink);
    [[nodiscard]] Link evict_below(Link link, std::uint32_t generation) noexcept;
    template <typename Visit>
    void visit_generations(Link link, Visit& visit) const;

    std::uint32_t stored_leaf_count_;
    NodePool pool_;
    StubLoader loader_;
    std::vector<StalePath> stale_;
    UpdatePass update_pass_;
    std::vector<TrieJob> jobs_;
    std::uint32_t generation_ = 0;
    Bytes encoded_;
};

template <typename Visit>
void TrieForest::for_each_generation(const Tree& tree, Visit visit) const {
    visit_generations(tree.link, visit);
}

template <typename Visit>
void TrieForest::visit_generations(Link link, Visit& visit) const {
    if (link.kind != LinkKind::branch) return;
    Branch& branch = pool_.branch(link.index);
    std::size_t size = NodePool::branch_bytes(branch);
    for (std::uint32_t bits = branch.children; bits != 0; bits &= bits - 1) {
        const Link child = branch.link(static_cast<std::uint16_t>(bits & -bits));
        if (child.kind == LinkKind::leaf) size += pool_.leaf_bytes(child.index);
        visit_generations(child, visit);
    }
    visit(branch.last_used, size);
}

}  // namespace heddle::ledger
