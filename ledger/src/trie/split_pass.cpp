// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The steps of UpdatePass that let several threads share it.

#include <cstring>

#include <types/assert.hpp>
#include <types/expected.hpp>

#include "trie/update_pass.hpp"

namespace heddle::ledger {

UpdatePass::Result UpdatePass::split(std::span<const TrieJob> jobs, std::uint32_t generation,
                                     std::uint32_t part_size, const LoaderCrew* crew) {
    HEDDLE_ASSERT(part_size > 0);
    begin(jobs, generation, part_size, crew);
    for (std::size_t i = 0; i < jobs.size(); ++i)
        levels_.roots[i].link = jobs[i].tree->link;
    return go_down();
}

UpdatePass::Result UpdatePass::run_parts(std::span<TriePart> parts, std::uint32_t generation) {
    part_jobs_.clear();
    for (const TriePart& part : parts)
        part_jobs_.push_back(part.job);
    begin(part_jobs_, generation, 0, nullptr);
    for (std::size_t i = 0; i < parts.size(); ++i)
        levels_.roots[i] = parts[i].slot;
    HEDDLE_CHECK(go_down());
    HEDDLE_CHECK(go_up());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        parts[i].slot = levels_.roots[i];
        if (parts[i].slot.is_whole) store(parts[i].slot, *parts[i].job.tree);
    }
    return {};
}

UpdatePass::Result UpdatePass::join() {
    for (const TriePart& part : parts_)
        if (part.place.level != 0) take_over(part);
    HEDDLE_CHECK(go_up());
    for (std::size_t i = 0; i < jobs_.size(); ++i)
        if (!is_part(jobs_[i].updates.size())) store(levels_.roots[i], *jobs_[i].tree);
    return {};
}

/// A branch that was split off and must be hashed whether or not an update comes to it stays with
/// the pass that split it: only visit() sees to that.
bool UpdatePass::can_hand_over(Branch& branch, std::uint8_t nibble) const noexcept {
    if (!branch.has(kSplit)) return true;
    const Link link = branch.link(nibble_bit(nibble));
    return link.kind != LinkKind::branch || !pool_.branch(link.index).has(kStale);
}

void UpdatePass::hand_over(std::size_t level, const Waiting& child) {
    const Visit& at = levels_.visits[level][child.visit];
    const TrieJob& job = jobs_[at.root];
    Branch& branch = pool_.branch(at.branch);
    const std::uint16_t bit = nibble_bit(child.nibble);
    TriePart& part = parts_.emplace_back();
    part.job = {job.tree, job.updates.subspan(child.begin, child.end - child.begin)};
    part.slot.link = link_of(branch, bit);
    part.slot.depth = static_cast<std::uint8_t>(at.depth + 1U);
    part.slot.is_whole = false;
    if (part.slot.link.kind == LinkKind::stub)
        part.slot.reference = NodePool::child_reference(branch, bit);
    part.place = {level + 1, child.visit, at.root, child.nibble};
}

/// Hangs what became of a part where it belongs.
void UpdatePass::take_over(const TriePart& part) {
    const std::size_t level = part.place.level - 1;
    Visit& at = levels_.visits[level][part.place.parent];
    at.leaf_delta += part.slot.leaf_delta;
    set_child(level, part.place.parent, part.place.nibble, part.slot.link);
    if (!part.slot.is_dirty || part.slot.link.kind == LinkKind::none) return;
    Branch& branch = pool_.branch(at.branch);
    const std::uint16_t bit = nibble_bit(part.place.nibble);
    NodePool::set_reference(branch, bit, part.slot.reference);
    branch.dirty &= static_cast<std::uint16_t>(~bit);
    branch.set(kStale);
}

Link UpdatePass::link_of(Branch& branch, std::uint16_t bit) noexcept {
    if (branch.has(kFresh) && (branch.leaves & bit) == 0) return {};
    return branch.link(bit);
}

/// Where nothing or a leaf is and more updates come than a part may have: puts the branch there
/// that is above all of them, its children to be made like those of any other. @return whether it
/// did; not if there is at most one key to be above.
bool UpdatePass::grow(const Slot& slot, Link link, Change& change) {
    if (link.kind != LinkKind::none && link.kind != LinkKind::leaf) return false;
    const bool has_leaf = link.kind == LinkKind::leaf;
    const std::span<const TrieUpdate> changes = updates(slot);
    const std::uint8_t* const leaf = has_leaf ? pool_.leaf(link.index).key : nullptr;
    const std::uint8_t* first = leaf;
    const std::uint8_t* last = leaf;
    for (const TrieUpdate& update : changes) {
        if (update.value.empty()) continue;
        const std::uint8_t* const key = update.key.bytes.data();
        if (first == nullptr || std::memcmp(key, first, sizeof(Hash)) < 0) first = key;
        if (last == nullptr || std::memcmp(key, last, sizeof(Hash)) > 0) last = key;
    }
    if (first == nullptr) return false;
    const std::size_t shared = shared_nibbles(first, last);
    if (shared == kKeyNibbles) return false;

    std::uint16_t children = has_leaf ? nibble_bit(nibble_at(leaf, shared)) : std::uint16_t{0};
    const std::uint16_t leaf_bit = children;
    for (const TrieUpdate& update : changes)
        if (!update.value.empty())
            children |= nibble_bit(nibble_at(update.key.bytes.data(), shared));
    const std::uint32_t made =
        pool_.make_branch(children, path_of(first, slot.depth, shared).view());
    Branch& branch = pool_.branch(made);
    branch.flags = kFresh | kStale | kUnsaved;
    branch.leaf_count = has_leaf ? 1 : 0;
    if (has_leaf) {
        NodePool::set_link(branch, leaf_bit, link);
        branch.dirty = leaf_bit;
    }
    change = {{LinkKind::branch, made}, true, 0};
    // The others remove what is not there.
    std::uint32_t begin = slot.begin;
    std::uint32_t end = slot.end;
    const auto is_outside = [&](std::uint32_t i) {
        const TrieUpdate& update = jobs_[slot.place.root].updates[i];
        return shared_nibbles(first, update.key.bytes.data()) < shared;
    };
    while (is_outside(begin))
        ++begin;
    while (is_outside(end - 1))
        --end;
    push_visit(slot.place, made, shared, begin, end);
    return true;
}

}  // namespace heddle::ledger
