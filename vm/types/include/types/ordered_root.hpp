// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Roots of Merkle-Patricia tries that are built once and thrown away (YP App. D, TRIE): the
// transactions, receipts and withdrawals of a block, and small states. A trie that changes and is
// asked again lives in the ledger.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>

#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/keccak_batch.hpp>

namespace heddle {

/// One key and its value; owns neither.
struct TrieItem {
    BytesView key;
    BytesView value;
};

/// Root of the trie that holds exactly `items`; kEmptyTrieRoot when there are none.
///
/// @param items    Strictly ascending by key, no value empty; anything else is a programming error.
/// Thread safety:  pure.
/// Complexity:     one Keccak per node, those of a level several at once; memory for all nodes.
/// Spec:           YP App. C, D.
[[nodiscard]] Hash trie_root(std::span<const TrieItem> items);

/// Root of the trie that maps RLP(i) to `values[i]`: transactions_root, receipts_root,
/// withdrawals_root (YP 4.3, eq. for H_t and H_e; EIP-4895).
///
/// @param values   Each in its canonical encoding; none empty, at most 2^32 of them.
/// Thread safety:  pure.
[[nodiscard]] Hash ordered_root(std::span<const Bytes> values);

/// How a node is referred to by the one above it (YP App. D, n): RLP of its hash, or the node
/// itself where it is shorter than a hash.
struct NodeReference {
    std::array<std::uint8_t, 33> bytes{};
    std::uint8_t size = 0;
};

/// Where a value stands in its list.
struct ListPlace {
    std::uint32_t index = 0;
    /// Of all values of the list. Not above `index`: it is not known, and many are expected.
    std::uint32_t count = 0;
};

/// A leaf of an ordered trie, hashed ahead of what is above it.
struct OrderedLeaf {
    NodeReference reference;
    /// How many nibbles of its key are above it; the others it holds itself. The first leaf and the
    /// last one have other depths in a trie of other size.
    std::uint8_t depth = 0;
};

/// Encodes and hashes, ahead of the root and several at once, the leaves of an ordered trie: most
/// of the work on its root.
///
/// Thread safety: none. Buffers are kept from value to value.
class OrderedLeaves {
public:
    /// Appends the encoding of the value at an index.
    using Encode = std::function<void(std::uint32_t, Bytes&)>;

    /// The value's encoding, which is not empty, is to be appended to what this gives.
    [[nodiscard]] Bytes& start();
    /// The leaf of the value started last, which stands at `place`, goes to `leaf`, which stays
    /// where it is, not later than with flush().
    void finish(ListPlace place, OrderedLeaf& leaf);
    void flush();

    /// Of `leaves`, which are all of a list, those that were hashed for a list of another length
    /// are hashed again where that matters to them: the first one and the last one at most, and
    /// each that was believed to be the last.
    /// @return how many.
    std::size_t correct(std::span<OrderedLeaf> leaves, const Encode& encode);

private:
    static constexpr std::size_t kMostLeaves = 64;
    /// Of a leaf before its value: prefixes of the list, of its path of at most 6 bytes and of its
    /// value.
    static constexpr std::size_t kMostHead = 9 + 7 + 9;
    /// What a cache of a core holds.
    static constexpr std::size_t kMostBytes = std::size_t{256} * 1024;

    Bytes value_;  // behind room for the head
    Bytes head_;
    Bytes path_;
    KeccakBatch batch_;
    std::array<NodeReference*, kMostLeaves> waiting_;  // for the hashes of the batch
    std::size_t waiting_bytes_ = 0;
};

/// ordered_root() of values whose leaves have been hashed ahead.
/// @param leaves  In order, at most 2^32, made for so many or corrected; anything else is a
///                programming error.
[[nodiscard]] Hash root_of_leaves(std::span<const OrderedLeaf> leaves);

}  // namespace heddle
