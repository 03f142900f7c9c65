// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Trie nodes (YP App. D) that came from somebody else, taken apart: bounded, strict, and without
// memory of their own. Whether a node has the hash by which it is known is the caller's business.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include <types/bytes.hpp>
#include <types/hash.hpp>

#include "trie/node_rlp.hpp"

namespace heddle::ledger {

/// A node's items, prefixes included. Two of them: a leaf or an extension; 17: a branch.
struct NodeItems {
    std::array<BytesView, 17> raw;
    std::size_t count = 0;

    [[nodiscard]] bool is_branch() const noexcept { return count == raw.size(); }
    /// With keys of one length no branch has a value.
    [[nodiscard]] bool has_value() const noexcept { return !is_absent(raw[16]); }
    /// Whether an item of a branch stands for nothing.
    [[nodiscard]] static bool is_absent(BytesView item) noexcept {
        return item.size() == 1 && item[0] == 0x80;
    }
};

/// nullopt: no RLP of a node.
[[nodiscard]] std::optional<NodeItems> split_node(BytesView node);

/// The bytes of an item that is a string; nullopt: it is none.
[[nodiscard]] std::optional<BytesView> string_item(BytesView raw);

struct NodePath {
    NibblePath nibbles;
    bool is_leaf = false;
};
/// Inverse of HP (YP App. C). nullopt: not the encoding of a path.
[[nodiscard]] std::optional<NodePath> decode_path(BytesView raw);

/// What an item that refers to a node says: the node itself where it is embedded, or its hash.
struct NodeLink {
    BytesView embedded;  // empty: it has a hash
    Hash hash;
};
/// nullopt: no reference to a node.
[[nodiscard]] std::optional<NodeLink> decode_link(BytesView raw);

}  // namespace heddle::ledger
