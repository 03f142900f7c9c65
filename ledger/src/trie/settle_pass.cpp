// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The way up of UpdatePass: counts leaves, tells the branches above what changed, and takes out
// branches that are left with one child or none.

#include "trie/update_pass.hpp"

#include <types/assert.hpp>
#include <types/expected.hpp>

namespace heddle::ledger {

/// Makes `link` the link to the visited branch, where it hangs.
void UpdatePass::relink(std::size_t level, const Visit& visit, Link link) {
    if (level == 0)
        levels_.roots[visit.root].link = link;
    else
        set_child(level - 1, visit.parent, visit.nibble, link);
}

/// Sets, adds or removes a child of a visited branch, which may move by that.
void UpdatePass::set_child(std::size_t level, std::uint32_t index, std::uint8_t nibble, Link link) {
    Visit& at = levels_.visits[level][index];
    const std::uint16_t bit = nibble_bit(nibble);
    const std::uint16_t had = pool_.branch(at.branch).children;
    const auto children =
        static_cast<std::uint16_t>(link.kind == LinkKind::none ? had & ~bit : had | bit);
    if (children != had) {
        at.branch = pool_.reshape(at.branch, children);
        relink(level, Visit(at), {LinkKind::branch, at.branch});
        pool_.branch(at.branch).set(kStale);
    }
    if (link.kind != LinkKind::none) NodePool::set_link(pool_.branch(at.branch), bit, link);
}

void UpdatePass::mark_dirty(std::size_t level, const Visit& visit) {
    if (level == 0) {
        levels_.roots[visit.root].is_dirty = true;
        return;
    }
    pool_.branch(levels_.visits[level - 1][visit.parent].branch).dirty |= nibble_bit(visit.nibble);
}

void UpdatePass::add_delta(std::size_t level, const Visit& visit, std::int32_t delta) {
    if (level == 0)
        levels_.roots[visit.root].leaf_delta += delta;
    else
        levels_.visits[level - 1][visit.parent].leaf_delta += delta;
}

NibblePath UpdatePass::path_to(const Visit& visit, std::size_t size) const {
    // A branch that loses children does so by updates, and all of them share its path.
    HEDDLE_ASSERT(visit.begin < visit.end);
    return path_of(jobs_[visit.root].updates[visit.begin].key.bytes.data(), 0, size);
}

void UpdatePass::note_stale(const Visit& visit, const NibblePath& path) {
    stale_.push_back({jobs_[visit.root].tree->owner, path});
}

UpdatePass::Result UpdatePass::settle(std::size_t level, std::uint32_t index) {
    Visit& at = levels_.visits[level][index];
    Branch& branch = pool_.branch(at.branch);
    if (at.leaf_delta != 0) {
        branch.leaf_count += static_cast<std::uint32_t>(at.leaf_delta);
        add_delta(level, at, at.leaf_delta);
    }
    if (branch.dirty == 0 && !branch.has(kStale)) return {};
    branch.set(kUnsaved);
    branch.last_used = generation_;
    mark_dirty(level, at);
    if (branch.child_count() >= 2) return {};
    if (branch.child_count() == 1) return collapse(level, index);

    if (branch.has(kStored)) note_stale(at, path_to(at, at.depth - branch.prefix_size));
    pool_.free_branch(at.branch);
    at.state = Visit::State::gone;
    relink(level, Visit(at), {});
    return {};
}

/// Replaces a branch by its only child, whose path grows by the branch's prefix and one nibble.
UpdatePass::Result UpdatePass::collapse(std::size_t level, std::uint32_t index) {
    Visit& at = levels_.visits[level][index];
    Branch& branch = pool_.branch(at.branch);
    const std::uint8_t nibble = lowest_nibble(branch.children);
    Link child = branch.link(branch.children);
    NibblePath child_path = path_to(at, at.depth);
    child_path.push_back(nibble);
    if (child.kind == LinkKind::stub) {
        HEDDLE_TRY(child, loader_.load({&jobs_[at.root].tree->owner,
                                        child_path,
                                        NodePool::child_reference(branch, branch.children),
                                        child.index,
                                        {}}));
    }
    const std::uint8_t stored = branch.flags & kStored;
    NibblePath prefix = pool_.prefix(branch);
    if (child.kind == LinkKind::leaf) {
        if (stored != 0) note_stale(at, path_to(at, at.depth - prefix.size));
        pool_.free_branch(at.branch);
        at.state = Visit::State::gone;
        relink(level, Visit(at), child);
        return {};
    }
    Branch& below = pool_.branch(child.index);
    if (below.has(kStored)) note_stale(at, child_path);
    prefix.push_back(nibble);
    const std::size_t below_prefix = below.prefix_size;
    prefix.append(pool_.prefix(below).view());
    pool_.set_prefix(below, prefix.view());
    // The child moves to this branch's path, and takes over what the store has there.
    below.flags = static_cast<std::uint8_t>((below.flags & ~kStored) | stored | kStale | kUnsaved);
    below.last_used = generation_;
    pool_.free_branch(at.branch);
    if (below.has(kVisited)) {
        at.state = Visit::State::forwarded;
    } else {
        below.set(kVisited);
        at.branch = child.index;
        at.depth = static_cast<std::uint8_t>(at.depth + 1 + below_prefix);
    }
    relink(level, Visit(at), child);
    return {};
}

}  // namespace heddle::ledger
