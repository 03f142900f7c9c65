// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The nodes of resident tries: branches and leaves as compact records in an arena. Knows how they
// lie in memory, not how a trie changes.
//
// An extension is no node of its own but the prefix of the branch below it. A branch keeps the
// references of all its children, so that it is encoded without touching them.
#pragma once

#include <bit>
#include <cstdint>

#include "trie/node_rlp.hpp"
#include "trie/record_arena.hpp"

namespace heddle::ledger {

enum class LinkKind : std::uint8_t { none, leaf, branch, stub };

/// Where a node is. For a stub, which is not in memory, `index` is the number of leaves below it,
/// or 0 if that is not known (a root).
struct Link {
    LinkKind kind = LinkKind::none;
    std::uint32_t index = 0;
    friend bool operator==(const Link&, const Link&) = default;
};

/// What a branch remembers about itself: bits of Branch::flags.
using BranchFlag = std::uint8_t;
inline constexpr BranchFlag kVisited = 1;  // part of the update that is going on
inline constexpr BranchFlag kStale = 2;    // its own encoding changed though perhaps no child did
inline constexpr BranchFlag kUnsaved = 4;  // it or something below changed since it was collected
inline constexpr BranchFlag kStored = 8;   // the store has a node at its path
inline constexpr BranchFlag kSplit = 16;   // put above another branch by the update going on
inline constexpr BranchFlag kFresh = 32;   // its links count only where they are to leaves
inline constexpr BranchFlag kBehind = 64;  // the store's node, where there is one, is an older one

/// Followed by one link index and then one reference of 32 bytes per child, in the order of the
/// nibbles. Masks have bit n for nibble n and are subsets of `children`.
struct Branch {
    std::uint16_t children;
    std::uint16_t dirty;  // the reference is out of date
    std::uint16_t leaves;
    std::uint16_t stubs;
    std::uint16_t embedded;  // the reference is RLP
    std::uint8_t prefix_size;
    std::uint8_t flags;
    std::uint32_t leaf_count;
    std::uint32_t last_used;  // generation
    std::uint32_t prefix;     // eight nibbles, or the index of a record if there are more

    [[nodiscard]] std::size_t child_count() const noexcept {
        return static_cast<std::size_t>(std::popcount(children));
    }
    [[nodiscard]] std::size_t position(std::uint16_t bit) const noexcept {
        return static_cast<std::size_t>(std::popcount(children & (bit - 1U)));
    }
    [[nodiscard]] std::uint32_t* links() noexcept {
        return reinterpret_cast<std::uint32_t*>(this + 1);
    }
    [[nodiscard]] std::uint8_t* references() noexcept {
        return reinterpret_cast<std::uint8_t*>(links() + child_count());
    }
    [[nodiscard]] std::uint8_t* reference(std::uint16_t bit) noexcept {
        return references() + kReferenceSize * position(bit);
    }
    [[nodiscard]] Link link(std::uint16_t bit) noexcept {
        if ((children & bit) == 0) return {};
        const LinkKind kind = (leaves & bit) != 0  ? LinkKind::leaf
                              : (stubs & bit) != 0 ? LinkKind::stub
                                                   : LinkKind::branch;
        return {kind, links()[position(bit)]};
    }
    [[nodiscard]] bool has(BranchFlag flag) const noexcept { return (flags & flag) != 0; }
    void set(BranchFlag flag) noexcept { flags |= flag; }
    void clear(BranchFlag flag) noexcept { flags &= static_cast<std::uint8_t>(~flag); }
};

/// Followed by the value. Accounts with neither storage nor code end in the same 66 bytes; these
/// are left out.
struct Leaf {
    std::uint8_t key[32];
    std::uint16_t size;  // of what follows
    bool has_plain_tail;

