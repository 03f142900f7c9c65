// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "trie/trie_builder.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include <types/assert.hpp>

namespace heddle::ledger {
namespace {

/// Leaves hashed together.
constexpr std::size_t kBatch = 256;

}  // namespace

TrieBuilder::TrieBuilder(NodeVisitor visit, std::uint32_t stored_leaf_count, KeccakPath keccak,
                         TrieSpan span)
    : visit_(std::move(visit)), stored_leaf_count_(stored_leaf_count), span_(span), batch_(keccak) {
    begin();
}

void TrieBuilder::begin() {
    values_.clear();
    leaf_count_ = 0;
    shared_before_ = shared_outside();
    frames_.clear();
    // The root's branch, which is not closed here: other children of it come from elsewhere.
    if (span_ == TrieSpan::child_of_root) frames_.push_back({0, {}});
}

bool TrieBuilder::add(const Hash& key, BytesView value) {
    HEDDLE_ASSERT(!value.empty());
    if (!waiting_.empty() && !(waiting_.back().key < key)) return false;
    waiting_.push_back({key, values_.size(), value.size()});
    values_.insert(values_.end(), value.begin(), value.end());
    ++leaf_count_;
    if (waiting_.size() > kBatch) place_waiting(false);
    return true;
}

Hash TrieBuilder::finish() {
    HEDDLE_ASSERT(span_ == TrieSpan::whole);
    place_waiting(true);
    HEDDLE_ASSERT(frames_.empty() && waiting_.empty());
    begin();
    return std::exchange(root_, kEmptyTrieRoot);
}

BuiltPart TrieBuilder::finish_part() {
    HEDDLE_ASSERT(span_ == TrieSpan::child_of_root && leaf_count_ != 0);
    place_waiting(true);
    HEDDLE_ASSERT(frames_.size() == 1 && waiting_.empty());
    const StoredBranch& root = frames_.front().branch;
    // A leaf with another first nibble would have become a second child.
    HEDDLE_ASSERT(root.child_count() == 1);
    BuiltPart part{.nibble = static_cast<std::uint8_t>(std::countr_zero(root.children)),
                   .reference = {},
                   .leaf_count = leaf_count_};
    part.reference.is_embedded = root.embedded != 0;
    std::memcpy(part.reference.bytes.data(), root.references.data(), kReferenceSize);
    begin();
    return part;
}

Hash TrieBuilder::join_parts(std::span<const BuiltPart> parts, const NodeVisitor& visit,
                             std::uint32_t stored_leaf_count) {
    HEDDLE_ASSERT(parts.size() >= 2);
    Frame root;
    for (const BuiltPart& part : parts) {
        HEDDLE_ASSERT(root.branch.children >> part.nibble == 0);  // ascending
        add_child(root, part.nibble, part.reference, part.leaf_count);
    }
    if (root.branch.leaf_count() >= stored_leaf_count) {
        Bytes encoded;
        encode_stored_branch(root.branch, encoded);
        visit({}, encoded);
    }
    return root.branch.root_hash();
}

/// Places the leaves whose right-hand neighbour is known: all, or all but the last.
void TrieBuilder::place_waiting(bool is_last) {
    if (waiting_.empty()) return;
    const std::size_t count = waiting_.size() - (is_last ? 0 : 1);
    hash_waiting(count, is_last);
    for (std::size_t i = 0; i < count; ++i)
        place(waiting_[i].key, i == 0 ? shared_before_ : shared_behind_[i - 1], shared_behind_[i],
              references_[i]);
    shared_before_ = shared_behind_[count - 1];
    if (is_last) {
        waiting_.clear();
        return;
    }
    const Waiting left = waiting_.back();
    std::memmove(values_.data(), values_.data() + left.offset, left.size);
    values_.resize(left.size);
    waiting_.assign(1, {left.key, 0, left.size});
}

/// Fills `shared_behind_` and `references_`.
void TrieBuilder::hash_waiting(std::size_t count, bool is_last) {
    shared_behind_.assign(count, shared_outside());
    references_.assign(count, {});
    for (std::size_t i = 0; i < count; ++i) {
        if (is_last && i + 1 == count) break;
        shared_behind_[i] = static_cast<int>(
            shared_nibbles(waiting_[i].key.bytes.data(), waiting_[i + 1].key.bytes.data()));
    }
    std::vector<std::size_t> hashed;
    for (std::size_t i = 0; i < count; ++i) {
        const int before = i == 0 ? shared_before_ : shared_behind_[i - 1];
        const auto depth = static_cast<std::size_t>(std::max(before, shared_behind_[i]) + 1);
        const Waiting& leaf = waiting_[i];
        std::uint8_t* const rlp = batch_.begin(max_leaf_rlp(leaf.size));
        const std::size_t size =
            write_leaf(leaf.key.bytes.data(), depth,
                       BytesView(values_).subspan(leaf.offset, leaf.size), {}, rlp);
        // A leaf that is the whole trie is hashed however short.
        if (size >= kReferenceSize || depth == 0) {
            batch_.end(size);
            hashed.push_back(i);
            continue;
        }
        references_[i].is_embedded = true;
        std::memcpy(references_[i].bytes.data(), rlp, size);
    }
    std::vector<Hash> hashes(hashed.size());
    batch_.run(hashes);
    for (std::size_t i = 0; i < hashed.size(); ++i)
        references_[hashed[i]].bytes = hashes[i].bytes;
}

/// Hangs a leaf below the branch at which it leaves its nearest neighbour, and closes the branches
/// that the next leaf does not come through.
void TrieBuilder::place(const Hash& key, int shared_before, int shared_behind,
                        const Reference& reference) {
    if (shared_before == kNoNeighbour && shared_behind == kNoNeighbour) {
        root_ = {reference.bytes};
        return;
    }
    if (shared_behind > shared_before)
        frames_.push_back({static_cast<std::size_t>(shared_behind), {}});
    add_child(frames_.back(), nibble_at(key.bytes.data(), frames_.back().depth), reference, 1);
    while (!frames_.empty() && static_cast<int>(frames_.back().depth) > shared_behind)
        close_top(key, shared_behind);
}

void TrieBuilder::close_top(const Hash& key, int shared_behind) {
    Frame top = std::move(frames_.back());
    frames_.pop_back();
    const bool has_parent =
        !frames_.empty() && static_cast<int>(frames_.back().depth) >= shared_behind;
    if (!has_parent && shared_behind != kNoNeighbour)
        frames_.push_back({static_cast<std::size_t>(shared_behind), {}});

    const std::uint8_t* const bytes = key.bytes.data();
    const std::size_t begin = frames_.empty() ? 0 : frames_.back().depth + 1;
    top.branch.prefix = path_of(bytes, begin, top.depth);
    const std::uint64_t leaf_count = top.branch.leaf_count();
    if (leaf_count >= stored_leaf_count_) {
        encoded_.clear();
        encode_stored_branch(top.branch, encoded_);
        visit_(path_of(bytes, 0, begin).view(), encoded_);
    }
    if (frames_.empty())
        root_ = top.branch.root_hash();
    else
        add_child(frames_.back(), nibble_at(bytes, frames_.back().depth), top.branch.reference(),
                  leaf_count);
}

void TrieBuilder::add_child(Frame& frame, std::uint8_t nibble, const Reference& reference,
                            std::uint64_t leaf_count) {
    HEDDLE_ASSERT(leaf_count <= UINT32_MAX);
    StoredBranch& branch = frame.branch;
    const std::size_t position = branch.child_count();
    const auto bit = static_cast<std::uint16_t>(1U << nibble);
    branch.children |= bit;
    if (reference.is_embedded) branch.embedded |= bit;
    branch.leaf_counts[position] = static_cast<std::uint32_t>(leaf_count);
    std::memcpy(branch.references.data() + position * kReferenceSize, reference.bytes.data(),
                kReferenceSize);
}

}  // namespace heddle::ledger
