// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <types/ordered_root.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <types/assert.hpp>
#include <types/keccak_batch.hpp>
#include <types/rlp.hpp>

#include "rlp_size.hpp"

namespace heddle {
namespace {

/// What is shorter stands in its parent itself.
constexpr std::size_t kMinHashedSize = 32;

/// A key with its value, or with its leaf hashed ahead and the value in reserve.
struct Item {
    BytesView key;
    BytesView value;
    const NodeReference* leaf = nullptr;
    std::uint32_t index = 0;
};
using Items = std::span<const Item>;
using Encode = std::function<void(std::uint32_t, Bytes&)>;

std::size_t nibble_count(BytesView key) noexcept {
    return 2 * key.size();
}

std::uint8_t nibble_at(BytesView key, std::size_t index) noexcept {
    const std::uint8_t byte = key[index / 2];
    return index % 2 == 0 ? byte >> 4 : byte & 0x0f;
}

NodeReference reference_to(const Hash& hash) noexcept {
    NodeReference reference;
    reference.bytes[0] = 0xa0;  // a string of 32 bytes
    std::ranges::copy(hash.bytes, reference.bytes.begin() + 1);
    reference.size = 33;
    return reference;
}

/// Makes the root of a trie level by level: nodes are found from the top down and hashed from the
/// bottom up, those of a level together. Of what is hashed nothing is kept but references.
class RootBuilder {
public:
    /// `encode` may be empty where no leaf was hashed ahead.
    RootBuilder(Items items, const Encode& encode) : items_(items), encode_(encode) {}

    Hash root() {
        if (items_.empty()) return kEmptyTrieRoot;
        find_nodes();
        references_.resize(nodes_.size());
        for (std::size_t level = levels_.size(); level > 0; --level) {
            const std::size_t end = level < levels_.size() ? levels_[level] : nodes_.size();
            hash_nodes(levels_[level - 1], end);
        }
        return root_;
    }

private:
    /// All items whose keys share their first `depth` nibbles, n(items, depth) of YP App. D.
    struct Node {
        std::size_t begin;
        std::size_t count;
        std::size_t depth;
        std::size_t first_child = 0;  // its other children follow
    };
    static constexpr std::size_t kBatch = 32;  // nodes hashed together

    [[nodiscard]] Items items_of(const Node& node) const noexcept {
        return items_.subspan(node.begin, node.count);
    }

    void find_nodes() {
        nodes_.push_back({.begin = 0, .count = items_.size(), .depth = 0});
        for (std::size_t begin = 0; begin < nodes_.size();) {
            levels_.push_back(begin);
            const std::size_t end = nodes_.size();
            for (; begin < end; ++begin)
                find_children(begin);
        }
    }

    void find_children(std::size_t index) {
        Node& node = nodes_[index];
        node.first_child = nodes_.size();
        if (node.count == 1) return;
        const Node parent = node;
        const std::size_t end = shared_nibbles(items_of(parent), parent.depth);
        if (end != parent.depth) {
            nodes_.push_back({.begin = parent.begin, .count = parent.count, .depth = end});
            return;
        }
        for_each_child(parent, [&](std::uint8_t, const Node& child) {
            if (find_leaf(child) == nullptr) nodes_.push_back(child);
        });
    }

    /// Where the key of a branch's own value ends, which comes before all longer keys.
    [[nodiscard]] bool has_value(const Node& branch) const noexcept {
        return nibble_count(items_[branch.begin].key) == branch.depth;
    }

    /// `visit(nibble, child)` for the children of a branch.
    template <typename Visit>
    void for_each_child(const Node& branch, Visit&& visit) const {
        const std::size_t end = branch.begin + branch.count;
        for (std::size_t begin = branch.begin + (has_value(branch) ? 1 : 0); begin < end;) {
            const std::uint8_t nibble = nibble_at(items_[begin].key, branch.depth);
            std::size_t next = begin + 1;
            while (next < end && nibble_at(items_[next].key, branch.depth) == nibble)
                ++next;
            visit(nibble, Node{begin, next - begin, branch.depth + 1});
            begin = next;
        }
    }

    /// The leaf hashed ahead that the node is, if it is one.
    [[nodiscard]] const NodeReference* find_leaf(const Node& node) const noexcept {
        const Item& item = items_[node.begin];
        const bool is_leaf = node.count == 1 && nibble_count(item.key) == node.depth;
        return is_leaf ? item.leaf : nullptr;
    }

