// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The root of a trie whose leaves come in order, from nothing: for a genesis, a snapshot or a check
// of what is stored. Keeps one path at a time, however many leaves there are.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/keccak_batch.hpp>

#include "trie/node_rlp.hpp"
#include "trie/stored_branch.hpp"
#include "trie/trie_store.hpp"

namespace heddle::ledger {

/// Which of a trie's leaves a builder is given.
enum class TrieSpan : bool {
    whole,
    /// Those that begin with one nibble, where others begin with other nibbles: what hangs below
    /// one child of the root, built by a thread of its own.
    child_of_root,
};

/// What hangs below one child of the root, when it is built.
struct BuiltPart {
    std::uint8_t nibble = 0;
    Reference reference;
    std::uint64_t leaf_count = 0;
};

/// Thread safety: none.
/// Complexity: memory for some hundred leaves and one branch per level.
/// Limits: below 2^32 leaves.
class TrieBuilder {
public:
    /// Called for every node that the store must have, children before parents.
    using NodeVisitor = std::function<void(NibblesView path, BytesView node)>;

    explicit TrieBuilder(NodeVisitor visit, std::uint32_t stored_leaf_count = kStoredLeafCount,
                         KeccakPath keccak = best_keccak_path(), TrieSpan span = TrieSpan::whole);

    /// Adds a leaf; `value` is not empty.
    /// @return false if `key` (hashed already) is not above the one before: the leaf is not added.
    [[nodiscard]] bool add(const Hash& key, BytesView value);
    /// The root of all leaves added; afterwards the builder is as new.
    [[nodiscard]] Hash finish();
    /// The same where the builder is given the leaves below one child of the root, one at least.
    [[nodiscard]] BuiltPart finish_part();
    /// The root above the parts, two at least, ascending by nibble; `visit` as that of builders.
    [[nodiscard]] static Hash join_parts(std::span<const BuiltPart> parts, const NodeVisitor& visit,
                                         std::uint32_t stored_leaf_count = kStoredLeafCount);
    [[nodiscard]] std::uint64_t leaf_count() const noexcept { return leaf_count_; }

private:
    /// A leaf that waits to be hashed together with others.
    struct Waiting {
        Hash key;
        std::size_t offset = 0;  // of its value in values_
        std::size_t size = 0;
    };
    /// A branch on the path to the leaf placed last; more children may come.
    struct Frame {
        std::size_t depth = 0;  // nibbles above its children's nibble
        StoredBranch branch;    // without its prefix
    };
    /// Between neighbours that share nothing: there is none on that side.
    static constexpr int kNoNeighbour = -1;

    /// What the first leaf shares with those before it, and the last one with those behind it.
    [[nodiscard]] int shared_outside() const noexcept {
        return span_ == TrieSpan::whole ? kNoNeighbour : 0;
    }
    void begin();
    void place_waiting(bool is_last);
    void hash_waiting(std::size_t count, bool is_last);
    void place(const Hash& key, int shared_before, int shared_behind, const Reference& reference);
    void close_top(const Hash& key, int shared_behind);
    static void add_child(Frame& frame, std::uint8_t nibble, const Reference& reference,
                          std::uint64_t leaf_count);

    NodeVisitor visit_;
    std::uint32_t stored_leaf_count_;
    TrieSpan span_;
    KeccakBatch batch_;
    std::vector<Waiting> waiting_;
    Bytes values_;
    int shared_before_ = kNoNeighbour;  // nibbles that the first one waiting shares with the last
    std::vector<int> shared_behind_;    // of each one waiting with the next
    std::vector<Reference> references_;
    std::vector<Frame> frames_;
    std::uint64_t leaf_count_ = 0;
    Hash root_ = kEmptyTrieRoot;
    Bytes encoded_;
};

}  // namespace heddle::ledger
