// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "trie/node_pool.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <types/assert.hpp>

namespace heddle::ledger {
namespace {

constexpr std::size_t kInlinePrefix = 8;

/// How the RLP of an account without storage and code ends.
constexpr std::array<std::uint8_t, kPlainTailSize> kPlainTail = [] {
    std::array<std::uint8_t, kPlainTailSize> tail{};
    tail[0] = tail[33] = 0xa0;
    std::ranges::copy(kEmptyTrieRoot.bytes, tail.begin() + 1);
    std::ranges::copy(kEmptyCodeHash.bytes, tail.begin() + 34);
    return tail;
}();

bool has_plain_tail(BytesView value) noexcept {
    return value.size() > kPlainTailSize &&
           std::memcmp(value.data() + value.size() - kPlainTailSize, kPlainTail.data(),
                       kPlainTailSize) == 0;
}

constexpr std::size_t branch_size(std::size_t child_count) noexcept {
    return sizeof(Branch) + child_count * (sizeof(std::uint32_t) + kReferenceSize);
}

std::size_t leaf_size(const Leaf& leaf) noexcept {
    return Leaf::kHeaderSize + leaf.size;
}

}  // namespace

std::uint32_t NodePool::make_leaf(const std::uint8_t* key, BytesView value) {
    HEDDLE_ASSERT(!value.empty() && value.size() <= kMaxLeafValue);
    const bool is_plain = has_plain_tail(value);
    const std::size_t size = value.size() - (is_plain ? kPlainTailSize : 0);
    const std::uint32_t index = arena_.allocate(Leaf::kHeaderSize + size);
    Leaf& made = leaf(index);
    std::memcpy(made.key, key, sizeof made.key);
    made.size = static_cast<std::uint16_t>(size);
    made.has_plain_tail = is_plain;
    std::memcpy(made.bytes(), value.data(), size);
    return index;
}

void NodePool::append_value(std::uint32_t index, Bytes& out) const {
    Leaf& from = leaf(index);
    out.insert(out.end(), from.bytes(), from.bytes() + from.size);
    if (from.has_plain_tail) out.insert(out.end(), kPlainTail.begin(), kPlainTail.end());
}

Hash NodePool::storage_root(std::uint32_t index) const noexcept {
    Leaf& from = leaf(index);
    if (from.has_plain_tail) return kEmptyTrieRoot;
    HEDDLE_ASSERT(from.size > kPlainTailSize);
    Hash root;
    std::memcpy(root.bytes.data(), from.bytes() + from.size - kStorageRootFromEnd, kReferenceSize);
    return root;
}

bool NodePool::has_value(std::uint32_t index, BytesView value) const noexcept {
    Leaf& held = leaf(index);
    const std::size_t tail = held.has_plain_tail ? kPlainTailSize : 0;
    return held.size + tail == value.size() &&
           std::memcmp(held.bytes(), value.data(), held.size) == 0 &&
           std::memcmp(kPlainTail.data(), value.data() + held.size, tail) == 0;
}

std::uint32_t NodePool::set_value(std::uint32_t index, BytesView value) {
    HEDDLE_ASSERT(!value.empty() && value.size() <= kMaxLeafValue);
    Leaf& held = leaf(index);
    const bool is_plain = has_plain_tail(value);
    const std::size_t size = value.size() - (is_plain ? kPlainTailSize : 0);
    if (size == held.size) {
        held.has_plain_tail = is_plain;
        std::memcpy(held.bytes(), value.data(), size);
        return index;
    }
    const std::uint32_t made = make_leaf(held.key, value);
    free_leaf(index);
    return made;
}

std::size_t NodePool::max_leaf_size(std::uint32_t index) const noexcept {
    return max_leaf_rlp(leaf(index).size + kPlainTailSize);
}

std::size_t NodePool::write_leaf_rlp(std::uint32_t index, std::size_t depth,
                                     std::uint8_t* out) const {
    Leaf& from = leaf(index);
    return write_leaf(from.key, depth, {from.bytes(), from.size},
                      BytesView(kPlainTail).first(from.has_plain_tail ? kPlainTailSize : 0), out);
}

std::uint32_t NodePool::make_branch(std::uint16_t children, NibblesView prefix) {
    const auto count = static_cast<std::size_t>(std::popcount(children));
    const std::uint32_t index = arena_.allocate(branch_size(count));
    std::memset(arena_.at(index), 0, branch_size(count));
    Branch& made = branch(index);
    made.children = children;
    set_prefix(made, prefix);
    return index;
}

std::uint32_t NodePool::reshape(std::uint32_t index, std::uint16_t children) {
    Branch& from = branch(index);
    const auto count = static_cast<std::size_t>(std::popcount(children));
    const std::uint32_t made = arena_.allocate(branch_size(count));
    std::memset(arena_.at(made), 0, branch_size(count));
    Branch& to = branch(made);
    to = from;
    to.children = children;
    to.dirty &= children;
    to.leaves &= children;
    to.stubs &= children;
    to.embedded &= children;
    for (std::uint32_t bits = children & from.children; bits != 0; bits &= bits - 1) {
        const auto bit = static_cast<std::uint16_t>(bits & -bits);
        to.links()[to.position(bit)] = from.links()[from.position(bit)];
        std::memcpy(to.reference(bit), from.reference(bit), kReferenceSize);
    }
    arena_.release(index, branch_size(from.child_count()));
    return made;
}

void NodePool::set_link(Branch& branch, std::uint16_t bit, Link link) noexcept {
    const auto others = static_cast<std::uint16_t>(~bit);
    branch.links()[branch.position(bit)] = link.index;
    branch.leaves = static_cast<std::uint16_t>((branch.leaves & others) |
                                               (link.kind == LinkKind::leaf ? bit : 0));
    branch.stubs = static_cast<std::uint16_t>((branch.stubs & others) |
                                              (link.kind == LinkKind::stub ? bit : 0));
}

NibblePath NodePool::prefix(const Branch& branch) const noexcept {
    if (branch.prefix_size > kInlinePrefix) {
        const auto* const packed = reinterpret_cast<const std::uint8_t*>(arena_.at(branch.prefix));
        return path_of(packed, 0, branch.prefix_size);
    }
    NibblePath path;
    for (std::size_t i = 0; i < branch.prefix_size; ++i)
        path.push_back((branch.prefix >> (4 * i)) & 0x0f);
    return path;
}

void NodePool::set_prefix(Branch& branch, NibblesView prefix) {
    if (branch.prefix_size > kInlinePrefix) arena_.release(branch.prefix, kKeyNibbles / 2);
    branch.prefix_size = static_cast<std::uint8_t>(prefix.size());
    branch.prefix = 0;
    if (prefix.size() <= kInlinePrefix) {
        for (std::size_t i = 0; i < prefix.size(); ++i)
            branch.prefix |= std::uint32_t{prefix[i]} << (4 * i);
        return;
    }
    branch.prefix = arena_.allocate(kKeyNibbles / 2);
    auto* const packed = reinterpret_cast<std::uint8_t*>(arena_.at(branch.prefix));
    std::memset(packed, 0, kKeyNibbles / 2);
    for (std::size_t i = 0; i < prefix.size(); ++i)
        packed[i / 2] |= static_cast<std::uint8_t>(i % 2 == 0 ? prefix[i] << 4 : prefix[i]);
}

std::uint32_t NodePool::leaf_count(Link link) const noexcept {
    switch (link.kind) {
        case LinkKind::none:
            return 0;
        case LinkKind::leaf:
            return 1;
        case LinkKind::branch:
            return branch(link.index).leaf_count;
        case LinkKind::stub:
            return link.index;
    }
    return 0;
}

void NodePool::set_reference(Branch& branch, std::uint16_t bit,
                             const Reference& reference) noexcept {
    std::memcpy(branch.reference(bit), reference.bytes.data(), kReferenceSize);
    const auto others = static_cast<std::uint16_t>(~bit);
    branch.embedded =
        static_cast<std::uint16_t>((branch.embedded & others) | (reference.is_embedded ? bit : 0));
}

Reference NodePool::child_reference(Branch& branch, std::uint16_t bit) noexcept {
    Reference reference;
    reference.is_embedded = (branch.embedded & bit) != 0;
    const std::uint8_t* const held = branch.reference(bit);
    std::memcpy(reference.bytes.data(), held,
                reference.is_embedded ? embedded_size(held) : kReferenceSize);
    return reference;
}

void NodePool::free_leaf(std::uint32_t index) noexcept {
    arena_.release(index, leaf_size(leaf(index)));
}

void NodePool::free_branch(std::uint32_t index) noexcept {
    Branch& freed = branch(index);
    if (freed.prefix_size > kInlinePrefix) arena_.release(freed.prefix, kKeyNibbles / 2);
    arena_.release(index, branch_size(freed.child_count()));
}

void NodePool::free_all(Link link) noexcept {
    if (link.kind == LinkKind::leaf) free_leaf(link.index);
    if (link.kind != LinkKind::branch) return;
    Branch& freed = branch(link.index);
    for (std::uint32_t bits = freed.children; bits != 0; bits &= bits - 1)
        free_all(freed.link(static_cast<std::uint16_t>(bits & -bits)));
    free_branch(link.index);
}

std::size_t NodePool::branch_bytes(const Branch& branch) noexcept {
    return branch_size(branch.child_count());
}

}  // namespace heddle::ledger
