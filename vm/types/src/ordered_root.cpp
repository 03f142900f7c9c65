// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <types/assert.hpp>
#include <types/ordered_root.hpp>
#include <types/rlp.hpp>

namespace heddle {
namespace {

/// Two prefixes of at most nine bytes and one byte of path.
constexpr std::size_t kHeadroom = 19;

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

/// Size of RLP(bytes).
std::size_t encoded_size(BytesView bytes) noexcept {
    if (bytes.size() == 1 && bytes[0] < 0x80) return 1;
    if (bytes.size() <= 55) return 1 + bytes.size();
    std::size_t length_bytes = 0;
    for (std::size_t rest = bytes.size(); rest != 0; rest >>= 8)
        ++length_bytes;
    return 1 + length_bytes + bytes.size();
}

/// Encodes a trie in key order into one growing buffer: a child is written in full behind what its
/// parent has so far, then replaced by its hash where it is too long to be inlined. Nothing is
/// kept.
class RootBuilder {
public:
    /// `encode` may be empty where no leaf was hashed ahead.
    explicit RootBuilder(const Encode& encode) : encode_(encode) {}

    Hash root(Items items) {
        if (items.empty()) return kEmptyTrieRoot;
        append_node(items, 0);
        return keccak256(out_);
    }

private:
    /// Appends c(items, depth) of YP App. D. All keys share their first `depth` nibbles.
    void append_node(Items items, std::size_t depth) {
        if (items.size() == 1) {
            append_leaf(items.front(), depth);
            return;
        }
        const std::size_t end = shared_nibbles(items, depth);
        if (end == depth) {
            append_branch(items, depth);
            return;
        }
        const std::size_t begin = out_.size();
        make_path(items.front().key, depth, end, false);
        rlp::encode_string(path_, out_);
        append_reference(items, end);
        rlp::wrap_list(begin, out_);
    }

    void append_leaf(const Item& item, std::size_t depth) {
        make_path(item.key, depth, nibble_count(item.key), true);
        BytesView value = item.value;
        if (item.leaf != nullptr) {
            value_.clear();
            encode_(item.index, value_);
            value = value_;
        }
        rlp::encode_list_header(encoded_size(path_) + encoded_size(value), out_);
        rlp::encode_string(path_, out_);
        rlp::encode_string(value, out_);
    }

    void append_branch(Items items, std::size_t depth) {
        const std::size_t begin = out_.size();
        BytesView value;
        if (nibble_count(items.front().key) == depth) {
            value = items.front().value;
            items = items.subspan(1);
        }
        for (std::uint8_t nibble = 0; nibble < 16; ++nibble) {
            std::size_t count = 0;
            while (count < items.size() && nibble_at(items[count].key, depth) == nibble)
                ++count;
            if (count == 0)
                out_.push_back(0x80);
            else
                append_reference(items.first(count), depth + 1);
            items = items.subspan(count);
        }
        HEDDLE_ASSERT(items.empty());
        rlp::encode_string(value, out_);
        rlp::wrap_list(begin, out_);
    }

    /// Appends n(items, depth) of YP App. D: the node itself if shorter than a hash.
    void append_reference(Items items, std::size_t depth) {
        if (items.size() == 1 && items[0].leaf != nullptr && nibble_count(items[0].key) == depth) {
            const NodeReference& leaf = *items[0].leaf;
            out_.insert(out_.end(), leaf.bytes.begin(), leaf.bytes.begin() + leaf.size);
            return;
        }
        const std::size_t begin = out_.size();
        append_node(items, depth);
        const BytesView node = BytesView(out_).subspan(begin);
        if (node.size() < 32) return;
        const Hash hash = keccak256(node);
        out_.resize(begin);
        rlp::encode_hash(hash, out_);
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

    const Encode& encode_;
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
    return RootBuilder(encode).root(items);
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
    return RootBuilder(encode).root(copies);
}

Hash ordered_root(std::span<const Bytes> values) {
    return root_by_index(values.size(), {}, [&](Item& item) {
        HEDDLE_ASSERT(!values[item.index].empty());
        item.value = values[item.index];
    });
}

Bytes& OrderedLeaf::start() {
    // Room for what comes before the value once its size is known: two prefixes and the path.
    buffer_.assign(kHeadroom, 0);
    return buffer_;
}

NodeReference OrderedLeaf::finish() {
    static constexpr std::uint8_t kEmptyLeafPath = 0x20;  // YP App. C: a leaf, no nibbles
    const BytesView value = BytesView(buffer_).subspan(kHeadroom);
    HEDDLE_ASSERT(!value.empty());
    head_.clear();
    rlp::encode_list_header(1 + encoded_size(value), head_);
    head_.push_back(kEmptyLeafPath);
    const bool stands_for_itself = encoded_size(value) == 1;
    if (!stands_for_itself) rlp::encode_string_header(value.size(), head_);
    HEDDLE_ASSERT(head_.size() <= kHeadroom);
    const std::size_t begin = kHeadroom - head_.size();
    std::ranges::copy(head_, buffer_.begin() + static_cast<std::ptrdiff_t>(begin));
    const BytesView node = BytesView(buffer_).subspan(begin);
    NodeReference reference;
    if (node.size() < 32) {
        std::ranges::copy(node, reference.bytes.begin());
        reference.size = static_cast<std::uint8_t>(node.size());
    } else {
        const Hash hash = keccak256(node);
        reference.bytes[0] = 0xa0;  // a string of 32 bytes
        std::ranges::copy(hash.bytes, reference.bytes.begin() + 1);
        reference.size = 33;
    }
    return reference;
}

Hash ordered_root(std::span<const NodeReference> leaves,
                  const std::function<void(std::uint32_t, Bytes&)>& encode) {
    return root_by_index(leaves.size(), encode,
                         [&](Item& item) { item.leaf = &leaves[item.index]; });
}

}  // namespace heddle
