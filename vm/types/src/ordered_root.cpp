// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <types/ordered_root.hpp>

#include <algorithm>
#include <array>
#include <bit>
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

/// A key with its value, or with its leaf hashed ahead.
struct Item {
    BytesView key;
    BytesView value;
    const OrderedLeaf* leaf = nullptr;
    std::uint32_t index = 0;
};
using Items = std::span<const Item>;

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

/// Of the node that is referred to: a root is hashed though it may be short.
Hash hash_of(const NodeReference& reference) noexcept {
    if (reference.size < 33) return keccak256(BytesView(reference.bytes).first(reference.size));
    Hash hash;
    std::ranges::copy(BytesView(reference.bytes).subspan(1), hash.bytes.begin());
    return hash;
}

/// How many nibbles two keys that differ share, from nibble `from` on, before which they agree.
std::size_t shared_nibbles(BytesView a, BytesView b, std::size_t from) noexcept {
    const std::size_t limit = std::min(nibble_count(a), nibble_count(b));
    while (from < limit && nibble_at(a, from) == nibble_at(b, from))
        ++from;
    return from;
}

/// Hex-prefix encoding of the nibbles of `key` from `begin` to `end` (YP App. C).
void make_path(BytesView key, std::size_t begin, std::size_t end, bool is_leaf, Bytes& path) {
    path.clear();
    std::uint8_t flag = is_leaf ? 0x20 : 0x00;
    if ((end - begin) % 2 != 0) {
        flag |= static_cast<std::uint8_t>(0x10 | nibble_at(key, begin));
        ++begin;
    }
    path.push_back(flag);
    for (; begin < end; begin += 2)
        path.push_back(
            static_cast<std::uint8_t>(nibble_at(key, begin) << 4 | nibble_at(key, begin + 1)));
}

/// Makes the root of a trie level by level: nodes are found from the top down and hashed from the
/// bottom up, those of a level together. Of what is hashed nothing is kept but references.
class RootBuilder {
public:
    explicit RootBuilder(Items items) : items_(items) {}

