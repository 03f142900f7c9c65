// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "trie/update_pass.hpp"

#include <algorithm>
#include <cstring>

#include <types/assert.hpp>
#include <types/expected.hpp>

namespace heddle::ledger {
namespace {

/// Visits ahead of the current one whose children are fetched into the caches.
constexpr std::size_t kLookAhead = 6;

}  // namespace

void UpdatePass::begin(std::span<const TrieJob> jobs, std::uint32_t generation,
                       std::uint32_t part_size, const LoaderCrew* crew) {
    levels_.clear();
    jobs_ = jobs;
    generation_ = generation;
    part_size_ = part_size;
    crew_ = crew;
    parts_.clear();
    waiting_.clear();  // of a run that the store has ended
    levels_.roots.resize(jobs.size());
}

UpdatePass::Result UpdatePass::run(std::span<const TrieJob> jobs, std::uint32_t generation,
                                   const LoaderCrew* crew) {
    begin(jobs, generation, 0, crew);
    for (std::size_t i = 0; i < jobs.size(); ++i)
        levels_.roots[i].link = jobs[i].tree->link;
    HEDDLE_CHECK(go_down());
    HEDDLE_CHECK(go_up());
    for (std::size_t i = 0; i < jobs.size(); ++i)
        store(levels_.roots[i], *jobs[i].tree);
    return {};
}

UpdatePass::Result UpdatePass::go_down() {
    HEDDLE_CHECK(load_roots());
    for (std::uint32_t i = 0; i < jobs_.size(); ++i)
        descend_root(i);
    for (std::size_t depth = 0; depth < levels_.visits.size(); ++depth) {
        // Visits only add to the levels below.
        const std::vector<Visit>& level = levels_.visits[depth];
        if (level.empty()) break;
        for (std::uint32_t i = 0; i < level.size(); ++i) {
            if (i + kLookAhead < level.size()) prefetch_ahead(level[i + kLookAhead]);
            visit(depth, i);
        }
        HEDDLE_CHECK(load_waiting(depth));
    }
    return {};
}

UpdatePass::Result UpdatePass::go_up() {
    for (std::size_t depth = levels_.visits.size(); depth > 0;) {
        --depth;
        for (std::uint32_t i = 0; i < levels_.visits[depth].size(); ++i)
            HEDDLE_CHECK(settle(depth, i));
    }
    hash_pass_.run(levels_);
    return {};
}

void UpdatePass::store(const RootSlot& root, Tree& tree) {
    tree.link = root.link;
    if (!root.is_dirty) return;
    tree.is_unsaved = true;
    tree.root = root.link.kind == LinkKind::none ? kEmptyTrieRoot : Hash{root.reference.bytes};
}

std::span<const TrieUpdate> UpdatePass::updates(const Slot& slot) const noexcept {
    return jobs_[slot.place.root].updates.subspan(slot.begin, slot.end - slot.begin);
}

UpdatePass::Result UpdatePass::load_roots() {
    requests_.clear();
    const auto is_wanted = [this](std::size_t i) {
        return levels_.roots[i].link.kind == LinkKind::stub && !jobs_[i].updates.empty() &&
               !is_part(jobs_[i].updates.size());
    };
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
        if (!is_wanted(i)) continue;
        const TrieJob& job = jobs_[i];
        const RootSlot& slot = levels_.roots[i];
        if (slot.is_whole)
            requests_.push_back(StubRequest::of_root(job.tree->owner, job.tree->root));
        else
            requests_.push_back({&job.tree->owner,
                                 path_of(job.updates[0].key.bytes.data(), 0, slot.depth),
                                 slot.reference,
                                 slot.link.index,
                                 {}});
    }
    if (requests_.empty()) return {};
    HEDDLE_CHECK(loader_.load_all(requests_, crew_));
    auto loaded = requests_.begin();
    for (std::size_t i = 0; i < jobs_.size(); ++i)
        if (is_wanted(i)) levels_.roots[i].link = (loaded++)->link;
    return {};
}

void UpdatePass::descend_root(std::uint32_t root) {
    const TrieJob& job = jobs_[root];
    RootSlot& slot = levels_.roots[root];
    if (job.updates.empty()) return;
    const Place place{0, 0, root, 0};
    if (is_part(job.updates.size())) {
        parts_.push_back({job, slot, place});
        return;
    }
    Change changed;
    change({place, slot.depth, 0, static_cast<std::uint32_t>(job.updates.size())}, slot.link,
           changed);
    slot.link = changed.link;
    slot.is_dirty = changed.is_dirty;
    slot.leaf_delta = changed.leaf_delta;
}

void UpdatePass::prefetch_ahead(const Visit& visit) const noexcept {
    if (visit.begin == visit.end) return;
    Branch& branch = pool_.branch(visit.branch);
    const TrieUpdate& first = jobs_[visit.root].updates[visit.begin];
    const Link link = branch.link(nibble_bit(nibble_at(first.key.bytes.data(), visit.depth)));
    if (link.kind == LinkKind::leaf || link.kind == LinkKind::branch) pool_.prefetch(link.index);
}

