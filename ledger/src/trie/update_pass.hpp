// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Changing resident tries: many keys of many tries in one pass down, one pass up that puts the
// shape right, and one that hashes (hash_pass.hpp).
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <vector>

#include <types/bytes.hpp>
#include <types/hash.hpp>

#include "trie/hash_pass.hpp"
#include "trie/stub_loader.hpp"

namespace heddle::ledger {

/// A resident trie. Its nodes are in the pool of the forest that it was made by.
struct Tree {
    Hash owner = kAccountTrie;
    Hash root = kEmptyTrieRoot;
    Link link;
    /// Changed since it was collected.
    bool is_unsaved = false;

    /// A trie that is in the store, or is empty.
    [[nodiscard]] static Tree stub(const Hash& owner, const Hash& root) noexcept {
        return {owner, root, root == kEmptyTrieRoot ? Link{} : Link{LinkKind::stub, 0}, false};
    }
};

struct TrieUpdate {
    Hash key;
    BytesView value;  // empty: the key is removed
    /// For accounts: the storage root stays what it is, or the one in `value` if the account is
    /// new. The root then goes to `*kept_root`.
    Hash* kept_root = nullptr;
};

void sort_by_key(std::span<TrieUpdate> updates);

/// Changes of one trie: sorted by key, each key once.
struct TrieJob {
    Tree* tree = nullptr;
    std::span<const TrieUpdate> updates;
};

/// A node of the store that is no longer at this path.
struct StalePath {
    Hash owner;
    NibblePath path;
};

/// Thread safety: none.
class UpdatePass {
public:
    UpdatePass(NodePool& pool, StubLoader& loader, KeccakPath path, std::vector<StalePath>& stale)
        : pool_(pool), loader_(loader), hash_pass_(pool, path), stale_(stale) {}

    /// Applies the jobs, one per tree, and brings the trees' roots up to date. `generation` is
    /// noted in every branch that is visited.
    /// @param crew  Threads that read from the store; null: the calling one alone.
    [[nodiscard]] std::expected<void, TrieError> run(std::span<const TrieJob> jobs,
                                                     std::uint32_t generation, WorkerCrew* crew);

private:
    using Result = std::expected<void, TrieError>;
    /// What became of a child.
    struct Change {
        Link link;
        bool is_dirty = false;  // its reference changed
        std::int32_t leaf_delta = 0;
    };
    /// A child to be changed.
    struct Slot {
        Place place;
        std::size_t depth = 0;  // at which its path begins
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
    };

    /// A child that is in the store only, and the updates that lead to it.
    struct Waiting {
        std::uint32_t visit = 0;  // of the level
        std::uint8_t nibble = 0;
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
    };

    [[nodiscard]] std::span<const TrieUpdate> updates(const Slot& slot) const noexcept;
    [[nodiscard]] Result load_roots();
    [[nodiscard]] Result load_waiting(std::size_t level);
    void descend_root(std::uint32_t root);
    void visit(std::size_t level, std::uint32_t index);
    void change_child(std::size_t level, const Waiting& child);
    void change(const Slot& slot, Link link, Change& change);
    void change_leaf(const Slot& slot, std::uint32_t leaf, Change& change);
    void rebuild(const Slot& slot, Change& change);
    void enter_branch(const Slot& slot, std::uint32_t branch, Change& change);
    [[nodiscard]] std::uint32_t split(std::uint32_t branch, std::size_t shared);
    void push_visit(const Place& place, std::uint32_t branch, std::size_t depth,
                    std::uint32_t begin, std::uint32_t end);
    void prefetch_ahead(const Visit& visit) const noexcept;
    [[nodiscard]] BytesView compose(const TrieUpdate& update, const std::uint32_t* old_leaf);

    [[nodiscard]] Result settle(std::size_t level, std::uint32_t index);
    [[nodiscard]] Result collapse(std::size_t level, std::uint32_t index);
    /// The path at which the visited branch begins, followed by `more` nibbles of its prefix.
    [[nodiscard]] NibblePath path_to(const Visit& visit, std::size_t size) const;
    void relink(std::size_t level, const Visit& visit, Link link);
    void set_child(std::size_t level, std::uint32_t index, std::uint8_t nibble, Link link);
    void mark_dirty(std::size_t level, const Visit& visit);
    void add_delta(std::size_t level, const Visit& visit, std::int32_t delta);
    void note_stale(const Visit& visit, const NibblePath& path);

    NodePool& pool_;
    StubLoader& loader_;
    HashPass hash_pass_;
    std::vector<StalePath>& stale_;
    Levels levels_;
    std::span<const TrieJob> jobs_;
    std::uint32_t generation_ = 0;
    WorkerCrew* crew_ = nullptr;
    std::vector<Waiting> waiting_;
    std::vector<StubRequest> requests_;
    std::vector<std::uint32_t> leaves_;
    Bytes value_;
};

}  // namespace heddle::ledger
