// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes/payer_book.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <types/assert.hpp>
#include <types/counted.hpp>
#include <vm/validate.hpp>

namespace heddle::node::lanes {

using std::chrono::milliseconds;

PayerBook::PayerBook(LookUp look_up, Clock clock, PayerBounds bounds)
    : look_up_(std::move(look_up)), clock_(std::move(clock)), bounds_(bounds) {}

std::optional<std::string> PayerBook::refusal(const Known& known,
                                              const Transaction& transaction) const {
    const Address& sender = *transaction.sender;
    if (transaction.nonce < known.state.nonce)
        return fmt::format("{} has used the nonce {}: its next one is {}", to_string(sender),
                           transaction.nonce, known.state.nonce);
    if (const auto same = known.transactions.find(transaction.r);
        same != known.transactions.end()) {
        if (same->second < bounds_.most_of_one) return std::nullopt;
        return fmt::format("{} of this transaction came just now",
                           counted(same->second, "entry", "entries"));
    }
    const auto cost = vm::upfront_cost(transaction);
    const Uint256& balance = known.state.balance;
    if (!cost.has_value() || balance < known.let_in || balance - known.let_in < *cost)
        return fmt::format("{} cannot pay for it beside what came just now", to_string(sender));
    return std::nullopt;
}

bool PayerBook::must_ask(const Transaction& transaction, milliseconds now) const {
    const auto found = accounts_.find(*transaction.sender);
    if (found == accounts_.end()) return true;
    const milliseconds age = now - found->second.asked;
    if (age >= bounds_.period) return true;
    return age >= bounds_.again && refusal(found->second, transaction).has_value();
}

bool PayerBook::ask(std::span<const Transaction> transactions, milliseconds now) {
    std::vector<Address> addresses;
    for (const Transaction& transaction : transactions)
        if (must_ask(transaction, now)) addresses.push_back(*transaction.sender);
    std::ranges::sort(addresses);
    addresses.erase(std::ranges::unique(addresses).begin(), addresses.end());
    if (addresses.empty()) return true;
    const auto states = look_up_(addresses);
    if (!states.has_value()) return false;
    HEDDLE_ASSERT(states->size() == addresses.size());
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        const auto [found, is_new] = accounts_.try_emplace(addresses[i]);
        Known& known = found->second;
        if (is_new || now - known.begun >= bounds_.period) {
            known = {};
            known.begun = now;
        }
        known.state = (*states)[i];
        known.asked = now;
        asked_.emplace_back(now, addresses[i]);
    }
    return true;
}

void PayerBook::forget_old(milliseconds now) {
    while (!asked_.empty() && (now - asked_.front().first >= bounds_.period ||
                               asked_.size() > bounds_.most_accounts)) {
        const auto found = accounts_.find(asked_.front().second);
        if (found != accounts_.end() && found->second.asked == asked_.front().first)
            accounts_.erase(found);
        asked_.pop_front();
    }
}

std::vector<std::optional<std::string>> PayerBook::refusals(
    std::span<const Transaction> transactions) {
    std::vector<std::optional<std::string>> result(transactions.size());
    const std::scoped_lock lock{mutex_};
    const milliseconds now = clock_();
    if (!ask(transactions, now)) return result;
    for (std::size_t i = 0; i < transactions.size(); ++i) {
        Known& known = accounts_.at(*transactions[i].sender);
        result[i] = refusal(known, transactions[i]);
        if (result[i].has_value()) continue;
        std::uint64_t& entries = known.transactions[transactions[i].r];
        if (entries++ == 0) known.let_in += *vm::upfront_cost(transactions[i]);
    }
    forget_old(now);
    return result;
}

std::size_t PayerBook::known() const {
    const std::scoped_lock lock{mutex_};
    return accounts_.size();
}

}  // namespace heddle::node::lanes
