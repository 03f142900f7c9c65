// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "durable/block_changes.hpp"

#include <algorithm>
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

/// The elements by key, those of one key oldest first as they were given.
template <typename T, typename Key>
void sort_by_key(std::vector<const T*>& elements, Key T::* key) {
    // Not std::stable_sort: libstdc++ makes it with a function that it calls deprecated itself.
    struct Place {
        const T* element;
        std::size_t age;
    };
    std::vector<Place> places;
    places.reserve(elements.size());
    for (const T* element : elements)
        places.push_back({element, places.size()});
    std::ranges::sort(places, [key](const Place& a, const Place& b) {
        if (a.element->*key != b.element->*key) return a.element->*key < b.element->*key;
        return a.age < b.age;
    });
    std::ranges::transform(places, elements.begin(), &Place::element);
}

/// What the updates of one account, oldest first, did to its slots together.
std::vector<SlotUpdate> merge_slots(std::span<const AccountUpdate* const> updates) {
    std::vector<const SlotUpdate*> slots;
    for (const AccountUpdate* update : updates)
        for (const SlotUpdate& slot : update->slots)
            slots.push_back(&slot);
    sort_by_key(slots, &SlotUpdate::slot);
    std::vector<SlotUpdate> merged;
    merged.reserve(slots.size());
    for (const SlotUpdate* slot : slots) {
        if (!merged.empty() && merged.back().slot == slot->slot)
            merged.back().after = slot->after;
        else
            merged.push_back(*slot);
    }
    return merged;
}

}  // namespace

std::size_t held_bytes(const BlockChanges& changes) noexcept {
    std::size_t bytes = 0;
    for (const AccountUpdate& update : changes.accounts)
        bytes += sizeof update + update.slots.size() * sizeof(SlotUpdate);
    return bytes;
}

std::size_t count_values(const BlockChanges& changes) noexcept {
    std::size_t count = changes.accounts.size();
    for (const AccountUpdate& update : changes.accounts)
        count += update.slots.size();
    return count;
}

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
    sort_by_key(updates, &AccountUpdate::address);
    BlockChanges merged;
    merged.accounts.reserve(updates.size());
    for (auto first = updates.begin(); first != updates.end();) {
        const auto last = std::find_if(first, updates.end(), [&](const AccountUpdate* update) {
            return update->address != (*first)->address;
        });
        const std::span<const AccountUpdate* const> same(first, last);
        AccountUpdate& account = merged.accounts.emplace_back();
        account.address = same.front()->address;
        account.before = same.front()->before;
        account.after = same.back()->after;
        account.slots = same.size() == 1 ? same.front()->slots : merge_slots(same);
        first = last;
    }
    return merged;
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
