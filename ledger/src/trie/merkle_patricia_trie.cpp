// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "trie/merkle_patricia_trie.hpp"

#include <algorithm>

#include <types/assert.hpp>

namespace heddle::ledger {
namespace {

LeafNode& as_leaf(Node& node) noexcept {
    return static_cast<LeafNode&>(node);
}
ExtensionNode& as_extension(Node& node) noexcept {
    return static_cast<ExtensionNode&>(node);
}
BranchNode& as_branch(Node& node) noexcept {
    return static_cast<BranchNode&>(node);
}

/// A branch below `shared` nibbles: itself when there are none.
NodePtr below(NibblesView shared, NodePtr branch) {
    if (shared.empty()) return branch;
    return std::make_unique<ExtensionNode>(shared, std::move(branch));
}

/// Hangs a value into a fresh branch at `path`, which is relative to the branch.
void put(BranchNode& branch, NibblesView path, BytesView value) {
    if (path.empty())
        branch.value.assign(value.begin(), value.end());
    else
        branch.children[path[0]] = std::make_unique<LeafNode>(path.subspan(1), value);
}

bool insert_at(NodePtr& node, NibblesView path, BytesView value);

bool insert_at_leaf(NodePtr& node, NibblesView path, BytesView value) {
    LeafNode& leaf = as_leaf(*node);
    if (std::ranges::equal(leaf.path, path)) {
        if (equal(leaf.value, value)) return false;
        leaf.value.assign(value.begin(), value.end());
        return true;
    }
    const std::size_t shared = common_prefix(leaf.path, path);
    auto branch = std::make_unique<BranchNode>();
    put(*branch, NibblesView(leaf.path).subspan(shared), leaf.value);
    put(*branch, path.subspan(shared), value);
    node = below(path.first(shared), std::move(branch));
    return true;
}

bool insert_at_extension(NodePtr& node, NibblesView path, BytesView value) {
    ExtensionNode& extension = as_extension(*node);
    const std::size_t shared = common_prefix(extension.path, path);
    if (shared == extension.path.size())
        return insert_at(extension.child, path.subspan(shared), value);
    auto branch = std::make_unique<BranchNode>();
    const NibblesView rest = NibblesView(extension.path).subspan(shared);
    branch->children[rest[0]] = below(rest.subspan(1), std::move(extension.child));
    put(*branch, path.subspan(shared), value);
    node = below(path.first(shared), std::move(branch));
    return true;
}

bool insert_at_branch(BranchNode& branch, NibblesView path, BytesView value) {
    if (!path.empty()) return insert_at(branch.children[path[0]], path.subspan(1), value);
    if (equal(branch.value, value)) return false;
    branch.value.assign(value.begin(), value.end());
    return true;
}

/// @return whether anything changed: if not, cached references above stay good.
bool insert_at(NodePtr& node, NibblesView path, BytesView value) {
    if (node == nullptr) {
        node = std::make_unique<LeafNode>(path, value);
        return true;
    }
    bool changed = false;
    switch (node->kind) {
        case NodeKind::leaf:
            changed = insert_at_leaf(node, path, value);
            break;
        case NodeKind::extension:
            changed = insert_at_extension(node, path, value);
            break;
        case NodeKind::branch:
            changed = insert_at_branch(as_branch(*node), path, value);
            break;
    }
    if (changed) node->reference.size = 0;
    return changed;
}

/// Puts `prefix` in front of a subtree that lost its branch: paths of leaves and extensions grow,
/// a branch gets an extension.
NodePtr prepend(NibblesView prefix, NodePtr node) {
    if (node->kind == NodeKind::branch) return below(prefix, std::move(node));
    Nibbles& path = node->kind == NodeKind::leaf ? as_leaf(*node).path : as_extension(*node).path;
    path.insert(path.begin(), prefix.begin(), prefix.end());
    node->reference.size = 0;
    return node;
}

/// Replaces a branch that holds only one thing by that thing.
void collapse(NodePtr& node) {
    BranchNode& branch = as_branch(*node);
    NodePtr* only = nullptr;
    std::size_t count = branch.value.empty() ? 0 : 1;
    for (NodePtr& child : branch.children) {
        if (child == nullptr) continue;
        only = &child;
        ++count;
    }
    if (count >= 2) return;
    HEDDLE_ASSERT(count == 1);
    if (only == nullptr) {
        node = std::make_unique<LeafNode>(NibblesView{}, branch.value);
        return;
    }
    const auto nibble = static_cast<std::uint8_t>(only - branch.children.data());
    node = prepend(NibblesView(&nibble, 1), std::move(*only));
}

/// @return whether the key was there. `node` becomes null when nothing is left.
bool erase_at(NodePtr& node, NibblesView path) {
    if (node == nullptr) return false;
    switch (node->kind) {
        case NodeKind::leaf:
            if (!std::ranges::equal(as_leaf(*node).path, path)) return false;
            node = nullptr;
            return true;
        case NodeKind::extension: {
            ExtensionNode& extension = as_extension(*node);
            const std::size_t shared = common_prefix(extension.path, path);
            if (shared != extension.path.size() || !erase_at(extension.child, path.subspan(shared)))
                return false;
            // A branch never vanishes whole: it held two things at least.
            HEDDLE_ASSERT(extension.child != nullptr);
            const Nibbles prefix = std::move(extension.path);
            node = prepend(prefix, std::move(extension.child));
            break;
        }
        case NodeKind::branch: {
            BranchNode& branch = as_branch(*node);
            if (path.empty()) {
                if (branch.value.empty()) return false;
                branch.value.clear();
            } else if (!erase_at(branch.children[path[0]], path.subspan(1))) {
                return false;
            }
            collapse(node);
            break;
        }
    }
    node->reference.size = 0;
    return true;
}

}  // namespace

void MerklePatriciaTrie::insert(BytesView key, BytesView value) {
    HEDDLE_ASSERT(!value.empty());
    insert_at(root_, to_nibbles(key), value);
}

bool MerklePatriciaTrie::erase(BytesView key) {
    return erase_at(root_, to_nibbles(key));
}

BytesView MerklePatriciaTrie::get(BytesView key) const noexcept {
    const Nibbles nibbles = to_nibbles(key);
    NibblesView path = nibbles;
    const Node* node = root_.get();
    while (node != nullptr) {
        if (node->kind == NodeKind::leaf) {
            const auto& leaf = static_cast<const LeafNode&>(*node);
            return std::ranges::equal(leaf.path, path) ? BytesView(leaf.value) : BytesView();
        }
        if (node->kind == NodeKind::extension) {
            const auto& extension = static_cast<const ExtensionNode&>(*node);
            const std::size_t shared = common_prefix(extension.path, path);
            if (shared != extension.path.size()) return {};
            path = path.subspan(shared);
            node = extension.child.get();
            continue;
        }
        const auto& branch = static_cast<const BranchNode&>(*node);
        if (path.empty()) return branch.value;
        node = branch.children[path[0]].get();
        path = path.subspan(1);
    }
    return {};
}

Hash MerklePatriciaTrie::root() {
    if (root_ == nullptr) return kEmptyTrieRoot;
    refresh_reference(*root_, scratch_);
    const BytesView reference = root_->reference.view();
    // Short nodes are inlined everywhere but at the top.
    if (reference.size() < 33) return keccak256(reference);
    Hash hash;
    std::ranges::copy(reference.subspan(1), hash.bytes.begin());
    return hash;
}

}  // namespace heddle::ledger