    [[nodiscard]] std::uint8_t* bytes() noexcept {
        return reinterpret_cast<std::uint8_t*>(this) + kHeaderSize;
    }
    static constexpr std::size_t kHeaderSize = 35;
};

inline constexpr std::size_t kPlainTailSize = 66;
/// Where an account's RLP holds the storage root, from its end.
inline constexpr std::size_t kStorageRootFromEnd = 65;
/// A leaf's value is at most so long.
inline constexpr std::size_t kMaxLeafValue = 60'000;

[[nodiscard]] constexpr std::uint16_t nibble_bit(std::uint8_t nibble) noexcept {
    return static_cast<std::uint16_t>(1U << nibble);
}
[[nodiscard]] inline std::uint8_t lowest_nibble(std::uint32_t mask) noexcept {
    return static_cast<std::uint8_t>(std::countr_zero(mask));
}

/// Thread safety: none, but for lanes as record_arena.hpp has it. Records do not move: references
/// stay valid until the record is freed, reshaped or given another value.
class NodePool {
public:
    NodePool() = default;
    /// A lane of `whole`: the same nodes, for one of several threads that work on different ones.
    explicit NodePool(NodePool* whole) : arena_(&whole->arena_) {}
    /// Of a lane, when the threads have met.
    void give_back() { arena_.give_back(); }

    [[nodiscard]] Branch& branch(std::uint32_t index) const noexcept {
        return *reinterpret_cast<Branch*>(arena_.at(index));
    }
    [[nodiscard]] Leaf& leaf(std::uint32_t index) const noexcept {
        return *reinterpret_cast<Leaf*>(arena_.at(index));
    }
    void prefetch(std::uint32_t index) const noexcept {
        const std::byte* const record = arena_.at(index);
        __builtin_prefetch(record);
        __builtin_prefetch(record + 64);
    }

    /// The whole record of a branch whose header is in the caches.
    void prefetch_references(std::uint32_t index) const noexcept {
        Branch& held = branch(index);
        const std::uint8_t* const begin = held.references();
        const std::uint8_t* const end = begin + held.child_count() * kReferenceSize;
        for (const std::uint8_t* line = begin; line < end; line += 64)
            __builtin_prefetch(line);
    }

    [[nodiscard]] std::uint32_t make_leaf(const std::uint8_t* key, BytesView value);
    /// Appends the whole value to `out`.
    void append_value(std::uint32_t index, Bytes& out) const;
    /// Of an account's leaf: the storage root that is part of its value.
    [[nodiscard]] Hash storage_root(std::uint32_t index) const noexcept;
    [[nodiscard]] bool has_value(std::uint32_t index, BytesView value) const noexcept;
    /// @return the leaf's index from now on.
    [[nodiscard]] std::uint32_t set_value(std::uint32_t index, BytesView value);
    /// Size of the leaf's RLP, written to `out`, which has room for max_leaf_size(index).
    [[nodiscard]] std::size_t max_leaf_size(std::uint32_t index) const noexcept;
    std::size_t write_leaf_rlp(std::uint32_t index, std::size_t depth, std::uint8_t* out) const;

    /// A branch with these children and nothing known about them.
    [[nodiscard]] std::uint32_t make_branch(std::uint16_t children, NibblesView prefix);
    /// Adds and removes children; those that stay keep link and reference. @return its index from
    /// now on.
    [[nodiscard]] std::uint32_t reshape(std::uint32_t index, std::uint16_t children);
    /// Sets the link of an existing child; not `none`.
    static void set_link(Branch& branch, std::uint16_t bit, Link link) noexcept;
    [[nodiscard]] NibblePath prefix(const Branch& branch) const noexcept;
    void set_prefix(Branch& branch, NibblesView prefix);
    [[nodiscard]] std::uint32_t leaf_count(Link link) const noexcept;
    static void set_reference(Branch& branch, std::uint16_t bit,
                              const Reference& reference) noexcept;
    /// The reference of a child that is not dirty.
    [[nodiscard]] static Reference child_reference(Branch& branch, std::uint16_t bit) noexcept;

    void free_leaf(std::uint32_t index) noexcept;
    /// Not its children.
    void free_branch(std::uint32_t index) noexcept;
    /// Everything below, too. Recursion is as deep as the trie.
    void free_all(Link link) noexcept;
    /// Bytes that the branch's own record takes.
    [[nodiscard]] static std::size_t branch_bytes(const Branch& branch) noexcept;

    [[nodiscard]] std::size_t live_bytes() const noexcept { return arena_.live_bytes(); }
    [[nodiscard]] std::size_t reserved_bytes() const noexcept { return arena_.reserved_bytes(); }

private:
    RecordArena arena_;
};

}  // namespace heddle::ledger
