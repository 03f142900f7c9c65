// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "storage/buffer_tree.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <utility>

namespace heddle::ledger {

namespace {

constexpr std::size_t kNumberBytes = 8;
constexpr std::size_t kHeadBytes = sizeof(std::uint64_t);

static_assert(std::endian::native == std::endian::little);

std::uint64_t load_word(const char* bytes) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

/// Eight bytes of the key from `skip` on, which it has, as a number in the order of the bytes;
/// zeros for what is missing.
std::uint64_t head_of(const BufferKey& key, std::size_t skip) noexcept {
    const std::size_t left = key.size - skip;
    // The number behind the key can be read in its place.
    const std::uint64_t word = __builtin_bswap64(load_word(key.bytes + skip));
    if (left >= kHeadBytes) return word;
    return left == 0 ? 0 : word & (~std::uint64_t{0} << 8 * (kHeadBytes - left));
}

std::size_t common_bytes(const BufferKey& a, const BufferKey& b) noexcept {
    const std::size_t most = std::min(a.size, b.size);
    return static_cast<std::size_t>(std::mismatch(a.bytes, a.bytes + most, b.bytes).first -
                                    a.bytes);
}

/// What the keys between two fences have in common; null: no fence.
std::uint32_t skip_between(const char* low, const char* high) noexcept {
    if (low == nullptr || high == nullptr) return 0;
    return static_cast<std::uint32_t>(
        common_bytes(BufferKey::of_entry(low), BufferKey::of_entry(high)));
}

}  // namespace

BufferKey BufferKey::of_entry(const char* entry) noexcept {
    std::size_t size = 0;
    for (unsigned shift = 0;; shift += 7) {
        const auto byte = static_cast<std::uint8_t>(*entry++);
        size |= std::size_t{byte & 0x7fu} << shift;
        if (byte < 0x80) return of(entry, size);
    }
}

BufferKey BufferKey::of(const char* bytes, std::size_t size) noexcept {
    return {bytes, size - kNumberBytes, load_word(bytes + size - kNumberBytes)};
}

bool operator<(const BufferKey& a, const BufferKey& b) noexcept {
    const int order = std::memcmp(a.bytes, b.bytes, std::min(a.size, b.size));
    if (order != 0) return order < 0;
    if (a.size != b.size) return a.size < b.size;
    return a.number > b.number;
}

/// Invariants: 1. entries are ascending, and from `low` on, below `high`; 2. `skip` bytes are the
/// same in all keys that belong here, and heads are those behind them; 3. what is behind `count` is
/// null or an entry that was here once.
struct BufferTree::Node {
    template <typename T>
    using Atomic = TreeAtomics::Atomic<T>;

    explicit Node(bool is_a_leaf) noexcept : is_leaf(is_a_leaf) {}

    Atomic<std::uint32_t> version = 0;
    Atomic<std::uint32_t> count = 0;
    Atomic<std::uint32_t> skip = 0;
    const bool is_leaf;
    const char* low = nullptr;     // null: none; set before others see the node
    const char* high = nullptr;    // as above; the writer's
    Atomic<Node*> next = nullptr;  // of leaves
    std::array<Atomic<std::uint64_t>, kFan> heads{};
    std::array<Atomic<const char*>, kFan> entries{};

    [[nodiscard]] std::size_t size() const noexcept {
        return count.load(std::memory_order_acquire);
    }

