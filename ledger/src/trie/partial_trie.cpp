// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "trie/partial_trie.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include <types/assert.hpp>
#include <types/rlp.hpp>

#include "trie/key_walk.hpp"

namespace heddle::ledger {
namespace {

struct PartialNode;
using PartialNodePtr = std::unique_ptr<PartialNode>;

enum class PartialKind : std::uint8_t {
    unknown,         // its hash is known, and nothing else
    unknown_branch,  // the same, but it hangs from an extension
    leaf,
    extension,  // its child is the first
    branch,
};

struct PartialNode {
    explicit PartialNode(PartialKind node_kind) : kind(node_kind) {}

    PartialKind kind;
    Nibbles path;  // of a leaf and an extension
    Bytes value;   // of a leaf
    std::array<PartialNodePtr, 16> children;
    Hash hash;        // of an unknown one
    Bytes reference;  // as it stands in the node above; empty: to be made
};

bool is_unknown(const PartialNode& node) noexcept {
    return node.kind == PartialKind::unknown || node.kind == PartialKind::unknown_branch;
}

PartialNodePtr make_leaf(NibblesView path, BytesView value) {
    auto leaf = std::make_unique<PartialNode>(PartialKind::leaf);
    leaf->path.assign(path.begin(), path.end());
    leaf->value.assign(value.begin(), value.end());
    return leaf;
}

PartialNodePtr make_extension(NibblesView path, PartialNodePtr child) {
    if (path.empty()) return child;
    auto extension = std::make_unique<PartialNode>(PartialKind::extension);
    extension->path.assign(path.begin(), path.end());
    extension->children[0] = std::move(child);
    return extension;
}

// --- Out of RLP ----------------------------------------------------------------------------------

PartialNodePtr decode_node(BytesView rlp, std::size_t depth);

/// Null: malformed.
PartialNodePtr decode_child(BytesView raw, std::size_t depth, PartialKind kind) {
    const auto link = decode_link(raw);
    if (!link.has_value()) return nullptr;
    PartialNodePtr child;
    if (link->embedded.empty()) {
        child = std::make_unique<PartialNode>(kind);
        child->hash = link->hash;
    } else {
        child = decode_node(link->embedded, depth);
        const bool fits =
            child && (kind == PartialKind::unknown || child->kind == PartialKind::branch);
        if (!fits) return nullptr;
    }
    child->reference.assign(raw.begin(), raw.end());
    return child;
}

/// A node behind `depth` nibbles; null: malformed. What is embedded in it comes with it: nodes in
/// nodes are few, for all of them together are shorter than a hash.
PartialNodePtr decode_node(BytesView rlp, std::size_t depth) {
    const auto items = split_node(rlp);
    if (!items.has_value()) return nullptr;
    if (items->is_branch()) {
        if (depth >= kKeyNibbles || items->has_value()) return nullptr;
        auto branch = std::make_unique<PartialNode>(PartialKind::branch);
        for (std::size_t nibble = 0; nibble < branch->children.size(); ++nibble) {
            const BytesView raw = items->raw[nibble];
            if (NodeItems::is_absent(raw)) continue;
            branch->children[nibble] = decode_child(raw, depth + 1, PartialKind::unknown);
            if (!branch->children[nibble]) return nullptr;
        }
        return branch;
    }
    const auto path = decode_path(items->raw[0]);
    if (!path.has_value()) return nullptr;
    const std::size_t end = depth + path->nibbles.size;
    if (path->is_leaf) {
        const auto value = string_item(items->raw[1]);
        if (end != kKeyNibbles || !value.has_value() || value->empty()) return nullptr;
        return make_leaf(path->nibbles.view(), *value);
    }
    if (path->nibbles.size == 0 || end >= kKeyNibbles) return nullptr;
    auto child = decode_child(items->raw[1], end, PartialKind::unknown_branch);
    return child ? make_extension(path->nibbles.view(), std::move(child)) : nullptr;
}

// --- Into RLP ------------------------------------------------------------------------------------

void refer_to(PartialNode& node, Bytes& out);

void encode_node(PartialNode& node, Bytes& out) {
    const std::size_t begin = out.size();
    const auto add_path = [&] {
        Bytes encoded;
        hex_prefix(node.path, node.kind == PartialKind::leaf, encoded);
        rlp::encode_string(encoded, out);
    };
    if (node.kind == PartialKind::leaf) {
        add_path();
        rlp::encode_string(node.value, out);
    } else if (node.kind == PartialKind::extension) {
        add_path();
        refer_to(*node.children[0], out);
    } else {
        HEDDLE_ASSERT(node.kind == PartialKind::branch);
        for (const PartialNodePtr& child : node.children) {
            if (child)
                refer_to(*child, out);
            else
                out.push_back(0x80);
        }
        out.push_back(0x80);
    }
    rlp::wrap_list(begin, out);
}

/// Appends what stands for the node in the one above it.
void refer_to(PartialNode& node, Bytes& out) {
    if (node.reference.empty()) {
        Bytes encoded;
        encode_node(node, encoded);
        if (encoded.size() < kReferenceSize)
            node.reference = std::move(encoded);
        else
            rlp::encode_hash(keccak256(encoded), node.reference);
    }
    out.insert(out.end(), node.reference.begin(), node.reference.end());
}

// --- Changes -------------------------------------------------------------------------------------

using Writes = std::span<const TrieWrite>;

/// Something that the changed trie holds: written, or there before.
struct Item {
    Hash key;
    BytesView value;
};
using Items = std::span<const Item>;

NibblesView rest_of(const NibblePath& path, std::size_t depth) {
    return path.view().subspan(depth);
}

/// The calls that go down take as many levels as keys have nibbles, at most.
PartialNodePtr build(Items items, std::size_t depth) {
    if (items.empty()) return nullptr;
    const NibblePath first = path_of(items.front().key.bytes.data(), 0, kKeyNibbles);
    if (items.size() == 1) return make_leaf(rest_of(first, depth), items.front().value);
    const std::size_t shared =
        shared_nibbles(items.front().key.bytes.data(), items.back().key.bytes.data());
    auto branch = std::make_unique<PartialNode>(PartialKind::branch);
    for (std::size_t begin = 0; begin < items.size();) {
        const std::uint8_t nibble = nibble_at(items[begin].key.bytes.data(), shared);
        std::size_t end = begin + 1;
        while (end < items.size() && nibble_at(items[end].key.bytes.data(), shared) == nibble)
            ++end;
        branch->children[nibble] = build(items.subspan(begin, end - begin), shared + 1);
        begin = end;
    }
    return make_extension(rest_of(first, depth).first(shared - depth), std::move(branch));
}

/// An extension as a branch with one child, which settle() undoes where it stays the only one.
PartialNodePtr open_extension(PartialNodePtr extension) {
    auto branch = std::make_unique<PartialNode>(PartialKind::branch);
    const NibblesView path = extension->path;
    branch->children[path[0]] = make_extension(path.subspan(1), std::move(extension->children[0]));
    return branch;
}

class Update {
public:
    explicit Update(const NodeTable& nodes) : nodes_(nodes) {}

