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

/// Encodes and hashes, ahead of the root and several at once, the leaves that hold values where
/// nothing is left of their keys: nearly all leaves of an ordered trie, and most of the work on its
/// root.
///
/// Thread safety: none. Buffers are kept from value to value.
class OrderedLeaves {
public:
    /// The value's encoding, which is not empty, is to be appended to what this gives.
    [[nodiscard]] Bytes& start();
    /// The leaf of the value started last goes to `reference`, which stays where it is, not later
    /// than with flush().
    void finish(NodeReference& reference);
    void flush();

private:
    static constexpr std::size_t kMostLeaves = 64;
    /// Of a leaf before its value: two prefixes and a path.
    static constexpr std::size_t kMostHead = 9 + 1 + 9;
    /// What a cache of a core holds.
    static constexpr std::size_t kMostBytes = std::size_t{256} * 1024;

    Bytes value_;  // behind room for the head
    Bytes head_;
    KeccakBatch batch_;
    std::array<NodeReference*, kMostLeaves> waiting_;  // for the hashes of the batch
    std::size_t waiting_bytes_ = 0;
};

/// ordered_root() of values whose leaves have been hashed ahead.
/// @param leaves  The OrderedLeaves of the values, in order; at most 2^32.
/// @param encode  Appends a value's encoding; asked for the few whose leaf is another one.
[[nodiscard]] Hash ordered_root(std::span<const NodeReference> leaves,
                                const std::function<void(std::uint32_t, Bytes&)>& encode);

}  // namespace heddle