    void hash_nodes(std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            out_.clear();
            append_node(nodes_[i]);
            if (out_.size() < kMinHashedSize && i != 0) {
                std::ranges::copy(out_, references_[i].bytes.begin());
                references_[i].size = static_cast<std::uint8_t>(out_.size());
                continue;
            }
            batch_.add(out_);
            batched_[batch_.size() - 1] = i;
            if (batch_.size() == kBatch) hash_batch();
        }
        hash_batch();
    }

    void hash_batch() {
        std::array<Hash, kBatch> hashes;
        const std::size_t count = batch_.size();
        batch_.run(std::span(hashes).first(count));
        for (std::size_t i = 0; i < count; ++i) {
            references_[batched_[i]] = reference_to(hashes[i]);
            if (batched_[i] == 0) root_ = hashes[i];
        }
    }

    /// Appends c(items, depth) of YP App. D; references to children are known.
    void append_node(const Node& node) {
        if (node.count == 1) return append_leaf(items_[node.begin], node.depth);
        const std::size_t end = shared_nibbles(items_of(node), node.depth);
        if (end == node.depth) return append_branch(node);
        make_path(items_[node.begin].key, node.depth, end, false);
        const NodeReference& child = references_[node.first_child];
        rlp::encode_list_header(rlp::size_of(path_) + child.size, out_);
        rlp::encode_string(path_, out_);
        append(child);
    }

    void append_leaf(const Item& item, std::size_t depth) {
        make_path(item.key, depth, nibble_count(item.key), true);
        BytesView value = item.value;
        if (item.leaf != nullptr) {
            value_.clear();
            encode_(item.index, value_);
            value = value_;
        }
        rlp::encode_list_header(rlp::size_of(path_) + rlp::size_of(value), out_);
        rlp::encode_string(path_, out_);
        rlp::encode_string(value, out_);
    }

    void append_branch(const Node& branch) {
        std::array<const NodeReference*, 16> children{};
        std::size_t size = 16;  // a byte for each child that is not there
        std::size_t next = branch.first_child;
        for_each_child(branch, [&](std::uint8_t nibble, const Node& child) {
            const NodeReference* const leaf = find_leaf(child);
            children[nibble] = leaf != nullptr ? leaf : &references_[next++];
            size += children[nibble]->size - 1u;
        });
        const BytesView value = has_value(branch) ? items_[branch.begin].value : BytesView{};
        rlp::encode_list_header(size + rlp::size_of(value), out_);
        for (const NodeReference* const child : children) {
            if (child == nullptr)
                out_.push_back(0x80);
            else
                append(*child);
        }
        rlp::encode_string(value, out_);
    }

    void append(const NodeReference& reference) {
        out_.insert(out_.end(), reference.bytes.begin(), reference.bytes.begin() + reference.size);
    }

    /// The first position at which not all keys agree. Keys are sorted, so the outer two decide.
    static std::size_t shared_nibbles(Items items, std::size_t depth) noexcept {
        const BytesView first = items.front().key;
        const BytesView last = items.back().key;
        const std::size_t limit = std::min(nibble_count(first), nibble_count(last));
        while (depth < limit && nibble_at(first, depth) == nibble_at(last, depth))
            ++depth;
        return depth;
    }

    /// Hex-prefix encoding of nibbles [begin, end) of `key` (YP App. C) into `path_`.
    void make_path(BytesView key, std::size_t begin, std::size_t end, bool is_leaf) {
        path_.clear();
        std::uint8_t flag = is_leaf ? 0x20 : 0x00;
        if ((end - begin) % 2 != 0) {
            flag |= static_cast<std::uint8_t>(0x10 | nibble_at(key, begin));
            ++begin;
        }
        path_.push_back(flag);
        for (; begin < end; begin += 2)
            path_.push_back(
                static_cast<std::uint8_t>(nibble_at(key, begin) << 4 | nibble_at(key, begin + 1)));
    }

