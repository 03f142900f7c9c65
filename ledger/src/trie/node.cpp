// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "trie/node.hpp"

#include <algorithm>

#include <types/rlp.hpp>

namespace heddle::ledger {
namespace {

void encode_path(NibblesView path, bool is_leaf, Bytes& out) {
    Bytes encoded;
    hex_prefix(path, is_leaf, encoded);
    rlp::encode_string(encoded, out);
}

/// RLP of the node; the references of its children are up to date.
void encode_node(const Node& node, Bytes& out) {
    const std::size_t begin = out.size();
    switch (node.kind) {
        case NodeKind::leaf: {
            const auto& leaf = static_cast<const LeafNode&>(node);
            encode_path(leaf.path, true, out);
            rlp::encode_string(leaf.value, out);
            break;
        }
        case NodeKind::extension: {
            const auto& extension = static_cast<const ExtensionNode&>(node);
            encode_path(extension.path, false, out);
            const BytesView child = extension.child->reference.view();
            out.insert(out.end(), child.begin(), child.end());
            break;
        }
        case NodeKind::branch: {
            const auto& branch = static_cast<const BranchNode&>(node);
            for (const NodePtr& child : branch.children) {
                if (child == nullptr) {
                    out.push_back(0x80);
                    continue;
                }
                const BytesView reference = child->reference.view();
                out.insert(out.end(), reference.begin(), reference.end());
            }
            rlp::encode_string(branch.value, out);
            break;
        }
    }
    rlp::wrap_list(begin, out);
}

}  // namespace

void refresh_reference(Node& node, Bytes& scratch) {
    if (!node.reference.is_stale()) return;
    if (node.kind == NodeKind::extension) {
        refresh_reference(*static_cast<ExtensionNode&>(node).child, scratch);
    } else if (node.kind == NodeKind::branch) {
        for (const NodePtr& child : static_cast<BranchNode&>(node).children)
            if (child != nullptr) refresh_reference(*child, scratch);
    }

    scratch.clear();
    encode_node(node, scratch);
    if (scratch.size() >= 32) {
        const Hash hash = keccak256(scratch);
        scratch.clear();
        rlp::encode_hash(hash, scratch);
    }
    std::ranges::copy(scratch, node.reference.bytes.begin());
    node.reference.size = static_cast<std::uint8_t>(scratch.size());
}

}  // namespace heddle::ledger
