// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What goes from the pool: one alone, or what the chain has gone past. No walk through all of it
// after a block.
#include <functional>
#include <vector>

#include "mempool/pool.hpp"

namespace heddle::node {

void TransactionPool::erase(Senders::iterator found, std::size_t position) {
    Sender& sender = found->second;
    const auto entry = sender.entries.begin() + static_cast<std::ptrdiff_t>(position);
    if (entry->is_executable) {
        // The balance covers those before it as it did, and there is a gap before those behind it.
        for (std::size_t behind = position; behind < sender.executable; ++behind)
            sender.executable_cost -= sender.entries[behind].cost;
        for (std::size_t behind = position + 1; behind < sender.executable; ++behind)
            demote(sender.entries[behind]);
        sender.executable = position;
        --executable_;
        if (!sender.account.is_delegated) watched_.erase(found->first);
    }
    sender.cost -= entry->cost;
    unlink(*entry);
    sender.entries.erase(entry);
    if (!sender.entries.empty()) return;
    watched_.erase(found->first);
    senders_.erase(found);
}

template <typename IsDropped>
void TransactionPool::drop_of(Senders::iterator found, IsDropped is_dropped, Changes& changes) {
    Sender& sender = found->second;
    changes.dropped += std::erase_if(sender.entries, [&](const Entry& entry) {
        if (!is_dropped(entry)) return false;
        if (entry.is_executable) --executable_;
        sender.cost -= entry.cost;
        unlink(entry);
        return true;
    });
    const Address address = found->first;
    if (!sender.entries.empty()) return classify(address, sender, changes);
    watched_.erase(address);
    senders_.erase(found);
}

void TransactionPool::set_account(const Address& address, const SenderAccount& account,
                                  Changes& changes) {
    const auto found = senders_.find(address);
    if (found == senders_.end()) return;
    found->second.account = account;
    const auto is_past = [&account](const Entry& entry) {
        return entry.transaction->tx.nonce < account.nonce || entry.cost > account.balance;
    };
    drop_of(found, is_past, changes);
}

void TransactionPool::drop_above(std::uint64_t gas_limit, Changes& changes) {
    const auto is_above = [gas_limit](const Entry& entry) {
        return entry.transaction->tx.gas_limit > gas_limit;
    };
    while (!by_gas_limit_.empty()) {
        const Transaction& most = by_gas_limit_.rbegin()->transaction->tx;
        if (most.gas_limit <= gas_limit) return;
        drop_of(senders_.find(*most.sender), is_above, changes);
    }
}

void TransactionPool::drop_unless(const std::function<bool(const PooledTransaction&)>& is_good,
                                  Changes& changes) {
    const auto is_bad = [&is_good](const Entry& entry) { return !is_good(*entry.transaction); };
    for (const Address& address : senders())
        drop_of(senders_.find(address), is_bad, changes);
}

void TransactionPool::expire(Clock::time_point oldest, Changes& changes) {
    const auto is_expired = [oldest](const Entry& entry) {
        return !entry.is_executable && entry.transaction->origin != Origin::local &&
               entry.since <= oldest;
    };
    for (const Address& address : waiting_senders())
        drop_of(senders_.find(address), is_expired, changes);
}

std::vector<Address> TransactionPool::watched(const Address& first, std::size_t most) const {
    std::vector<Address> found;
    const auto begin = watched_.lower_bound(first);
    for (auto each = begin; each != watched_.end() && found.size() < most; ++each)
        found.push_back(*each);
    for (auto each = watched_.begin(); each != begin && found.size() < most; ++each)
        found.push_back(*each);
    return found;
}

}  // namespace heddle::node
