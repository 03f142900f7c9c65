// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The three kinds of trie nodes (YP App. D) as plain structures, and how a parent refers to one.
// How they are put together is merkle_patricia_trie.hpp's business.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include <types/bytes.hpp>
#include <types/hash.hpp>

#include "trie/nibbles.hpp"

namespace heddle::ledger {

/// What stands for a node inside its parent: its RLP if that is shorter than 32 bytes, else the RLP
/// of its hash. Empty: stale, to be computed again.
struct NodeReference {
    std::array<std::uint8_t, 33> bytes{};
    std::uint8_t size = 0;

    [[nodiscard]] bool is_stale() const noexcept { return size == 0; }
    [[nodiscard]] BytesView view() const noexcept { return BytesView(bytes).first(size); }
};

enum class NodeKind : std::uint8_t { leaf, extension, branch };

/// Invariant: `reference` is stale or describes the node as it is; a node above a stale one is
/// stale.
struct Node {
    explicit Node(NodeKind node_kind) noexcept : kind(node_kind) {}
    virtual ~Node() = default;
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

    const NodeKind kind;
    NodeReference reference;
};
using NodePtr = std::unique_ptr<Node>;

struct LeafNode final : Node {
    LeafNode(NibblesView rest, BytesView content)
        : Node(NodeKind::leaf),
          path(rest.begin(), rest.end()),
          value(content.begin(), content.end()) {}
    Nibbles path;  // may be empty
    Bytes value;   // never empty
};

struct ExtensionNode final : Node {
    ExtensionNode(NibblesView shared, NodePtr next)
        : Node(NodeKind::extension), path(shared.begin(), shared.end()), child(std::move(next)) {}
    Nibbles path;   // never empty
    NodePtr child;  // always a branch
};

/// Invariant: at least two of the children and the value are there.
struct BranchNode final : Node {
    BranchNode() noexcept : Node(NodeKind::branch) {}
    std::array<NodePtr, 16> children;
    Bytes value;  // empty: no key ends here
};

/// Brings `node.reference` and all below it up to date. Recursion is as deep as the trie.
/// @param scratch  Overwritten; kept by the caller so that its memory is used again.
void refresh_reference(Node& node, Bytes& scratch);

}  // namespace heddle::ledger