void UpdatePass::visit(std::size_t level, std::uint32_t index) {
    const Visit at = levels_.visits[level][index];
    for (std::uint32_t begin = at.begin; begin < at.end;) {
        const std::span<const TrieUpdate> updates = jobs_[at.root].updates;
        const std::uint8_t nibble = nibble_at(updates[begin].key.bytes.data(), at.depth);
        std::uint32_t end = begin + 1;
        while (end < at.end && nibble_at(updates[end].key.bytes.data(), at.depth) == nibble)
            ++end;
        const Waiting child{index, nibble, begin, end};
        Branch& branch = pool_.branch(levels_.visits[level][index].branch);
        if (is_part(end - begin) && can_hand_over(branch, nibble))
            hand_over(level, child);
        else if ((branch.stubs & nibble_bit(nibble)) != 0)
            waiting_.push_back(child);
        else
            change_child(level, child);
        begin = end;
    }
    // A branch that got a new one above it must be hashed again even if no update leads there.
    Branch& branch = pool_.branch(levels_.visits[level][index].branch);
    branch.clear(kFresh);
    if (!branch.has(kSplit)) return;
    branch.clear(kSplit);
    for (std::uint32_t bits = branch.children & ~branch.leaves & ~branch.stubs; bits != 0;
         bits &= bits - 1) {
        const Link child = branch.link(static_cast<std::uint16_t>(bits & -bits));
        const Branch& below = pool_.branch(child.index);
        if (below.has(kStale) && !below.has(kVisited))
            push_visit({level + 1, index, at.root, lowest_nibble(bits)}, child.index,
                       at.depth + 1U + below.prefix_size, 0, 0);
    }
}

/// Brings the children that the level's visits found in the store only, all together, and changes
/// them.
UpdatePass::Result UpdatePass::load_waiting(std::size_t level) {
    if (waiting_.empty()) return {};
    requests_.clear();
    for (const Waiting& child : waiting_) {
        const Visit& at = levels_.visits[level][child.visit];
        const TrieJob& job = jobs_[at.root];
        Branch& branch = pool_.branch(at.branch);
        const std::uint16_t bit = nibble_bit(child.nibble);
        requests_.push_back({&job.tree->owner,
                             path_of(job.updates[child.begin].key.bytes.data(), 0, at.depth + 1U),
                             NodePool::child_reference(branch, bit),
                             branch.link(bit).index,
                             {}});
    }
    HEDDLE_CHECK(loader_.load_all(requests_, crew_));
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
        const Waiting& child = waiting_[i];
        NodePool::set_link(pool_.branch(levels_.visits[level][child.visit].branch),
                           nibble_bit(child.nibble), requests_[i].link);
        change_child(level, child);
    }
    waiting_.clear();
    return {};
}

void UpdatePass::change_child(std::size_t level, const Waiting& child) {
    const std::uint32_t index = child.visit;
    const Visit at = levels_.visits[level][index];
    const std::uint16_t bit = nibble_bit(child.nibble);
    const Link link = link_of(pool_.branch(at.branch), bit);
    Change changed;
    change({{level + 1, index, at.root, child.nibble}, at.depth + 1U, child.begin, child.end}, link,
           changed);
    if (changed.link != link) set_child(level, index, child.nibble, changed.link);
    levels_.visits[level][index].leaf_delta += changed.leaf_delta;
    if (changed.is_dirty && changed.link.kind != LinkKind::none)
        pool_.branch(levels_.visits[level][index].branch).dirty |= bit;
}

void UpdatePass::change(const Slot& slot, Link link, Change& change) {
    change.link = link;
    if (part_size_ != 0 && grow(slot, link, change)) return;
    switch (link.kind) {
        case LinkKind::none:
            leaves_.clear();
            rebuild(slot, change);
            break;
        case LinkKind::leaf:
            change_leaf(slot, link.index, change);
            break;
        case LinkKind::branch:
            enter_branch(slot, link.index, change);
            break;
        case LinkKind::stub:
            HEDDLE_ASSERT(false);
    }
}

BytesView UpdatePass::compose(const TrieUpdate& update, const std::uint32_t* old_leaf) {
    if (update.kept_root == nullptr) return update.value;
    value_.assign(update.value.begin(), update.value.end());
    std::uint8_t* const root = value_.data() + value_.size() - kStorageRootFromEnd;
    if (old_leaf != nullptr)
        std::memcpy(root, pool_.storage_root(*old_leaf).bytes.data(), kReferenceSize);
    std::memcpy(update.kept_root->bytes.data(), root, kReferenceSize);
    return value_;
}