    [[nodiscard]] PartialNodePtr apply(PartialNodePtr node, Writes writes, std::size_t depth) {
        if (writes.empty()) return node;
        if (node) reveal(node, path_of(writes.front().key.bytes.data(), 0, depth));
        if (!node || node->kind == PartialKind::leaf) return rebuild(node.get(), writes, depth);
        if (is_unknown(*node)) return node;
        if (node->kind == PartialKind::extension) node = open_extension(std::move(node));
        node->reference.clear();
        for (std::size_t begin = 0; begin < writes.size();) {
            const std::uint8_t nibble = nibble_at(writes[begin].key.bytes.data(), depth);
            std::size_t end = begin + 1;
            while (end < writes.size() && nibble_at(writes[end].key.bytes.data(), depth) == nibble)
                ++end;
            PartialNodePtr& child = node->children[nibble];
            child = apply(std::move(child), writes.subspan(begin, end - begin), depth + 1);
            begin = end;
        }
        return settle(std::move(node), path_of(writes.front().key.bytes.data(), 0, depth));
    }

    [[nodiscard]] std::vector<TrieGap> take_gaps() noexcept { return std::move(gaps_); }

private:
    /// Puts the node itself in the place of an unknown one; without it a gap is noted.
    void reveal(PartialNodePtr& node, const NibblePath& path) {
        if (!is_unknown(*node)) return;
        const auto found = nodes_.find(node->hash);
        if (found == nodes_.end()) {
            gaps_.push_back({path, node->hash, false});
            return;
        }
        PartialNodePtr known = decode_node(found->second, path.size);
        const bool fits = known && (node->kind != PartialKind::unknown_branch ||
                                    known->kind == PartialKind::branch);
        if (!fits) {
            gaps_.push_back({path, node->hash, true});
            return;
        }
        known->reference = std::move(node->reference);
        node = std::move(known);
    }

