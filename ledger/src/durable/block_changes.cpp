// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "durable/block_changes.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace heddle::ledger {

namespace {

template <typename Range, typename Key, typename Projection>
auto* find_sorted(Range& range, const Key& key, Projection projection) noexcept {
    const auto found = std::ranges::lower_bound(range, key, {}, projection);
    const bool is_there = found != range.end() && (*found).*projection == key;
    return is_there ? &*found : nullptr;
}

StateDiff to_diff(const BlockChanges& changes, std::optional<AccountRecord> AccountUpdate::* record,
                  Uint256 SlotUpdate::* value) {
    StateDiff diff;
    diff.accounts.reserve(changes.accounts.size());
    for (const AccountUpdate& update : changes.accounts) {
        AccountChange& change = diff.accounts.emplace_back();
        change.address = update.address;
        if (!(update.*record).has_value()) continue;
        change.account = (update.*record)->account;
        change.storage.reserve(update.slots.size());
        for (const SlotUpdate& slot : update.slots)
            change.storage.push_back({slot.slot, slot.*value});
    }
    return diff;
}

/// Folds elements of one key, oldest first, into one: calls `join(newer, into)`.
template <typename T, typename Key, typename Join>
std::vector<T> fold_by_key(const std::vector<const T*>& elements, Key key, Join join) {
    std::vector<std::size_t> order(elements.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(elements[i]->*key, i); });
    std::vector<T> folded;
    folded.reserve(elements.size());
    for (const std::size_t i : order) {
        const T& element = *elements[i];
        if (!folded.empty() && folded.back().*key == element.*key)
            join(element, folded.back());
        else
            folded.push_back(element);
    }
    return folded;
}

std::vector<SlotUpdate> merge_slots(const std::vector<SlotUpdate>& older,
                                    const std::vector<SlotUpdate>& newer) {
    std::vector<const SlotUpdate*> slots;
    slots.reserve(older.size() + newer.size());
    for (const std::vector<SlotUpdate>* part : {&older, &newer})
        for (const SlotUpdate& slot : *part)
            slots.push_back(&slot);
    return fold_by_key(slots, &SlotUpdate::slot,
                       [](const SlotUpdate& from, SlotUpdate& into) { into.after = from.after; });
}

}  // namespace

const AccountUpdate* BlockChanges::find(const Address& address) const noexcept {
    return find_sorted(accounts, address, &AccountUpdate::address);
}

AccountUpdate* BlockChanges::find(const Address& address) noexcept {
    return find_sorted(accounts, address, &AccountUpdate::address);
}

const SlotUpdate* find_slot(const AccountUpdate& update, const Uint256& slot) noexcept {
    return find_sorted(update.slots, slot, &SlotUpdate::slot);
}

StateDiff forward_diff(const BlockChanges& changes) {
    return to_diff(changes, &AccountUpdate::after, &SlotUpdate::after);
}

StateDiff backward_diff(const BlockChanges& changes) {
    return to_diff(changes, &AccountUpdate::before, &SlotUpdate::before);
}

BlockChanges merge(std::span<const BlockChanges* const> blocks) {
    std::vector<const AccountUpdate*> updates;
    for (const BlockChanges* block : blocks)
        for (const AccountUpdate& update : block->accounts)
            updates.push_back(&update);
    return {fold_by_key(updates, &AccountUpdate::address,
                        [](const AccountUpdate& from, AccountUpdate& into) {
                            into.after = from.after;
                            into.slots = merge_slots(into.slots, from.slots);
                        })};
}

BlockChanges inverse(BlockChanges changes) {
    for (AccountUpdate& update : changes.accounts) {
        std::swap(update.before, update.after);
        for (SlotUpdate& slot : update.slots)
            std::swap(slot.before, slot.after);
    }
    return changes;
}

}  // namespace heddle::ledger
