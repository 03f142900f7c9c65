// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "trie/hash_pass.hpp"

#include <cstring>

#include <types/assert.hpp>

namespace heddle::ledger {
namespace {

/// Messages hashed together: few enough for the buffer to stay in the caches, many enough for
/// groups of equal length.
constexpr std::size_t kBatch = 64;
/// Branches ahead of the one being encoded that are fetched into the caches.
constexpr std::size_t kLookAhead = 4;

bool is_changed(const Branch& branch) noexcept {
    return branch.dirty != 0 || branch.has(kStale);
}

}  // namespace

Link build_subtrie(NodePool& pool, const SortedLeaves& sorted, Place place, std::uint8_t flags,
                   Levels& levels) {
    const auto& [leaves, depth] = sorted;
    if (leaves.empty()) return {};
    if (leaves.size() == 1) return {LinkKind::leaf, leaves[0]};
    const std::uint8_t* const first = pool.leaf(leaves.front()).key;
    const std::size_t shared = shared_nibbles(first, pool.leaf(leaves.back()).key);
    HEDDLE_ASSERT(shared < kKeyNibbles && shared >= depth);
    const auto nibble_of = [&](std::uint32_t index) {
        return nibble_at(pool.leaf(index).key, shared);
    };
    std::uint16_t children = 0;
    for (const std::uint32_t leaf : leaves)
        children |= nibble_bit(nibble_of(leaf));

    const std::uint32_t index = pool.make_branch(children, path_of(first, depth, shared).view());
    Branch& branch = pool.branch(index);
    branch.flags = flags;
    branch.dirty = children;
    branch.leaf_count = static_cast<std::uint32_t>(leaves.size());
    const auto visit = static_cast<std::uint32_t>(levels.visits[place.level].size());
    levels.visits[place.level].push_back({.branch = index,
                                          .parent = place.parent,
                                          .root = place.root,
                                          .nibble = place.nibble,
                                          .depth = static_cast<std::uint8_t>(shared)});
    for (std::size_t begin = 0; begin < leaves.size();) {
        const std::uint8_t nibble = nibble_of(leaves[begin]);
        std::size_t end = begin + 1;
        while (end < leaves.size() && nibble_of(leaves[end]) == nibble)
            ++end;
        const Link child =
            build_subtrie(pool, {leaves.subspan(begin, end - begin), shared + 1},
                          {place.level + 1, visit, place.root, nibble}, flags, levels);
        NodePool::set_link(branch, nibble_bit(nibble), child);
        begin = end;
    }
    return {LinkKind::branch, index};
}

void HashPass::run(Levels& levels) {
    hash_leaves(levels);
    std::size_t level = levels.visits.size();
    while (level > 0)
        hash_level(levels, --level);
    for (const std::vector<Visit>& visits : levels.visits) {
        for (const Visit& visit : visits) {
            if (visit.state != Visit::State::active) continue;
            Branch& branch = pool_.branch(visit.branch);
            branch.dirty = 0;
            branch.clear(kVisited);
            branch.clear(kStale);
        }
    }
}

void HashPass::hash_leaves(Levels& levels) {
    const auto write = [this](std::uint32_t index, std::size_t depth, const Target& target,
                              bool must_hash) {
        std::uint8_t* const rlp = batch_.begin(pool_.max_leaf_size(index));
        finish(rlp, pool_.write_leaf_rlp(index, depth, rlp), target, must_hash);
    };
    for (const std::vector<Visit>& visits : levels.visits) {
        for (const Visit& visit : visits) {
            if (visit.state != Visit::State::active) continue;
            Branch& branch = pool_.branch(visit.branch);
            for (std::uint32_t bits = branch.dirty & branch.leaves; bits != 0; bits &= bits - 1) {
                const auto bit = static_cast<std::uint16_t>(bits & -bits);
                write(branch.links()[branch.position(bit)], visit.depth + 1U,
                      {branch.reference(bit), &branch, nullptr, bit}, false);
            }
        }
    }
    for (RootSlot& root : levels.roots)
        if (root.is_dirty && root.link.kind == LinkKind::leaf)
            write(root.link.index, root.depth,
                  {root.reference.bytes.data(), nullptr, &root.reference, 0}, root.is_whole);
    flush();
}

HashPass::Target HashPass::target_of(Levels& levels, std::size_t level, const Visit& visit) {
    const Visit* at = &visit;
    while (level > 0 && levels.visits[level - 1][at->parent].state == Visit::State::forwarded)
        at = &levels.visits[--level][at->parent];
    if (level == 0) {
        Reference& reference = levels.roots[visit.root].reference;
        return {reference.bytes.data(), nullptr, &reference, 0};
    }
    Branch& parent = pool_.branch(levels.visits[level - 1][at->parent].branch);
    const std::uint16_t bit = nibble_bit(at->nibble);
    return {parent.reference(bit), &parent, nullptr, bit};
}

void HashPass::hash_level(Levels& levels, std::size_t level) {
    std::vector<Visit>& visits = levels.visits[level];
    const auto is_root = [&](const Target& target, const Visit& visit) {
        return target.parent == nullptr && levels.roots[visit.root].is_whole;
    };
    extended_.clear();
    std::size_t extended_count = 0;
    for (const Visit& visit : visits)
        if (visit.state == Visit::State::active && pool_.branch(visit.branch).prefix_size != 0)
            ++extended_count;
    extended_.reserve(extended_count);  // targets point into it

    for (std::size_t i = 0; i < visits.size(); ++i) {
        if (i + kLookAhead < visits.size() && visits[i + kLookAhead].state == Visit::State::active)
            pool_.prefetch_references(visits[i + kLookAhead].branch);
        const Visit& visit = visits[i];
        if (visit.state != Visit::State::active) continue;
        Branch& branch = pool_.branch(visit.branch);
        if (!is_changed(branch)) continue;
        std::uint8_t* const rlp = batch_.begin(kMaxBranchRlp);
        const std::size_t size =
            write_branch(branch.children, branch.embedded, branch.references(), rlp);
        if (branch.prefix_size == 0) {
            const Target target = target_of(levels, level, visit);
            finish(rlp, size, target, is_root(target, visit));
        } else {
            Reference& own = extended_.emplace_back(static_cast<std::uint32_t>(i)).reference;
            finish(rlp, size, {own.bytes.data(), nullptr, &own, 0}, false);
        }
    }
    flush();
    for (const Extended& extended : extended_) {
        const Visit& visit = visits[extended.visit];
        const Target target = target_of(levels, level, visit);
        std::uint8_t* const rlp = batch_.begin(kMaxExtensionRlp);
        const NibblePath prefix = pool_.prefix(pool_.branch(visit.branch));
        finish(rlp, write_extension(prefix.view(), extended.reference, rlp), target,
               is_root(target, visit));
    }
    flush();
}

void HashPass::finish(const std::uint8_t* rlp, std::size_t size, const Target& target,
                      bool must_hash) {
    if (size < kReferenceSize && !must_hash) {
        store(target, rlp, size, true);
        return;
    }
    batch_.end(size);
    targets_.push_back(target);
    if (targets_.size() == kBatch) flush();
}

void HashPass::flush() {
    if (targets_.empty()) return;
    hashes_.resize(targets_.size());
    batch_.run(hashes_);
    for (std::size_t i = 0; i < targets_.size(); ++i)
        store(targets_[i], hashes_[i].bytes.data(), kReferenceSize, false);
    targets_.clear();
}

void HashPass::store(const Target& target, const std::uint8_t* bytes, std::size_t size,
                     bool is_embedded) {
    std::memcpy(target.bytes, bytes, size);
    if (target.reference != nullptr) {
        target.reference->is_embedded = is_embedded;
        // The rest counts when references are compared.
        std::memset(target.bytes + size, 0, kReferenceSize - size);
        return;
    }
    const auto others = static_cast<std::uint16_t>(~target.bit);
    target.parent->embedded = static_cast<std::uint16_t>((target.parent->embedded & others) |
                                                         (is_embedded ? target.bit : 0));
}

}  // namespace heddle::ledger