    Hash root() {
        if (items_.empty()) return kEmptyTrieRoot;
        if (const OrderedLeaf* const leaf = find_leaf({.begin = 0, .count = items_.size()}))
            return hash_of(leaf->reference);
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
        std::size_t depth = 0;
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
        const std::size_t end = shared_end(parent);
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
    [[nodiscard]] const OrderedLeaf* find_leaf(const Node& node) const noexcept {
        if (node.count != 1) return nullptr;
        const OrderedLeaf* const leaf = items_[node.begin].leaf;
        HEDDLE_ASSERT(leaf == nullptr || leaf->depth == node.depth);
        return leaf;
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
        const std::size_t end = shared_end(node);
        if (end == node.depth) return append_branch(node);
        make_path(items_[node.begin].key, node.depth, end, false, path_);
        const NodeReference& child = references_[node.first_child];
        rlp::encode_list_header(rlp::size_of(path_) + child.size, out_);
        rlp::encode_string(path_, out_);
        append(child);
    }

    void append_leaf(const Item& item, std::size_t depth) {
        make_path(item.key, depth, nibble_count(item.key), true, path_);
        rlp::encode_list_header(rlp::size_of(path_) + rlp::size_of(item.value), out_);
        rlp::encode_string(path_, out_);
        rlp::encode_string(item.value, out_);
    }

    void append_branch(const Node& branch) {
        std::array<const NodeReference*, 16> children{};
        std::size_t size = 16;  // a byte for each child that is not there
        std::size_t next = branch.first_child;
        for_each_child(branch, [&](std::uint8_t nibble, const Node& child) {
            const OrderedLeaf* const leaf = find_leaf(child);
            children[nibble] = leaf != nullptr ? &leaf->reference : &references_[next++];
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
    [[nodiscard]] std::size_t shared_end(const Node& node) const noexcept {
        const Items items = items_of(node);
        return shared_nibbles(items.front().key, items.back().key, node.depth);
    }

    const Items items_;
    std::vector<Node> nodes_;          // level by level
    std::vector<std::size_t> levels_;  // where they begin
    std::vector<NodeReference> references_;
    KeccakBatch batch_;
    std::array<std::size_t, kBatch> batched_;  // nodes
    Hash root_;
    Bytes out_;
    Bytes path_;
};

/// RLP of a position in a list: at most 5 bytes.
struct IndexKey {
    std::array<std::uint8_t, 5> bytes{};
    std::uint8_t size = 0;

    [[nodiscard]] BytesView view() const noexcept { return BytesView(bytes).first(size); }
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

std::uint8_t key_nibbles(std::uint32_t index) noexcept {
    if (index < 0x80) return 2;
    return static_cast<std::uint8_t>(2 + 2 * ((std::bit_width(index) + 7) / 8));
}

/// How many nibbles of an index's key are above its leaf: one more than it shares with another key.
/// Mostly these are all, as the key of the index before or after it differs in its last nibble
/// alone. The first index, whose key 0x80 comes after 0x7f, has no such neighbour, and the last one
/// may begin a branch that is not there yet.
std::uint8_t outer_leaf_depth(ListPlace place) noexcept {
    const auto [index, count] = place;
    if (index == 0 && count == 1) return 0;
    // What comes next to 0x80 is 0x8180, if there are so many; before it nothing begins with 8.
    const bool are_many = count == 0 || count > 0x80;
    const std::uint32_t first_neighbour = are_many ? 0x80 : 1;
    const std::uint32_t last_neighbour = index == 1 || index == 0x80 ? 0 : index - 1;
    const IndexKey key = index_key(index);
    const IndexKey other = index_key(index == 0 ? first_neighbour : last_neighbour);
    return static_cast<std::uint8_t>(1 + shared_nibbles(key.view(), other.view(), 0));
}

std::uint8_t leaf_depth(ListPlace place) noexcept {
    const bool is_outer = place.index == 0 || place.index + 1 == place.count;
    return is_outer ? outer_leaf_depth(place) : key_nibbles(place.index);
}

/// `fill(item)` completes each item of the ordered trie.
template <typename Fill>
Hash root_by_index(std::size_t size, Fill&& fill) {
    HEDDLE_ASSERT(size <= UINT32_MAX);
    const auto count = static_cast<std::uint32_t>(size);
    std::vector<IndexKey> keys(count);
    std::vector<Item> items;
    items.reserve(count);
    for_each_by_key(count, [&](std::uint32_t index) {
        keys[index] = index_key(index);
        Item& item = items.emplace_back();
        item.key = keys[index].view();
        item.index = index;
        fill(item);
    });
    return RootBuilder(items).root();
}

}  // namespace

Hash trie_root(std::span<const TrieItem> items) {
    std::vector<Item> copies;
    copies.reserve(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        HEDDLE_ASSERT(!items[i].value.empty());
        HEDDLE_ASSERT(i == 0 ||
                      std::ranges::lexicographical_compare(items[i - 1].key, items[i].key));
        copies.push_back({items[i].key, items[i].value, nullptr, 0});
    }
    return RootBuilder(copies).root();
}

Hash ordered_root(std::span<const Bytes> values) {
    return root_by_index(values.size(), [&](Item& item) {
        HEDDLE_ASSERT(!values[item.index].empty());
        item.value = values[item.index];
    });
}

Bytes& OrderedLeaves::start() {
    value_.resize(kMostHead);
    return value_;
}

void OrderedLeaves::finish(ListPlace place, OrderedLeaf& leaf) {
    static constexpr std::uint8_t kEmptyLeafPath = 0x20;  // YP App. C: a leaf, no nibbles
    const BytesView value = BytesView{value_}.subspan(kMostHead);
    HEDDLE_ASSERT(!value.empty());
    leaf.depth = leaf_depth(place);
    head_.clear();
    if (leaf.depth == key_nibbles(place.index)) {  // as nearly all
        rlp::encode_list_header(1 + rlp::size_of(value), head_);
        head_.push_back(kEmptyLeafPath);
    } else {
        const IndexKey key = index_key(place.index);
        make_path(key.view(), leaf.depth, nibble_count(key.view()), true, path_);
        rlp::encode_list_header(rlp::size_of(path_) + rlp::size_of(value), head_);
        rlp::encode_string(path_, head_);
    }
    if (rlp::size_of(value) != 1) rlp::encode_string_header(value.size(), head_);
    HEDDLE_ASSERT(head_.size() <= kMostHead);
    const std::size_t begin = kMostHead - head_.size();
    std::ranges::copy(head_, value_.begin() + static_cast<std::ptrdiff_t>(begin));
    const BytesView node = BytesView{value_}.subspan(begin);
    if (node.size() < kMinHashedSize) {
        std::ranges::copy(node, leaf.reference.bytes.begin());
        leaf.reference.size = static_cast<std::uint8_t>(node.size());
        return;
    }
    // Nothing is gained by hashing it beside others, and buffers of its size would stay for good: a
    // receipt may have hundreds of megabytes of logs.
    if (node.size() > kMostBytes) {
        leaf.reference = reference_to(keccak256(node));
        value_ = Bytes{};
        return;
    }
    batch_.add(node);
    waiting_[batch_.size() - 1] = &leaf.reference;
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

std::size_t OrderedLeaves::correct(std::span<OrderedLeaf> leaves, const Encode& encode) {
    HEDDLE_ASSERT(leaves.size() <= UINT32_MAX);
    const auto count = static_cast<std::uint32_t>(leaves.size());
    std::size_t corrected = 0;
    for (std::uint32_t index = 0; index < count; ++index) {
        const ListPlace place{.index = index, .count = count};
        if (leaves[index].depth == leaf_depth(place)) continue;
        encode(index, start());
        finish(place, leaves[index]);
        ++corrected;
    }
    flush();
    return corrected;
}

Hash root_of_leaves(std::span<const OrderedLeaf> leaves) {
    return root_by_index(leaves.size(), [&](Item& item) { item.leaf = &leaves[item.index]; });
}

}  // namespace heddle
