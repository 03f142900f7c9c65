// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Any number of resident tries that share memory, one store and one hashing pass: fast incremental
// Merkle-Patricia tries (YP App. D) with keys of 32 bytes, as the secure tries have them. Keys of
// other or mixed lengths, and so branches with a value, are merkle_patricia_trie.hpp's business.
//
// Threads share an update where it is large: the tries are divided into parts (update_pass.hpp), a
// large one by the first nibbles of its keys, and each thread has a lane: a lane of the pool, a
// loader, a pass. The calling thread comes first, divides, and comes last, joins; between, all of
// them take bundles of neighbouring parts as they are done with the one before. Nobody waits for a
// lock but for more memory.
//
// What is not in memory is a stub. Branches with at least kStoredLeafCount leaves below them are
// kept in the store under their path; smaller subtries are made again from their leaves. Of
// branches with fewer leaves than kAlwaysStoredLeafCount the store is told late: when they are next
// to be evicted, or at the end. Until then it is behind with them, which only a process that is
// killed lets others see.
#pragma once

#include <bit>
#include <cstdint>
#include <expected>
#include <memory>
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
    StoredLeafCounts stored_leaf_counts = {};
    KeccakPath keccak = best_keccak_path();
    /// Updates from which on threads share them: with fewer, waking threads costs more than they
    /// save.
    std::uint32_t least_shared = 256;
    /// Updates that a thread takes at once, at least, if there are so many: hashing needs batches.
    std::uint32_t least_bundle = 64;
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
    /// @param crew  Threads to share the work, always the same ones; null: the calling one alone.
    ///              Roots, what is collected and, but for what a trie that shrinks is made again
    ///              from, what is in memory are the same.
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
    /// Tells `sink` what changed in this tree since the last call, and which of the branches that
    /// the store may be behind with were last used before generation `catch_up_before` (0: none of
    /// them). To be called after collect_stale(), with nothing in between.
    void collect(Tree& tree, NodeSink& sink, std::uint32_t catch_up_before = 0);

    /// Frees a trie's memory; it is empty afterwards. Nodes in the store are not touched.
    void drop(Tree& tree) noexcept;
    /// Of each branch `visit(generation, bytes, leaves)`: how much it takes, and how many leaves
    /// hang from it, which are not looked at.
    template <typename Visit>
    void for_each_generation(const Tree& tree, Visit visit) const;
    /// Turns subtries that the store has and that were last used before `generation` into stubs,
    /// the whole trie too.
    void evict(Tree& tree, std::uint32_t generation) noexcept;

    [[nodiscard]] std::size_t live_bytes() const noexcept { return pool_.live_bytes(); }
    [[nodiscard]] std::size_t reserved_bytes() const noexcept { return pool_.reserved_bytes(); }

private:
    /// What a thread needs to work on a part of the nodes.
    struct Lane {
        explicit Lane(TrieForest& forest)
            : pool(&forest.pool_),
              loader(pool, forest.store_, forest.options_.stored_leaf_counts,
                     forest.options_.keccak),
              pass(pool, loader, forest.options_.keccak, stale) {}
        NodePool pool;
        StubLoader loader;
        std::vector<StalePath> stale;
        UpdatePass pass;
    };
    /// Neighbouring parts of an update, for one thread at a time.
    struct Bundle {
        std::size_t first = 0;
        std::size_t count = 0;
        std::expected<void, TrieError> result;
    };

    [[nodiscard]] std::expected<void, TrieError> update_in_portions(std::span<const TrieJob> jobs,
                                                                    const LoaderCrew* crew);
    [[nodiscard]] std::expected<void, TrieError> update_in_parts(std::span<const TrieJob> jobs,
                                                                 std::size_t update_count,
                                                                 const LoaderCrew& crew);
    void make_bundles(std::span<const TriePart> parts, std::size_t bundle_size);
    /// Makes lanes for its threads.
    [[nodiscard]] std::optional<LoaderCrew> with_lanes(WorkerCrew* crew);
    /// What lanes have that belongs to all. The threads have met.
    void gather();
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
    /// What collect() is told.
    struct Collection {
        const Hash& owner;
        NodeSink& sink;
        std::uint32_t catch_up_before = 0;
    };
    void collect_branch(const Collection& to, std::uint32_t index, NibblePath& path);
    void put_branch(const Collection& to, Branch& branch, const NibblePath& path);
    [[nodiscard]] Link evict_below(Link link, std::uint32_t generation) noexcept;
    template <typename Visit>
    void visit_generations(Link link, Visit& visit) const;

    const TrieStore* store_;
    const TrieOptions options_;
    NodePool pool_;
    StubLoader loader_;
    std::vector<StalePath> stale_;
    UpdatePass update_pass_;
    std::vector<TrieJob> jobs_;
    std::vector<std::unique_ptr<Lane>> lanes_;  // none as long as one thread is enough
    std::vector<StubLoader*> lane_loaders_;
    std::vector<Bundle> bundles_;
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
    visit(branch.last_used, NodePool::branch_bytes(branch),
          static_cast<std::size_t>(std::popcount(branch.leaves)));
    for (std::uint32_t bits = branch.children & ~branch.leaves & ~branch.stubs; bits != 0;
         bits &= bits - 1)
        visit_generations(branch.link(static_cast<std::uint16_t>(bits & -bits)), visit);
}

}  // namespace heddle::ledger
