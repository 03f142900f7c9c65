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

using Items = std::span<const TrieItem>;

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

    void append_leaf(const TrieItem& item, std::size_t depth) {
        make_path(item.key, depth, nibble_count(item.key), true);
        rlp::encode_list_header(encoded_size(path_) + encoded_size(item.value), out_);
        rlp::encode_string(path_, out_);
        rlp::encode_string(item.value, out_);
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

    Bytes out_;
    Bytes path_;
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

}  // namespace

Hash trie_root(std::span<const TrieItem> items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
        HEDDLE_ASSERT(!items[i].value.empty());
        HEDDLE_ASSERT(i == 0 ||
                      std::ranges::lexicographical_compare(items[i - 1].key, items[i].key));
    }
    return RootBuilder().root(items);
}

Hash ordered_root(std::span<const Bytes> values) {
    HEDDLE_ASSERT(values.size() <= UINT32_MAX);
    const auto count = static_cast<std::uint32_t>(values.size());
    std::vector<IndexKey> keys(count);
    std::vector<TrieItem> items;
    items.reserve(count);
    const auto add = [&](std::uint32_t index) {
        HEDDLE_ASSERT(!values[index].empty());
        keys[index] = index_key(index);
        items.push_back({BytesView(keys[index].bytes).first(keys[index].size), values[index]});
    };
    // RLP sorts 1..127 (the byte itself) before 0 (0x80), and both before all longer numbers, which
    // sort by length and then by value.
    for (std::uint32_t index = 1; index < std::min(count, 0x80u); ++index)
        add(index);
    if (count != 0) add(0);
    for (std::uint32_t index = 0x80; index < count; ++index)
        add(index);
    return RootBuilder().root(items);
}

}  // namespace heddle
