// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Changing resident tries: many keys of many tries in one pass down, one pass up that puts the
// shape right, and one that hashes (hash_pass.hpp).
//
// Threads share a pass by parts. One pass, of the thread that asks, goes down as far as more
// updates than a part may have lie ahead, and makes a part of each place where fewer do: a child
// with the updates below it, or a whole trie. Parts have nothing in common, so other passes, each
// over a lane of the pool (record_arena.hpp), bring them up to date in any order: link, count of
// leaves, reference. The first pass hangs the results below the branches that it came through, and
// only then goes up. What a part has become may be anything, a leaf, nothing, a branch with another
// prefix: the way up looks at it as at any other child that changed.
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

/// @param crew  Threads to share the sorting of many; null: the calling one alone.
/// @param space  For copies of the updates; kept for its memory.
void sort_by_key(std::span<TrieUpdate> updates, WorkerCrew* crew, std::vector<TrieUpdate>& space);

/// Changes of one trie: sorted by key, each key once.
struct TrieJob {
    Tree* tree = nullptr;
    std::span<const TrieUpdate> updates;
};

/// What other threads do of a pass. While they do, its pass touches neither the part nor what is
/// below its place.
struct TriePart {
    TrieJob job;
    RootSlot slot;  // as it is, then as it has become
    Place place;    // in the levels of the pass that it is a part of; level 0: a whole trie
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
    /// @param crew  Threads that load from the store; null: the calling one alone.
    [[nodiscard]] std::expected<void, TrieError> run(std::span<const TrieJob> jobs,
                                                     std::uint32_t generation,
                                                     const LoaderCrew* crew);

    /// The first step of the same in parts of at most `part_size` updates. The jobs stay as they
    /// are until the last one.
    [[nodiscard]] std::expected<void, TrieError> split(std::span<const TrieJob> jobs,
                                                       std::uint32_t generation,
                                                       std::uint32_t part_size,
                                                       const LoaderCrew* crew);
    /// What split() left to be done, neighbours next to each other.
    [[nodiscard]] std::span<TriePart> parts() noexcept { return parts_; }
    /// The second: parts of another pass. Touches nothing that another part has.
    [[nodiscard]] std::expected<void, TrieError> run_parts(std::span<TriePart> parts,
                                                           std::uint32_t generation);
    /// The last: when all parts are done, the thread that has split.
    [[nodiscard]] std::expected<void, TrieError> join();

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
    void begin(std::span<const TrieJob> jobs, std::uint32_t generation, std::uint32_t part_size,
               const LoaderCrew* crew);
    [[nodiscard]] Result go_down();
    [[nodiscard]] Result go_up();
    static void store(const RootSlot& root, Tree& tree);
    /// Whether so many updates are left to another pass.
    [[nodiscard]] bool is_part(std::size_t count) const noexcept { return count <= part_size_; }
    [[nodiscard]] bool can_hand_over(Branch& branch, std::uint8_t nibble) const noexcept;
    void hand_over(std::size_t level, const Waiting& child);
    void take_over(const TriePart& part);
    /// A child's link, none where the branch has just been made above children to come.
    [[nodiscard]] static Link link_of(Branch& branch, std::uint16_t bit) noexcept;
    [[nodiscard]] bool grow(const Slot& slot, Link link, Change& change);
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
    std::uint32_t part_size_ = 0;  // 0: there are no parts
    const LoaderCrew* crew_ = nullptr;
    std::vector<TriePart> parts_;
    std::vector<TrieJob> part_jobs_;
    std::vector<Waiting> waiting_;
    std::vector<StubRequest> requests_;
    std::vector<std::uint32_t> leaves_;
    Bytes value_;
};

}  // namespace heddle::ledger
