// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads fall through to the base; changes stay here.
#include "chain/state_overlay.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace heddle::node {

std::optional<Account> StateOverlay::account(const StateView& base,
                                             const Address& address) const noexcept {
    const auto entry = entries_.find(address);
    return entry == entries_.end() ? base.account(address) : entry->second.account;
}

Uint256 StateOverlay::storage(const StateView& base, const Address& address,
                              const Uint256& slot) const noexcept {
    const auto entry = entries_.find(address);
    if (entry == entries_.end()) return base.storage(address, slot);
    const auto found = entry->second.slots.find(slot);
    if (found != entry->second.slots.end()) return found->second;
    return entry->second.is_storage_cleared ? Uint256{} : base.storage(address, slot);
}

bool StateOverlay::has_storage(const StateView& base, const Address& address) const noexcept {
    const auto entry = entries_.find(address);
    if (entry == entries_.end()) return base.has_storage(address);
    const auto is_set = [](const auto& slot) { return !slot.second.is_zero(); };
    if (std::ranges::any_of(entry->second.slots, is_set)) return true;
    return !entry->second.is_storage_cleared && base.has_storage(address);
}

const Bytes* StateOverlay::code(const Hash& code_hash) const noexcept {
    const auto found = codes_.find(code_hash);
    return found == codes_.end() ? nullptr : &found->second;
}

std::expected<void, ledger::LedgerError> StateOverlay::visit_slots(
    const ledger::PastState& base, const ledger::AccountKey& account, const Hash& from,
    const ledger::PastState::VisitSlot& visit) const {
    const auto entry =
        account.address.has_value() ? entries_.find(*account.address) : entries_.end();
    if (entry == entries_.end()) return base.visit_slots(account, from, visit);
    std::map<Hash, ledger::VisitedSlot> top;
    for (const auto& [slot, value] : entry->second.slots) {
        const Hash hash = keccak256(to_hash(slot).view());
        if (hash >= from) top.emplace(hash, ledger::VisitedSlot{hash, slot, value});
    }
    auto next = top.begin();
    bool wants_more = true;
    const auto visit_top_to = [&](const Hash* end) {
        while (wants_more && next != top.end() && (end == nullptr || next->first < *end))
            wants_more = visit((next++)->second);
    };
    if (!entry->second.is_storage_cleared) {
        const auto below = base.visit_slots(account, from, [&](const ledger::VisitedSlot& slot) {
            visit_top_to(&slot.hash);
            if (!wants_more) return false;
            const bool is_on_top = next != top.end() && next->first == slot.hash;
            wants_more = visit(is_on_top ? (next++)->second : slot);
            return wants_more;
        });
        if (!below.has_value()) return below;
    }
    visit_top_to(nullptr);
    return {};
}

void StateOverlay::apply(const StateDiff& diff) {
    // Node, bucket and what the allocator adds.
    constexpr std::size_t kAround = 48;
    constexpr std::size_t kSlotBytes = 2 * sizeof(Uint256) + kAround;
    constexpr std::size_t kEntryBytes = sizeof(Address) + sizeof(Entry) + kAround;
    for (const CodeChange& change : diff.codes)
        if (codes_.try_emplace(change.hash, change.code).second)
            bytes_ += change.code.size() + sizeof(Hash) + sizeof(Bytes) + kAround;
    for (const AccountChange& change : diff.accounts) {
        const auto [found, is_new] = entries_.try_emplace(change.address);
        if (is_new) bytes_ += kEntryBytes;
        Entry& entry = found->second;
        if (change.storage_cleared || !change.account) {
            entry.is_storage_cleared = true;
            bytes_ -= entry.slots.size() * kSlotBytes;
            entry.slots.clear();
        }
        entry.account = change.account;
        for (const StorageChange& slot : change.storage)
            if (entry.slots.insert_or_assign(slot.slot, slot.value).second) bytes_ += kSlotBytes;
    }
}

StateDiff StateOverlay::diff() const {
    StateDiff diff;
    diff.accounts.reserve(entries_.size());
    for (const auto& [address, entry] : entries_) {
        AccountChange change{address, entry.account, entry.is_storage_cleared, {}};
        change.storage.reserve(entry.slots.size());
        for (const auto& [slot, value] : entry.slots)
            change.storage.push_back({slot, value});
        std::ranges::sort(change.storage, {}, &StorageChange::slot);
        diff.accounts.push_back(std::move(change));
    }
    std::ranges::sort(diff.accounts, {}, &AccountChange::address);
    for (const auto& [hash, code] : codes_)
        diff.codes.push_back({hash, code});
    std::ranges::sort(diff.codes, {}, &CodeChange::hash);
    return diff;
}

StateDiff StateOverlay::take_diff() {
    StateDiff taken = diff();
    entries_.clear();
    codes_.clear();
    bytes_ = 0;
    return taken;
}

}  // namespace heddle::node
