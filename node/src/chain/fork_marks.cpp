// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain/fork_marks.hpp"

namespace heddle::node {

void ForkMarks::note(std::uint64_t number, const StateDiff& diff) {
    for (const AccountChange& change : diff.accounts) {
        Entry& entry = entries_.try_emplace(change.address, Entry{number, {}, {}}).first->second;
        const bool is_cleared = change.storage_cleared || !change.account.has_value();
        if (is_cleared && !entry.cleared_since.has_value()) entry.cleared_since = number;
        for (const StorageChange& slot : change.storage)
            entry.slots.try_emplace(slot.slot, number);
    }
    for (const CodeChange& code : diff.codes)
        codes_.insert(code.hash);
}

void ForkMarks::drop_above(std::uint64_t number) {
    ++rewinds_;
    std::erase_if(entries_, [&](const auto& item) { return item.second.since > number; });
    for (auto& [address, entry] : entries_) {
        if (entry.cleared_since.has_value() && *entry.cleared_since > number)
            entry.cleared_since.reset();
        std::erase_if(entry.slots, [&](const auto& slot) { return slot.second > number; });
    }
}

bool ForkMarks::has_account(const Address& address, std::uint64_t number) const noexcept {
    const auto found = entries_.find(address);
    return found != entries_.end() && found->second.since <= number;
}

bool ForkMarks::is_cleared(const Address& address, std::uint64_t number) const noexcept {
    const auto found = entries_.find(address);
    return found != entries_.end() && found->second.cleared_since.has_value() &&
           *found->second.cleared_since <= number;
}

bool ForkMarks::has_slot(const Address& address, const Uint256& slot,
                         std::uint64_t number) const noexcept {
    const auto found = entries_.find(address);
    if (found == entries_.end()) return false;
    const Entry& entry = found->second;
    if (entry.cleared_since.has_value() && *entry.cleared_since <= number) return true;
    const auto place = entry.slots.find(slot);
    return place != entry.slots.end() && place->second <= number;
}

}  // namespace heddle::node