    // Of the writer. What is stored in between pairs with the loads of readers.
    void begin_change() noexcept {
        version.store(version.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    void end_change() noexcept {
        version.store(version.load(std::memory_order_relaxed) + 1, std::memory_order_release);
        TreeAtomics::changed(version);
    }

    /// Waits while it is odd.
    [[nodiscard]] std::uint32_t even_version() const noexcept {
        for (unsigned looks = 1;; ++looks) {
            const std::uint32_t found = version.load(std::memory_order_acquire);
            if (found % 2 == 0) return found;
            TreeAtomics::wait(version, found, looks);
        }
    }
    [[nodiscard]] bool is_still(std::uint32_t seen) const noexcept {
        return version.load(std::memory_order_acquire) == seen;
    }

    /// How many entries from `begin` on come before the place of `key`: those below it, and with
    /// `or_equal` one that is equal. What a reader gets may be wrong while the node is changed.
    [[nodiscard]] std::size_t place_of(const BufferKey& key, std::size_t begin,
                                       bool or_equal) const noexcept;
};

/// An entry is the lowest that belongs into the child; the first one is not looked at.
struct BufferTree::InnerNode : Node {
    InnerNode() noexcept : Node(false) {}
    std::array<Atomic<Node*>, kFan> children{};

    [[nodiscard]] std::size_t child_of(const BufferKey& key, Toward toward) const noexcept {
        if (toward == Toward::end) return std::clamp<std::size_t>(size(), 1, kFan) - 1;
        return place_of(key, 1, /*or_equal=*/toward == Toward::key) - 1;
    }
};

std::size_t BufferTree::Node::place_of(const BufferKey& key, std::size_t begin,
                                       bool or_equal) const noexcept {
    const std::size_t skipped = skip.load(std::memory_order_acquire);
    // Of a node that is being divided, perhaps not the right one any more.
    if (skipped > key.size) return begin;
    const std::uint64_t head = head_of(key, skipped);
    std::size_t end = std::max(begin, std::min(size(), kFan));
    while (begin < end) {
        const std::size_t middle = (begin + end) / 2;
        const std::uint64_t found = heads[middle].load(std::memory_order_acquire);
        bool is_before = found < head;
        if (found == head) {
            const char* const entry = entries[middle].load(std::memory_order_acquire);
            if (entry == nullptr) return begin;  // nor here
            const BufferKey other = BufferKey::of_entry(entry);
            is_before = or_equal ? !(key < other) : other < key;
        }
        if (is_before)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

BufferTree::BufferTree(Allocate allocate)
    : allocate_(std::move(allocate)), root_(new_node(/*is_leaf=*/true)) {}

BufferTree::Node* BufferTree::new_node(bool is_leaf) {
    // Never destroyed: there is nothing to do.
    if (is_leaf) return new (allocate_(sizeof(Node))) Node(true);
    return new (allocate_(sizeof(InnerNode))) InnerNode;
}

void BufferTree::insert(const char* entry) {
    const BufferKey key = BufferKey::of_entry(entry);
    Node* node = root_.load(std::memory_order_relaxed);
    if (node->size() == kFan) {
        auto* const root = static_cast<InnerNode*>(new_node(/*is_leaf=*/false));
        root->children[0].store(node, std::memory_order_relaxed);
        root->count.store(1, std::memory_order_relaxed);
        // Before the old root changes: who finds that changed finds this one.
        root_.store(root, std::memory_order_release);
        node = root;
    }
    // A full node is divided when it is passed, so that a parent always has room.
    while (!node->is_leaf) {
        auto& parent = static_cast<InnerNode&>(*node);
        std::size_t place = parent.child_of(key, Toward::key);
        Node* child = parent.children[place].load(std::memory_order_relaxed);
        if (child->size() == kFan) {
            split(parent, place, *child);
            place = parent.child_of(key, Toward::key);
            child = parent.children[place].load(std::memory_order_relaxed);
        }
        node = child;
    }
    node->begin_change();
    put(*node, node->place_of(key, 0, false), entry, nullptr);
    node->end_change();
}

void BufferTree::put(Node& node, std::size_t place, const char* entry, Node* child) noexcept {
    const std::size_t count = node.size();
    for (std::size_t i = count; i > place; --i) {
        node.heads[i].store(node.heads[i - 1].load(std::memory_order_relaxed),
                            std::memory_order_release);
        node.entries[i].store(node.entries[i - 1].load(std::memory_order_relaxed),
                              std::memory_order_release);
    }
    node.heads[place].store(
        head_of(BufferKey::of_entry(entry), node.skip.load(std::memory_order_relaxed)),
        std::memory_order_release);
    node.entries[place].store(entry, std::memory_order_release);
    if (child != nullptr) {
        auto& inner = static_cast<InnerNode&>(node);
        for (std::size_t i = count; i > place; --i)
            inner.children[i].store(inner.children[i - 1].load(std::memory_order_relaxed),
                                    std::memory_order_release);
        inner.children[place].store(child, std::memory_order_release);
    }
    node.count.store(static_cast<std::uint32_t>(count + 1), std::memory_order_release);
}

void BufferTree::split(InnerNode& parent, std::size_t place, Node& node) {
    // Where the last node is full, keys come in order as a rule.
    const std::size_t middle = node.high == nullptr ? kFan - 1 : kFan / 2;
    Node& right = *new_node(node.is_leaf);
    right.low = node.entries[middle].load(std::memory_order_relaxed);
    right.high = node.high;
    const std::uint32_t right_skip = skip_between(right.low, right.high);
    right.skip.store(right_skip, std::memory_order_relaxed);
    for (std::size_t i = middle; i < kFan; ++i) {
        const char* const entry = node.entries[i].load(std::memory_order_relaxed);
        const std::size_t to = i - middle;
        right.entries[to].store(entry, std::memory_order_relaxed);
        right.heads[to].store(head_of(BufferKey::of_entry(entry), right_skip),
                              std::memory_order_relaxed);
        if (!node.is_leaf)
            static_cast<InnerNode&>(right).children[to].store(
                static_cast<InnerNode&>(node).children[i].load(std::memory_order_relaxed),
                std::memory_order_relaxed);
    }
    right.count.store(static_cast<std::uint32_t>(kFan - middle), std::memory_order_relaxed);
    right.next.store(node.next.load(std::memory_order_relaxed), std::memory_order_relaxed);

    parent.begin_change();
    node.begin_change();
    node.count.store(static_cast<std::uint32_t>(middle), std::memory_order_release);
    node.next.store(&right, std::memory_order_release);
    node.high = right.low;
    const std::uint32_t skip = skip_between(node.low, node.high);
    if (skip != node.skip.load(std::memory_order_relaxed)) {
        node.skip.store(skip, std::memory_order_release);
        // Above the first leaf the first entry is none.
        for (std::size_t i = node.is_leaf ? 0 : 1; i < middle; ++i)
            node.heads[i].store(
                head_of(BufferKey::of_entry(node.entries[i].load(std::memory_order_relaxed)), skip),
                std::memory_order_release);
    }
    put(parent, place + 1, right.low, &right);
    node.end_change();
    parent.end_change();
}

const BufferTree::Node* BufferTree::go_down(const BufferKey& key, Toward toward,
                                            std::uint32_t& version) const noexcept {
    for (;;) {
        const Node* node = root_.load(std::memory_order_acquire);
        version = node->even_version();
        // Divided before that, it is not the root any more.
        if (node != root_.load(std::memory_order_acquire)) continue;
        while (!node->is_leaf) {
            const auto& inner = static_cast<const InnerNode&>(*node);
            const Node* const child =
                inner.children[inner.child_of(key, toward)].load(std::memory_order_acquire);
            if (!inner.is_still(version)) break;
            const std::uint32_t of_child = child->even_version();
            if (!inner.is_still(version)) break;
            node = child;
            version = of_child;
        }
        if (node->is_leaf) return node;
    }
}

bool BufferTree::Position::read(const Node& leaf, std::uint32_t version) noexcept {
    first_ = at_;
    count_ = std::min(leaf.size(), kFan);
    next_ = leaf.next.load(std::memory_order_acquire);
    low_ = leaf.low;
    for (std::size_t i = first_; i < count_; ++i)
        entries_[i] = leaf.entries[i].load(std::memory_order_acquire);
    return leaf.is_still(version);
}

void BufferTree::Position::to_first_of(const Node* leaf) noexcept {
    to_none();
    while (leaf != nullptr && !read(*leaf, leaf->even_version()))
        at_ = 0;
}

void BufferTree::Position::to_first() noexcept {
    // No key is below one without bytes; in its place eight of them can be read.
    to(BufferKey{"\0\0\0\0\0\0\0", 0, ~std::uint64_t{0}});
}

void BufferTree::Position::to(const BufferKey& key) noexcept {
    for (;;) {
        std::uint32_t version = 0;
        const Node* const leaf = tree_->go_down(key, Toward::key, version);
        at_ = leaf->place_of(key, 0, false);
        if (!read(*leaf, version)) continue;
        if (!valid()) to_first_of(next_);
        return;
    }
}

void BufferTree::Position::next() noexcept {
    if (++at_ == count_) to_first_of(next_);
}

void BufferTree::Position::to_or_before(const BufferKey& key) noexcept {
    for (;;) {
        std::uint32_t version = 0;
        const Node* const leaf = tree_->go_down(key, Toward::key, version);
        const std::size_t end = leaf->place_of(key, 0, true);
        at_ = 0;
        if (!read(*leaf, version)) continue;
        if (end != 0)
            at_ = end - 1;
        else if (low_ != nullptr)
            to_before(BufferKey::of_entry(low_));
        else
            to_none();
        return;
    }
}

void BufferTree::Position::to_before(BufferKey key) noexcept {
    for (;;) {
        std::uint32_t version = 0;
        const Node* const leaf = tree_->go_down(key, Toward::below_key, version);
        const std::size_t end = leaf->place_of(key, 0, false);
        at_ = 0;
        if (!read(*leaf, version)) continue;
        if (end != 0) {
            at_ = end - 1;
            return;
        }
        if (low_ == nullptr) return to_none();
        key = BufferKey::of_entry(low_);
    }
}

void BufferTree::Position::previous() noexcept {
    if (at_ != first_)
        --at_;
    else
        to_before(BufferKey::of_entry(entries_[at_]));
}

void BufferTree::Position::to_last() noexcept {
    for (;;) {
        std::uint32_t version = 0;
        const Node* const leaf = tree_->go_down({}, Toward::end, version);
        at_ = 0;
        if (!read(*leaf, version)) continue;
        if (count_ != 0) at_ = count_ - 1;
        return;
    }
}

}  // namespace heddle::ledger