    /// What becomes of nothing, or of a leaf.
    static PartialNodePtr rebuild(const PartialNode* leaf, Writes writes, std::size_t depth) {
        std::vector<Item> items;
        std::optional<Item> old;
        if (leaf != nullptr) {
            NibblePath path = path_of(writes.front().key.bytes.data(), 0, depth);
            path.append(leaf->path);
            const Bytes key = from_nibbles(path.view());
            old.emplace();
            std::ranges::copy(key, old->key.bytes.begin());
            old->value = leaf->value;
        }
        for (const TrieWrite& write : writes) {
            if (old.has_value() && old->key < write.key) {
                items.push_back(*old);
                old.reset();
            } else if (old.has_value() && old->key == write.key) {
                old.reset();
            }
            if (!write.value.empty()) items.push_back({write.key, write.value});
        }
        if (old.has_value()) items.push_back(*old);
        return build(items, depth);
    }

    /// Takes out a branch that has a single child, or none. `path` leads to it.
    PartialNodePtr settle(PartialNodePtr branch, NibblePath path) {
        PartialNodePtr* only = nullptr;
        std::size_t count = 0;
        for (PartialNodePtr& child : branch->children) {
            if (!child) continue;
            only = &child;
            ++count;
        }
        if (count == 0) return nullptr;
        if (count > 1) return branch;
        const auto nibble = static_cast<std::uint8_t>(only - branch->children.data());
        if ((*only)->kind == PartialKind::unknown) {
            path.push_back(nibble);
            reveal(*only, path);
            if ((*only)->kind == PartialKind::unknown) return branch;
        }
        PartialNodePtr child = std::move(*only);
        if (child->kind != PartialKind::leaf && child->kind != PartialKind::extension)
            return make_extension({&nibble, 1}, std::move(child));
        child->path.insert(child->path.begin(), nibble);
        child->reference.clear();
        return child;
    }

    const NodeTable& nodes_;
    std::vector<TrieGap> gaps_;
};

}  // namespace

std::expected<std::optional<Bytes>, ProofError> find_value(const NodeTable& nodes, const Hash& root,
                                                           const Hash& key) {
    if (root == kEmptyTrieRoot) return std::nullopt;
    const auto find = [&](const Hash& hash) -> std::expected<BytesView, ProofError> {
        const auto found = nodes.find(hash);
        if (found == nodes.end()) return std::unexpected(ProofError::node_missing);
        return BytesView(found->second);
    };
    return KeyWalk(key, find).run(root);
}

std::expected<Hash, std::vector<TrieGap>> root_after(const NodeTable& nodes, const Hash& root,
                                                     std::span<const TrieWrite> writes) {
    if (writes.empty()) return root;
    PartialNodePtr top;
    if (root != kEmptyTrieRoot) {
        top = std::make_unique<PartialNode>(PartialKind::unknown);
        top->hash = root;
    }
    Update update(nodes);
    top = update.apply(std::move(top), writes, 0);
    if (auto gaps = update.take_gaps(); !gaps.empty()) return std::unexpected(std::move(gaps));
    if (!top) return kEmptyTrieRoot;
    Bytes encoded;
    encode_node(*top, encoded);
    return keccak256(encoded);
}

}  // namespace heddle::ledger
