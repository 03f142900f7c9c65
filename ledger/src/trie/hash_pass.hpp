// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Encoding and hashing what changed, level by level from below, across all the tries of an update.
#pragma once

#include <cstdint>
#include <vector>

#include <types/keccak_batch.hpp>

#include "trie/node_pool.hpp"

namespace heddle::ledger {

/// A branch that an update comes through.
struct Visit {
    enum class State : std::uint8_t {
        active,
        gone,       // the branch is no more
        forwarded,  // the branch is no more; its only child, itself visited, took its place
    };
    std::uint32_t branch = 0;
    std::uint32_t parent = 0;  // index into the level above; unused on level 0
    std::uint32_t root = 0;    // index into Levels::roots
    std::uint32_t begin = 0;   // its part of the root's updates
    std::uint32_t end = 0;
    std::int32_t leaf_delta = 0;
    std::uint8_t nibble = 0;  // its place in the parent
    std::uint8_t depth = 0;   // nibbles of the path above its children's nibble, prefix included
    State state = State::active;
};

/// What stands above level 0: the root of a trie, or a subtrie on its own.
struct RootSlot {
    Link link;
    Reference reference;     // valid after the pass if there is a node; before it, of a stub
    std::uint8_t depth = 0;  // at which the subtrie begins
    bool is_whole = true;    // a whole trie: hashed however short
    bool is_dirty = false;   // the reference is out of date
    std::int32_t leaf_delta = 0;
};

/// The branches to be hashed; a child is one level below its parent, whatever their depths.
struct Levels {
    std::vector<std::vector<Visit>> visits = std::vector<std::vector<Visit>>(kKeyNibbles + 1);
    std::vector<RootSlot> roots;

    void clear() noexcept {
        for (std::vector<Visit>& level : visits)
            level.clear();
        roots.clear();
    }
};

/// Where a new node hangs.
struct Place {
    std::size_t level = 0;  // of the branch that may be made
    std::uint32_t parent = 0;
    std::uint32_t root = 0;
    std::uint8_t nibble = 0;
};

/// Leaves of a pool, sorted, that share their first `depth` nibbles.
struct SortedLeaves {
    std::span<const std::uint32_t> indexes;
    std::size_t depth = 0;
};

/// Makes the subtrie of these leaves and adds its branches to `levels`. New branches get `flags`.
/// Recursion is as deep as the trie.
[[nodiscard]] Link build_subtrie(NodePool& pool, const SortedLeaves& sorted, Place place,
                                 std::uint8_t flags, Levels& levels);

/// Thread safety: none.
class HashPass {
public:
    HashPass(NodePool& pool, KeccakPath path) : pool_(pool), batch_(path) {}

    /// Brings the references of all dirty children, of all stale branches and of dirty roots up to
    /// date. Every branch visited is clean afterwards.
    void run(Levels& levels);

private:
    struct Target {
        std::uint8_t* bytes;
        Branch* parent;  // null: a reference of its own
        Reference* reference;
        std::uint16_t bit;
    };

    void hash_leaves(Levels& levels);
    void hash_level(Levels& levels, std::size_t level);
    /// Where the reference of the visited branch belongs: behind those forwarded.
    [[nodiscard]] Target target_of(Levels& levels, std::size_t level, const Visit& visit);
    /// `size` bytes were written where batch_.begin() said.
    void finish(const std::uint8_t* rlp, std::size_t size, const Target& target, bool must_hash);
    void flush();
    static void store(const Target& target, const std::uint8_t* bytes, std::size_t size,
                      bool is_embedded);

    NodePool& pool_;
    KeccakBatch batch_;
    std::vector<Target> targets_;
    std::vector<Hash> hashes_;
    /// Branches with a prefix wait for their own reference before the extension is encoded.
    struct Extended {
        std::uint32_t visit;
        Reference reference;
    };
    std::vector<Extended> extended_;
};

}  // namespace heddle::ledger
