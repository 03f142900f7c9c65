// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "merge_oracle.hpp"

#include <algorithm>

namespace heddle::consensus_adapter::lanes::test {

MergedCut MergeOracle::merge(std::span<const MergeBlock> lanes, LaneSet silent) {
    MergedCut result;
    ++cut_;
    std::size_t longest = 0;
    for (const MergeBlock& block : lanes)
        longest = std::max(longest, block.entries.size());
    for (std::size_t i = 0; i < longest; ++i)
        for (LaneNumber lane = 0; lane < LaneNumber(lanes.size()); ++lane) {
            const MergeBlock& block = lanes[lane];
            if (i >= block.entries.size()) continue;
            const MergeEntry& entry = block.entries[i];
            insert(lane, entry,
                   std::span{block.accesses}.subspan(entry.first_access, entry.access_count),
                   result);
        }
    for (std::size_t t = 0; t < all_.size(); ++t)
        if (all_[t].is_incomplete() && all_[t].first_cut != cut_ &&
            cut_ - all_[t].first_cut >= rules_.max_age_cuts)
            reject(t, RejectionReason::incomplete, result);
    for (std::size_t t = 0; t < all_.size(); ++t)
        if (all_[t].is_incomplete() && all_[t].entry.lanes.without(all_[t].seen).intersects(silent))
            reject(t, RejectionReason::silent_lane, result);
    find_reachable();
    if (must_clear()) {
        result.is_clearing = true;
        for (std::size_t t = 0; t < all_.size(); ++t)
            if (all_[t].is_incomplete()) reject(t, RejectionReason::cleared, result);
    }
    std::vector<bool> stable(all_.size());
    for (std::size_t t = 0; t < all_.size(); ++t)
        stable[t] = !all_[t].is_decided && is_stable(t);
    Bits walked(all_.size());
    for (std::size_t t = 0; t < all_.size(); ++t)
        if (stable[t] && !walked[t]) walk(t, walked, result);
    for (std::size_t t = 0; t < all_.size(); ++t) {
        if (stable[t]) all_[t].is_decided = true;
        const bool waits = !all_[t].is_decided && !all_[t].is_incomplete();
        if (waits && all_[t].waits_since == 0) all_[t].waits_since = cut_;
    }
    return result;
}

void MergeOracle::insert(LaneNumber lane, const MergeEntry& entry,
                         std::span<const LaneAccess> accesses, MergedCut& result) {
    const auto [found, is_new] = by_digest_.try_emplace(entry.digest, all_.size());
    if (is_new) {
        all_.emplace_back();
        all_.back().entry = entry;
        all_.back().first_cut = cut_;
    }
    Transaction& transaction = all_[found->second];
    if (transaction.is_decided || transaction.is_rejected || transaction.seen.has(lane)) {
        ++result.ignored_entries;
        return;
    }
    transaction.seen.add(lane);
    if (transaction.content == 0) transaction.content = entry.content;
    transaction.weight += accesses.size();
    for (const LaneAccess& access : accesses)
        add_before(found->second, lane, access);
    logs_[lane].push_back({found->second, {accesses.begin(), accesses.end()}});
}

void MergeOracle::add_before(std::size_t transaction, LaneNumber lane, const LaneAccess& access) {
    std::vector<std::size_t> readers;
    std::vector<std::size_t> writer;
    for (auto logged = logs_[lane].rbegin(); logged != logs_[lane].rend(); ++logged) {
        const auto found = std::ranges::find(logged->accesses, access.object, &LaneAccess::object);
        if (found == logged->accesses.end()) continue;
        if (found->is_exclusive) {
            if (!all_[logged->transaction].is_decided) writer.push_back(logged->transaction);
            break;
        }
        if (!all_[logged->transaction].is_decided) readers.push_back(logged->transaction);
    }
    std::ranges::reverse(readers);
    const auto& wanted = access.is_exclusive && !readers.empty() ? readers : writer;
    auto& before = all_[transaction].before;
    before.insert(before.end(), wanted.begin(), wanted.end());
}

void MergeOracle::reject(std::size_t transaction, RejectionReason reason, MergedCut& result) {
    Transaction& rejected = all_[transaction];
    result.rejected.push_back({rejected.entry.id, rejected.entry.digest, rejected.content, reason,
                               rejected.entry.lanes.without(rejected.seen)});
    rejected.is_rejected = true;
}

void MergeOracle::find_reachable() {
    reaches_.assign(all_.size(), Bits(all_.size()));
    for (std::size_t t = 0; t < all_.size(); ++t)
        for (const std::size_t before : all_[t].before)
            if (!all_[before].is_decided && !all_[t].is_decided) reaches_[before][t] = true;
    for (std::size_t middle = 0; middle < all_.size(); ++middle)
        for (std::size_t from = 0; from < all_.size(); ++from)
            if (reaches_[from][middle]) reaches_[from] |= reaches_[middle];
}

bool MergeOracle::is_stable(std::size_t transaction) const {
    if (all_[transaction].is_incomplete()) return false;
    for (std::size_t from = 0; from < all_.size(); ++from)
        if (all_[from].is_incomplete() && reaches_[from][transaction]) return false;
    return true;
}

bool MergeOracle::must_clear() const {
    bool is_any_incomplete = false;
    bool is_held = false;
    std::size_t weight = 0;
    for (std::size_t t = 0; t < all_.size(); ++t) {
        const Transaction& transaction = all_[t];
        if (transaction.is_decided || is_stable(t)) continue;
        weight += transaction.weight;
        is_any_incomplete |= transaction.is_incomplete();
        is_held |=
            transaction.waits_since != 0 && cut_ - transaction.waits_since >= rules_.max_held_cuts;
    }
    return is_any_incomplete && (is_held || weight > rules_.max_waiting);
}

void MergeOracle::walk(std::size_t transaction, Bits& walked, MergedCut& result) {
    walked[transaction] = true;
    bool is_first = true;  // of its component, to be come to
    for (std::size_t other = 0; other < all_.size(); ++other)
        if (other != transaction && walked[other] && !all_[other].is_decided &&
            reaches_[transaction][other] && reaches_[other][transaction])
            is_first = false;
    for (const std::size_t before : all_[transaction].before)
        if (!all_[before].is_decided && !walked[before]) walk(before, walked, result);
    if (is_first) place(transaction, result);
}

void MergeOracle::place(std::size_t transaction, MergedCut& result) {
    std::vector<std::size_t> members{transaction};
    for (std::size_t other = 0; other < all_.size(); ++other)
        if (other != transaction && reaches_[transaction][other] && reaches_[other][transaction])
            members.push_back(other);
    std::ranges::sort(members, [this](std::size_t a, std::size_t b) {
        const MergeEntry& left = all_[a].entry;
        const MergeEntry& right = all_[b].entry;
        return left.id != right.id ? left.id < right.id : left.digest < right.digest;
    });
    if (members.size() > 1) {
        ++result.components;
        result.component_members += members.size();
        result.largest_component =
            std::max<std::uint64_t>(result.largest_component, members.size());
    }
    for (const std::size_t member : members) {
        Transaction& placed = all_[member];
        placed.component = transaction + 1;
        if (placed.is_rejected) continue;
        if (placed.content != 0)
            result.order.push_back({placed.entry.id, placed.entry.digest, placed.content});
        else
            result.rejected.push_back(
                {placed.entry.id, placed.entry.digest, 0, RejectionReason::no_content, {}});
    }
}

}  // namespace heddle::consensus_adapter::lanes::test
