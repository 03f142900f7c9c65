// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Bringing parts of tries back from the store: a stored branch with stubs below it, or a small
// subtrie made again from its leaves. Nothing is believed before its hash is compared with the
// reference that the node above holds. A branch of which the store may have an older one, or none
// (kAlwaysStoredLeafCount), is made from its leaves where that comparison fails, and left as the
// store would have had it, with stubs below.
//
// Many are brought at once where it can be: a walk over the leaves uses the iterator of the one
// before, and what is made again is hashed together. Threads share them by rows, each with a loader
// over a lane of the pool (record_arena.hpp has the protocol).
#pragma once

#include <expected>
#include <optional>
#include <span>
#include <vector>

#include "trie/hash_pass.hpp"
#include "trie/node_pool.hpp"
#include "trie/stored_branch.hpp"
#include "trie/trie_error.hpp"
#include "trie/trie_store.hpp"
#include "trie/worker_crew.hpp"

namespace heddle::ledger {

/// A node that is wanted from the store.
struct StubRequest {
    const Hash* owner = nullptr;
    NibblePath path;
    Reference reference;                      // what the node above says of it
    std::optional<std::uint32_t> leaf_count;  // unknown for a root
    Link link;                                // the node, once it is there

    /// The root node of a trie that is not empty.
    [[nodiscard]] static StubRequest of_root(const Hash& owner, const Hash& root) noexcept {
        return {&owner, {}, {root.bytes, false}, std::nullopt, {}};
    }
};

/// From how many leaves on the store has branches: kStoredLeafCount and kAlwaysStoredLeafCount, but
/// in tests. `always` is not the smaller one.
struct StoredLeafCounts {
    std::uint32_t stored = kStoredLeafCount;
    std::uint32_t always = kAlwaysStoredLeafCount;
};

class StubLoader;

/// Threads that load together: a loader for each, over lanes of one pool.
struct LoaderCrew {
    WorkerCrew& crew;
    std::span<StubLoader* const> loaders;
};

/// Thread safety: none; several loaders may share a store.
class StubLoader {
public:
    /// `store` may be null if there are no stubs.
    StubLoader(NodePool& pool, const TrieStore* store, StoredLeafCounts counts, KeccakPath path)
        : pool_(pool), store_(store), counts_(counts), hash_pass_(pool, path) {}

    /// Fills in the links. After an error none of them counts.
    /// @param crew  Threads to share many with, which have nothing else to do; null: the calling
    ///              one alone.
    [[nodiscard]] std::expected<void, TrieError> load_all(std::span<StubRequest> requests,
                                                          const LoaderCrew* crew);
    [[nodiscard]] std::expected<Link, TrieError> load(StubRequest request);

private:
    /// What the store has of a wanted node.
    struct Found {
        std::optional<Link> node;
        bool is_old = false;  // there is a node, but of an earlier state
        /// If there is no node: for each leaf its key, its value's size in two bytes, its value.
        Bytes leaves;
        std::uint32_t leaf_count = 0;
    };

    [[nodiscard]] std::expected<void, TrieError> load_all(std::span<StubRequest> requests);
    /// Reads the first requests, as many as are brought at once. @return how many these are.
    [[nodiscard]] std::expected<std::size_t, TrieError> read_some(
        std::span<const StubRequest> requests, std::unique_ptr<LeafReader>& reader);
    [[nodiscard]] std::expected<void, TrieError> read(const StubRequest& wanted,
                                                      std::unique_ptr<LeafReader>& reader,
                                                      Found& found);
    [[nodiscard]] std::expected<void, TrieError> read_leaves(const StubRequest& wanted,
                                                             LeafReader& reader,
                                                             Found& found) const;
    /// Makes what was found, in the requests' order.
    [[nodiscard]] std::expected<void, TrieError> make_all(std::span<StubRequest> requests);
    [[nodiscard]] std::expected<Link, TrieError> decode(const StubRequest& wanted, BytesView bytes);
    [[nodiscard]] Link build(const StubRequest& wanted, const Found& found);
    /// Leaves of a branch that was made from its leaves what the store would have had of it.
    void cut_to_stubs(Link made, bool is_old);

    NodePool& pool_;
    const TrieStore* store_;
    StoredLeafCounts counts_;
    HashPass hash_pass_;
    // Kept for their memory.
    std::vector<Found> found_;
    std::vector<std::size_t> built_;
    Levels levels_;
    std::vector<std::uint32_t> leaves_;
};

}  // namespace heddle::ledger