    const Items items_;
    const Encode& encode_;
    std::vector<Node> nodes_;          // level by level
    std::vector<std::size_t> levels_;  // where they begin
    std::vector<NodeReference> references_;
    KeccakBatch batch_;
    std::array<std::size_t, kBatch> batched_;  // nodes
    Hash root_;
    Bytes out_;
    Bytes path_;
    Bytes value_;
};

/// RLP of a position in a list: at most 5 bytes.
struct IndexKey {
    std::array<std::uint8_t, 5> bytes{};
    std::uint8_t size = 0;
};

IndexKey index_key(std::uint32_t index) noexcept {
    IndexKey key;
    const auto push = [&key](std::uint32_t byte) {
        key.bytes[key.size++] = static_cast<std::uint8_t>(byte);
    };
    if (index == 0) {
        push(0x80);
    } else if (index < 0x80) {
        push(index);
    } else {
        std::uint32_t length = 1;
        while (length < 4 && index >> (8 * length) != 0)
            ++length;
        push(0x80 + length);
        while (length != 0)
            push(index >> (8 * --length));
    }
    return key;
}

/// Positions below `count` in the order of their keys: RLP sorts 1..127 (the byte itself) before 0
/// (0x80), and both before all longer numbers, which sort by length and then by value.
template <typename Visit>
void for_each_by_key(std::uint32_t count, Visit&& visit) {
    for (std::uint32_t index = 1; index < std::min(count, 0x80u); ++index)
        visit(index);
    if (count != 0) visit(0u);
    for (std::uint32_t index = 0x80; index < count; ++index)
        visit(index);
}

/// `fill(item)` completes each item of the ordered trie.
template <typename Fill>
Hash root_by_index(std::size_t size, const Encode& encode, Fill&& fill) {
    HEDDLE_ASSERT(size <= UINT32_MAX);
    const auto count = static_cast<std::uint32_t>(size);
    std::vector<IndexKey> keys(count);
    std::vector<Item> items;
    items.reserve(count);
    for_each_by_key(count, [&](std::uint32_t index) {
        keys[index] = index_key(index);
        Item& item = items.emplace_back();
        item.key = BytesView(keys[index].bytes).first(keys[index].size);
        item.index = index;
        fill(item);
    });
    return RootBuilder(items, encode).root();
}

}  // namespace

Hash trie_root(std::span<const TrieItem> items) {
    const Encode encode;
    std::vector<Item> copies;
    copies.reserve(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        HEDDLE_ASSERT(!items[i].value.empty());
        HEDDLE_ASSERT(i == 0 ||
                      std::ranges::lexicographical_compare(items[i - 1].key, items[i].key));
        copies.push_back({items[i].key, items[i].value, nullptr, 0});
    }
    return RootBuilder(copies, encode).root();
}

Hash ordered_root(std::span<const Bytes> values) {
    return root_by_index(values.size(), {}, [&](Item& item) {
        HEDDLE_ASSERT(!values[item.index].empty());
        item.value = values[item.index];
    });
}

Bytes& OrderedLeaves::start() {
    value_.resize(kMostHead);
    return value_;
}

void OrderedLeaves::finish(NodeReference& reference) {
    static constexpr std::uint8_t kEmptyLeafPath = 0x20;  // YP App. C: a leaf, no nibbles
    const BytesView value = BytesView{value_}.subspan(kMostHead);
    HEDDLE_ASSERT(!value.empty());
    head_.clear();
    rlp::encode_list_header(1 + rlp::size_of(value), head_);
    head_.push_back(kEmptyLeafPath);
    if (rlp::size_of(value) != 1) rlp::encode_string_header(value.size(), head_);
    HEDDLE_ASSERT(head_.size() <= kMostHead);
    const std::size_t begin = kMostHead - head_.size();
    std::ranges::copy(head_, value_.begin() + static_cast<std::ptrdiff_t>(begin));
    const BytesView node = BytesView{value_}.subspan(begin);
    if (node.size() < kMinHashedSize) {
        std::ranges::copy(node, reference.bytes.begin());
        reference.size = static_cast<std::uint8_t>(node.size());
        return;
    }
    // Nothing is gained by hashing it beside others, and buffers of its size would stay for good: a
    // receipt may have hundreds of megabytes of logs.
    if (node.size() > kMostBytes) {
        reference = reference_to(keccak256(node));
        value_ = Bytes{};
        return;
    }
    batch_.add(node);
    waiting_[batch_.size() - 1] = &reference;
    waiting_bytes_ += node.size();
    if (batch_.size() == kMostLeaves || waiting_bytes_ >= kMostBytes) flush();
}

void OrderedLeaves::flush() {
    std::array<Hash, kMostLeaves> hashes;
    const std::size_t count = batch_.size();
    batch_.run(std::span(hashes).first(count));
    for (std::size_t i = 0; i < count; ++i)
        *waiting_[i] = reference_to(hashes[i]);
    waiting_bytes_ = 0;
}

Hash ordered_root(std::span<const NodeReference> leaves,
                  const std::function<void(std::uint32_t, Bytes&)>& encode) {
    return root_by_index(leaves.size(), encode,
                         [&](Item& item) { item.leaf = &leaves[item.index]; });
}

}  // namespace heddle