void UpdatePass::change_leaf(const Slot& slot, std::uint32_t leaf, Change& change) {
    const std::span<const TrieUpdate> changes = updates(slot);
    const auto is_key = [&](const TrieUpdate& update) {
        return std::memcmp(update.key.bytes.data(), pool_.leaf(leaf).key, 32) == 0;
    };
    if (changes.size() > 1 || !is_key(changes[0])) {
        // Nothing here unless a key is put, or this very leaf is removed.
        if (std::ranges::all_of(changes, [&](const TrieUpdate& update) {
                return update.value.empty() && !is_key(update);
            }))
            return;
        leaves_.assign(1, leaf);
        rebuild(slot, change);
        return;
    }
    if (changes[0].value.empty()) {
        pool_.free_leaf(leaf);
        change = {{}, true, -1};
        return;
    }
    const BytesView value = compose(changes[0], &leaf);
    if (pool_.has_value(leaf, value)) return;
    change.link.index = pool_.set_value(leaf, value);
    change.is_dirty = true;
}

/// Makes the child of the one leaf in `leaves_`, if any, and the slot's updates.
void UpdatePass::rebuild(const Slot& slot, Change& change) {
    std::vector<std::uint32_t> old;
    old.swap(leaves_);
    std::vector<std::uint32_t>& leaves = leaves_;
    std::size_t next_old = 0;
    const auto order = [&](const TrieUpdate& update) {
        return std::memcmp(pool_.leaf(old[next_old]).key, update.key.bytes.data(), 32);
    };
    for (const TrieUpdate& update : updates(slot)) {
        bool is_here = false;
        if (next_old < old.size() && order(update) <= 0) {
            is_here = order(update) == 0;
            if (!is_here) leaves.push_back(old[next_old++]);
        }
        if (!update.value.empty()) {
            const BytesView value = compose(update, is_here ? &old[next_old] : nullptr);
            leaves.push_back(pool_.make_leaf(update.key.bytes.data(), value));
        }
        if (is_here) pool_.free_leaf(old[next_old++]);
    }
    if (next_old < old.size()) leaves.push_back(old[next_old]);
    change.leaf_delta =
        static_cast<std::int32_t>(leaves.size()) - static_cast<std::int32_t>(old.size());
    change.is_dirty = !leaves.empty() || !old.empty();
    change.link = build_subtrie(pool_, {leaves, slot.depth}, slot.place,
                                kVisited | kStale | kUnsaved, levels_);
    leaves.clear();
}

void UpdatePass::enter_branch(const Slot& slot, std::uint32_t index, Change& change) {
    Branch& branch = pool_.branch(index);
    Slot inside = slot;
    std::size_t depth = slot.depth + branch.prefix_size;
    if (branch.prefix_size != 0) {
        const NibblePath prefix = pool_.prefix(branch);
        const auto shared_with = [&](const TrieUpdate& update) {
            std::size_t shared = 0;
            while (shared < prefix.size &&
                   prefix.nibbles[shared] ==
                       nibble_at(update.key.bytes.data(), slot.depth + shared))
                ++shared;
            return shared;
        };
        std::size_t shared = prefix.size;
        for (const TrieUpdate& update : updates(slot))
            if (!update.value.empty()) shared = std::min(shared, shared_with(update));
        // What does not share that much is not there and was to be removed. The rest is in one
        // piece, because the keys are sorted.
        const auto is_outside = [&](std::uint32_t i) {
            return shared_with(jobs_[slot.place.root].updates[i]) < shared;
        };
        while (inside.begin < inside.end && is_outside(inside.begin))
            ++inside.begin;
        while (inside.begin < inside.end && is_outside(inside.end - 1))
            --inside.end;
        if (inside.begin == inside.end) return;
        if (shared < prefix.size) {
            change.link.index = split(index, shared);
            change.is_dirty = true;
            depth = slot.depth + shared;
        }
    }
    push_visit(slot.place, change.link.index, depth, inside.begin, inside.end);
}

/// Puts a branch into the prefix of another, behind `shared` nibbles of it. @return the new one.
std::uint32_t UpdatePass::split(std::uint32_t index, std::size_t shared) {
    Branch& lower = pool_.branch(index);
    const NibblePath prefix = pool_.prefix(lower);
    const std::uint16_t bit = nibble_bit(prefix.nibbles[shared]);
    const std::uint32_t made = pool_.make_branch(bit, prefix.view().first(shared));
    Branch& upper = pool_.branch(made);
    upper.leaf_count = lower.leaf_count;
    upper.dirty = bit;
    // What the store has at this path is now the upper one's to replace or to remove.
    upper.flags = static_cast<std::uint8_t>(kSplit | kStale | kUnsaved | (lower.flags & kStored));
    NodePool::set_link(upper, bit, {LinkKind::branch, index});
    pool_.set_prefix(lower, prefix.view().subspan(shared + 1));
    lower.clear(kStored);
    lower.set(kStale);
    lower.set(kUnsaved);
    return made;
}

void UpdatePass::push_visit(const Place& place, std::uint32_t index, std::size_t depth,
                            std::uint32_t begin, std::uint32_t end) {
    Branch& branch = pool_.branch(index);
    branch.set(kVisited);
    branch.last_used = generation_;
    levels_.visits[place.level].push_back({.branch = index,
                                           .parent = place.parent,
                                           .root = place.root,
                                           .begin = begin,
                                           .end = end,
                                           .nibble = place.nibble,
                                           .depth = static_cast<std::uint8_t>(depth)});
}

}  // namespace heddle::ledger
