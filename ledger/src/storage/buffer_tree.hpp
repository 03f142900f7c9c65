// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A write buffer of the database: the entries that are not in a file yet, in order. RocksDB's own
// is a skip list, whose insertions and lookups are a chain of comparisons with entries all over
// memory, each a wait. Not for keys and values: an entry is a record that somebody else has made
// and keeps (rocks_buffer.hpp).
//
// A B+ tree that only grows. Nodes hold up to kFan entries, ascending, and of each eight bytes that
// decide nearly every comparison: they begin where the keys that belong into the node begin to
// differ, which its two fences say. What is found is then looked at itself.
//
// Readers take no lock. The version of a node is odd while the writer changes it:
//
//   state of a node   event                                next      who
//   even              begin_change(): version + 1          odd       writer
//   odd               words of the node are stored         odd       writer
//   odd               end_change(): version + 1            even      writer
//
// A reader waits for an even version, loads what it wants, and loads the version again: if it is
// another, what was loaded is dropped and the reader begins anew at the root. Words are stored with
// release and loaded with acquire, so who has seen a word of a change also sees an odd version or a
// later one. Going down, the version of a node is looked at again once that of its child is known:
// at that moment the child was the right one, and what divides it later changes its version.
// A node that is divided changes together with its parent, both odd; what leaves it goes into a new
// node to its right. Nothing ever goes to the left and no node is removed, so whoever has read a
// leaf goes on with the next one that it named and misses nothing that was there when it began.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "storage/tree_atomics.hpp"

namespace heddle::ledger {

/// How entries are ordered: by key, those of one key by their number, the largest first.
struct BufferKey {
    /// The length of the key and 8 bytes as a varint, the key, the number (8 bytes, little-endian);
    /// behind it whatever there is.
    [[nodiscard]] static BufferKey of_entry(const char* entry) noexcept;
    /// The key and the number.
    [[nodiscard]] static BufferKey of(const char* bytes, std::size_t size) noexcept;

    const char* bytes = nullptr;
    std::size_t size = 0;  // of the key; the number follows it
    std::uint64_t number = 0;

    friend bool operator<(const BufferKey& a, const BufferKey& b) noexcept;
};

/// Thread safety: insert() from one thread at a time, all else from any thread, meanwhile too.
class BufferTree {
    struct Node;

public:
    static constexpr std::size_t kFan = 32;
    /// Memory for a node, which is there until the tree is not any more; aligned to 64 bytes.
    using Allocate = std::function<char*(std::size_t size)>;

    explicit BufferTree(Allocate allocate);
    BufferTree(const BufferTree&) = delete;
    BufferTree& operator=(const BufferTree&) = delete;

    /// @param entry  As BufferKey::of_entry() has it; stays as it is. None that is equal is there.
    void insert(const char* entry);

    /// A place in the tree, or none. Sees what was inserted before it was moved, and of what is
    /// inserted meanwhile some.
    /// Thread safety: none.
    class Position {
    public:
        explicit Position(const BufferTree& tree) noexcept : tree_(&tree) {}

        [[nodiscard]] bool valid() const noexcept { return at_ < count_; }
        /// The entry there. Only where valid().
        [[nodiscard]] const char* entry() const noexcept { return entries_[at_]; }
        void to_first() noexcept;
        void to_last() noexcept;
        /// To the first entry that is not below `key`.
        void to(const BufferKey& key) noexcept;
        /// To the last entry that is not above `key`.
        void to_or_before(const BufferKey& key) noexcept;
        /// Only where valid().
        void next() noexcept;
        void previous() noexcept;

    private:
        /// To the last entry below `key`.
        void to_before(BufferKey key) noexcept;
        void to_none() noexcept { at_ = count_ = 0; }
        /// Copies what the leaf has from at_ on. @return whether it has still that version.
        [[nodiscard]] bool read(const Node& leaf, std::uint32_t version) noexcept;
        /// To the first entry of the leaf, if there is one.
        void to_first_of(const Node* leaf) noexcept;

        const BufferTree* tree_;
        // Of one leaf, as it was when it was read.
        std::size_t first_ = 0;  // that was copied
        std::size_t at_ = 0;
        std::size_t count_ = 0;
        const Node* next_ = nullptr;
        const char* low_ = nullptr;
        std::array<const char*, kFan> entries_{};
    };

private:
    struct InnerNode;
    /// Which leaf a reader goes down to: that of the key, that of what is below it, the last.
    enum class Toward : std::uint8_t { key, below_key, end };

    Node* new_node(bool is_leaf);
    void split(InnerNode& parent, std::size_t place, Node& node);
    static void put(Node& node, std::size_t place, const char* entry, Node* child) noexcept;

    /// @return the leaf, and its version as it was when it was the right one.
    [[nodiscard]] const Node* go_down(const BufferKey& key, Toward toward,
                                      std::uint32_t& version) const noexcept;

    const Allocate allocate_;
    TreeAtomics::Atomic<Node*> root_;
};

}  // namespace heddle::ledger
