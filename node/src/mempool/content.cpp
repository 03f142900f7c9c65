// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A mempool as a whole: taken down, and made again.
#include <algorithm>
#include <chrono>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <types/sender_recovery.hpp>
#include <vm/validate.hpp>

#include "mempool/mempool_impl.hpp"

namespace heddle::node {
namespace {

std::int64_t milliseconds_of(Shim::TimePoint time) {
    using std::chrono::milliseconds;
    return std::chrono::duration_cast<milliseconds>(time.time_since_epoch()).count();
}

Shim::TimePoint time_of(std::int64_t milliseconds) {
    return Shim::TimePoint{std::chrono::milliseconds{milliseconds}};
}

}  // namespace

PoolContent::Sender TransactionPool::standing(const Address& address) const {
    const Sender& sender = senders_.at(address);
    PoolContent::Sender out;
    out.address = address;
    out.nonce = sender.account.nonce;
    out.balance = sender.account.balance;
    out.is_delegated = sender.account.is_delegated;
    out.entries.reserve(sender.entries.size());
    for (const Entry& entry : sender.entries) {
        const PooledTransaction& transaction = *entry.transaction;
        out.entries.push_back({encode_network_form(transaction),
                               static_cast<std::uint8_t>(transaction.origin), transaction.arrival,
                               milliseconds_of(entry.since)});
    }
    return out;
}

void TransactionPool::put_back(const Address& address, const SenderAccount& account,
                               std::span<const Arrival> arrivals, Changes& changes) {
    if (arrivals.empty()) return;
    Sender& sender = senders_[address];
    sender.account = account;
    for (const Arrival& arrival : arrivals) {
        sender.entries.push_back({arrival.transaction, arrival.cost, arrival.time, false});
        sender.cost += arrival.cost;
        link(sender.entries.back());
    }
    classify(address, sender, changes);
}

void Mempool::with_content(const std::function<void(PoolContent)>& take) const {
    const std::unique_lock lock{impl_->mutex};
    PoolContent content;
    content.arrivals = impl_->arrivals_seen;
    content.last_expiry_ms = milliseconds_of(impl_->last_expiry);
    for (const Address& sender : impl_->pool.senders())
        content.senders.push_back(impl_->pool.standing(sender));
    take(std::move(content));
}

std::size_t Mempool::restore(const PoolContent& content) {
    const std::unique_lock lock{impl_->mutex};
    TransactionPool::Changes changes;
    std::size_t unreadable = 0;
    for (const PoolContent::Sender& sender : content.senders) {
        std::vector<PooledTransaction> read;
        std::vector<std::int64_t> times;
        for (const PoolContent::Entry& entry : sender.entries) {
            auto decoded = decode_network_form(entry.encoded, static_cast<Origin>(entry.origin));
            if (!decoded.has_value()) {
                ++unreadable;
                continue;
            }
            decoded->arrival = entry.arrival;
            read.push_back(*std::move(decoded));
            times.push_back(entry.since_ms);
        }
        std::vector<Transaction*> unknown;
        unknown.reserve(read.size());
        for (PooledTransaction& transaction : read)
            unknown.push_back(&transaction.tx);
        recover_senders(unknown);
        std::vector<TransactionPool::Arrival> arrivals;
        const bool is_there = impl_->pool.account(sender.address) != nullptr;
        for (std::size_t i = 0; i < read.size(); ++i) {
            const auto cost = vm::upfront_cost(read[i].tx);
            const std::uint64_t nonce = read[i].tx.nonce;
            const bool is_behind = arrivals.empty() ? nonce >= sender.nonce
                                                    : nonce > arrivals.back().transaction->tx.nonce;
            if (is_there || !is_behind || !cost.has_value() ||
                read[i].tx.sender != sender.address ||
                !check_sender(read[i], impl_->next->revision).has_value()) {
                ++unreadable;
                continue;
            }
            fill_authorities(read[i]);
            arrivals.push_back({std::make_shared<const PooledTransaction>(std::move(read[i])),
                                *cost,
                                {},
                                time_of(times[i])});
        }
        impl_->pool.put_back(sender.address, {sender.nonce, sender.balance, sender.is_delegated},
                             arrivals, changes);
    }
    impl_->arrivals_seen = content.arrivals;
    impl_->last_expiry = time_of(content.last_expiry_ms);
    return unreadable;
}

}  // namespace heddle::node
