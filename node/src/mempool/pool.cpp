// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "mempool/pool.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <types/expected.hpp>

namespace heddle::node {
namespace {

template <typename... Args>
std::unexpected<AdmissionError> refuse(AdmissionCode code, fmt::format_string<Args...> format,
                                       Args&&... args) {
    return std::unexpected(AdmissionError{code, fmt::format(format, std::forward<Args>(args)...)});
}

/// First of a sender's entries at or above a nonce.
template <typename Entries>
auto lower_bound(Entries& entries, std::uint64_t nonce) noexcept {
    return std::ranges::lower_bound(entries, nonce, std::less<>{},
                                    [](const auto& entry) { return entry.transaction->tx.nonce; });
}

/// `price` raised by so many percent; nullopt beyond 256 bits.
std::optional<Uint256> raised(const Uint256& price, std::uint64_t percent) noexcept {
    Uint256 product;
    if (mul_overflow(price, Uint256{100 + percent}, product)) return std::nullopt;
    return product / Uint256{100};
}

/// A sender, four indices and the entry in its sender's list: nodes, and what allocators add.
constexpr std::size_t kIndexBytes = 448;
/// Of the index of pending delegations, for each authority.
constexpr std::size_t kAuthorityBytes = 64;

constexpr std::uint8_t kWaiting = 0;
constexpr std::uint8_t kBelowBlobFee = 1;
constexpr std::uint8_t kBelowBaseFee = 2;
constexpr std::uint8_t kExecutable = 3;
constexpr std::uint8_t kRanks = 4;  // of each origin

bool is_local(const PooledTransaction& transaction) noexcept {
    return transaction.origin == Origin::local;
}

/// What a transaction pays the proposer for gas, in wei; it covers the base fee.
Uint256 tip_above(const Uint256& base_fee, const Transaction& tx) noexcept {
    return std::min(tx.max_priority_fee_per_gas, tx.max_fee_per_gas - base_fee);
}

/// All others go before local ones, waiting ones before executable ones.
std::uint8_t rank_of(bool is_local, std::uint8_t state) noexcept {
    return static_cast<std::uint8_t>(is_local ? kRanks + state : state);
}

}  // namespace

std::size_t memory_of(const PooledTransaction& transaction) noexcept {
    const Transaction& tx = transaction.tx;
    std::size_t bytes = sizeof transaction + kIndexBytes + tx.data.size() +
                        transaction.sidecar.size() +
                        tx.blob_versioned_hashes.size() * sizeof(Hash) +
                        tx.authorization_list.size() * sizeof(Authorization) +
                        transaction.authorities.size() * (sizeof(Address) + kAuthorityBytes);
    for (const AccessListEntry& entry : tx.access_list)
        bytes += sizeof entry + entry.storage_keys.size() * sizeof(Hash);
    return bytes;
}

bool TransactionPool::ByTip::operator<(const ByTip& other) const noexcept {
    const Transaction& a = transaction->tx;
    const Transaction& b = other.transaction->tx;
    // Of equals, the newer one is the worse.
    return std::tie(rank, a.max_priority_fee_per_gas, a.max_fee_per_gas,
                    other.transaction->arrival) < std::tie(other.rank, b.max_priority_fee_per_gas,
                                                           b.max_fee_per_gas, transaction->arrival);
}

bool TransactionPool::ByFeeCap::operator<(const ByFeeCap& other) const noexcept {
    return std::tie(transaction->tx.max_fee_per_gas, other.transaction->arrival) <
           std::tie(other.transaction->tx.max_fee_per_gas, transaction->arrival);
}

bool TransactionPool::ByBlobFeeCap::operator<(const ByBlobFeeCap& other) const noexcept {
    return std::tie(transaction->tx.max_fee_per_blob_gas, other.transaction->arrival) <
           std::tie(other.transaction->tx.max_fee_per_blob_gas, transaction->arrival);
}

bool TransactionPool::ByGasLimit::operator<(const ByGasLimit& other) const noexcept {
    return std::tie(transaction->tx.gas_limit, transaction->arrival) <
           std::tie(other.transaction->tx.gas_limit, other.transaction->arrival);
}

SharedTransaction TransactionPool::find(const Hash& hash) const {
    const auto found = by_hash_.find(hash);
    return found == by_hash_.end() ? nullptr : found->second;
}

SharedTransaction TransactionPool::find(const Address& sender, std::uint64_t nonce) const {
    const auto found = senders_.find(sender);
    if (found == senders_.end()) return nullptr;
    const auto entry = lower_bound(found->second.entries, nonce);
    if (entry == found->second.entries.end() || entry->transaction->tx.nonce != nonce)
        return nullptr;
    return entry->transaction;
}

const SenderAccount* TransactionPool::account(const Address& sender) const {
    const auto found = senders_.find(sender);
    return found == senders_.end() ? nullptr : &found->second.account;
}

MempoolStatus TransactionPool::status() const noexcept {
    return {executable_, by_hash_.size() - executable_, bytes_, memory_};
}

std::optional<std::uint64_t> TransactionPool::next_nonce(const Address& sender) const {
    const auto found = senders_.find(sender);
    if (found == senders_.end()) return std::nullopt;
    return found->second.account.nonce + found->second.executable;
}

void TransactionPool::append_content(const Address& sender, Mempool::Content& content) const {
    const auto found = senders_.find(sender);
    if (found == senders_.end()) return;
    for (const Entry& entry : found->second.entries)
        (entry.is_executable ? content.pending : content.queued).push_back(entry.transaction);
}

std::vector<Address> TransactionPool::senders() const {
    std::vector<Address> addresses;
    addresses.reserve(senders_.size());
    for (const auto& [address, sender] : senders_)
        addresses.push_back(address);
    std::ranges::sort(addresses);
    return addresses;
}

bool TransactionPool::may_replace(const Transaction& old_one,
                                  const Transaction& new_one) const noexcept {
    const bool has_blobs =
        old_one.type == TransactionType::blob || new_one.type == TransactionType::blob;
    const std::uint64_t bump =
        has_blobs ? options_.blob_price_bump_percent : options_.price_bump_percent;
    const auto pays_more = [&](const Uint256& old_price, const Uint256& new_price) {
        const auto least = raised(old_price, bump);
        return least && new_price > old_price && new_price >= *least;
    };
    if (!pays_more(old_one.max_fee_per_gas, new_one.max_fee_per_gas) ||
        !pays_more(old_one.max_priority_fee_per_gas, new_one.max_priority_fee_per_gas))
        return false;
    return old_one.type != TransactionType::blob || new_one.type != TransactionType::blob ||
           pays_more(old_one.max_fee_per_blob_gas, new_one.max_fee_per_blob_gas);
}

std::expected<void, AdmissionError> TransactionPool::check_delegation(
    const PooledTransaction& transaction, const SenderAccount& account) const {
    const Transaction& tx = transaction.tx;
    const auto found = senders_.find(*tx.sender);
    // An account with code can be emptied by anybody: not more than one of its own is worth
    // keeping. The same for one that is about to get code.
    if (account.is_delegated || authorities_.contains(*tx.sender)) {
        const std::size_t pending = found == senders_.end() ? 0 : found->second.executable;
        if (pending == 0 && tx.nonce != account.nonce)
            return refuse(AdmissionCode::account_limit, "gapped-nonce tx from delegated accounts");
        if (pending != 0 && !find(*tx.sender, tx.nonce))
            return refuse(AdmissionCode::account_limit,
                          "in-flight transaction limit reached for delegated accounts");
    }
    for (const Address& authority : transaction.authorities) {
        const auto other = senders_.find(authority);
        if (other != senders_.end() && other->second.entries.size() > 1)
            return refuse(AdmissionCode::account_limit, "authority already reserved");
    }
    return {};
}

std::expected<void, AdmissionError> TransactionPool::check_account(
    const PooledTransaction& transaction, const Uint256& cost, const SenderAccount& account) const {
    const Transaction& tx = transaction.tx;
    if (tx.nonce < account.nonce)
        return refuse(AdmissionCode::nonce_too_low, "nonce too low: next nonce {}, tx nonce {}",
                      account.nonce, tx.nonce);
    const auto found = senders_.find(*tx.sender);
    const std::uint64_t next =
        account.nonce + (found == senders_.end() ? 0 : found->second.executable);
    const std::uint64_t gap = tx.nonce > next ? tx.nonce - next : 0;
    if (gap > options_.max_nonce_gap || (tx.type == TransactionType::blob && gap > 0))
        return refuse(AdmissionCode::nonce_too_high, "nonce too high: tx nonce {}, gapped nonce {}",
                      tx.nonce, next);
    if (account.balance < cost)
        return refuse(AdmissionCode::insufficient_funds,
                      "insufficient funds for gas * price + value: balance {}, tx cost {}, "
                      "overshot {}",
                      to_decimal(account.balance), to_decimal(cost),
                      to_decimal(cost - account.balance));
    HEDDLE_CHECK(check_delegation(transaction, account));
    if (found == senders_.end()) return {};

    const Sender& sender = found->second;
    const auto same = lower_bound(sender.entries, tx.nonce);
    const bool is_new = same == sender.entries.end() || same->transaction->tx.nonce != tx.nonce;
    if (is_new && sender.entries.size() >= options_.max_per_sender)
        return refuse(AdmissionCode::account_limit, "account limit exceeded: pooled {} txs",
                      sender.entries.size());
    Uint256 queued = sender.cost;
    if (!is_new) queued -= same->cost;
    Uint256 need = queued;
    if (add_overflow(need, cost, need) || account.balance < need)
        return refuse(AdmissionCode::insufficient_funds,
                      "insufficient funds for gas * price + value: balance {}, queued cost {}, "
                      "tx cost {}, overshot {}",
                      to_decimal(account.balance), to_decimal(queued), to_decimal(cost),
                      to_decimal(need - account.balance));
    if (!is_new && !may_replace(same->transaction->tx, tx))
        return refuse(AdmissionCode::replacement_underpriced,
                      "replacement transaction underpriced");
    return {};
}

std::expected<void, AdmissionError> TransactionPool::add(const Arrival& arrival,
                                                         const NextFees& fees, Changes& changes) {
    const auto& [transaction, cost, account, now] = arrival;
    now_ = now;
    const Transaction& tx = transaction->tx;
    const Address address = *tx.sender;
    auto found = senders_.find(address);
    HEDDLE_CHECK(check_account(*transaction, cost,
                               found == senders_.end() ? account : found->second.account));
    Entry entry{transaction, cost, now, false};

    if (found != senders_.end()) {
        Sender& sender = found->second;
        const auto same = lower_bound(sender.entries, tx.nonce);
        if (same != sender.entries.end() && same->transaction->tx.nonce == tx.nonce) {
            unlink(*same);
            // Others make room for what it is larger by, if they are worth less.
            if (const auto room = make_room(*transaction, same->is_executable, fees, changes);
                !room.has_value()) {
                link(*same);
                return room;
            }
            sender.cost -= same->cost;
            sender.cost += cost;
            if (same->is_executable) {
                // And so is the new one: the balance covers it and all others.
                sender.executable_cost -= same->cost;
                sender.executable_cost += cost;
                entry.is_executable = true;
                changes.executable.push_back({transaction, ++last_executable_});
            }
            *same = std::move(entry);
            link(*same);
            ++changes.replaced;
            promote(address, sender, changes);
            return {};
        }
    }
    const std::uint64_t next = next_nonce(address).value_or(account.nonce);
    HEDDLE_CHECK(make_room(*transaction, tx.nonce <= next, fees, changes));
    found = senders_.try_emplace(address).first;
    Sender& sender = found->second;
    if (sender.entries.empty()) sender.account = account;
    const auto place = lower_bound(sender.entries, tx.nonce);
    sender.cost += cost;
    link(*sender.entries.insert(place, std::move(entry)));
    promote(address, sender, changes);
    return {};
}

TransactionPool::Standing TransactionPool::worst(const NextFees& fees) const {
    const ByTip& first = *by_tip_.begin();
    const bool is_first_local = is_local(*first.transaction);
    if (first.rank == rank_of(is_first_local, kWaiting)) return {first.transaction, first.rank};
    const std::size_t origin = is_first_local ? 1 : 0;
    if (const auto& with_blobs = by_blob_fee_cap_[origin]; !with_blobs.empty()) {
        const PooledTransaction* const cheapest = with_blobs.begin()->transaction;
        if (cheapest->tx.max_fee_per_blob_gas < fees.blob_base_fee)
            return {cheapest, rank_of(is_first_local, kBelowBlobFee)};
    }
    const auto& by_fee_cap = by_fee_cap_[origin];
    const PooledTransaction* const cheapest = by_fee_cap.begin()->transaction;
    if (cheapest->tx.max_fee_per_gas < fees.base_fee)
        return {cheapest, rank_of(is_first_local, kBelowBaseFee)};
    // A tip is what was promised or what the base fee leaves of the fee cap, whichever is less. So
    // the least of all is the least promised one or that of the least fee cap.
    const bool is_cap_less = cheapest->tx.max_fee_per_gas - fees.base_fee <=
                             first.transaction->tx.max_priority_fee_per_gas;
    return {is_cap_less ? cheapest : first.transaction, first.rank};
}

std::expected<void, AdmissionError> TransactionPool::make_room(const PooledTransaction& transaction,
                                                               bool will_be_executable,
                                                               const NextFees& fees,
                                                               Changes& changes) {
    const Transaction& tx = transaction.tx;
    const Uint256& base_fee = fees.base_fee;
    const bool is_below_blob_fee =
        tx.type == TransactionType::blob && tx.max_fee_per_blob_gas < fees.blob_base_fee;
    const std::uint8_t rank =
        rank_of(is_local(transaction), !will_be_executable             ? kWaiting
                                       : is_below_blob_fee             ? kBelowBlobFee
                                       : tx.max_fee_per_gas < base_fee ? kBelowBaseFee
                                                                       : kExecutable);
    // It is the newest: of equals, it is the one that stays out.
    const auto is_better_than = [&](const Standing& other) {
        if (rank != other.rank) return rank > other.rank;
        const Transaction& its = other.transaction->tx;
        if (rank % kRanks == kBelowBlobFee)
            return tx.max_fee_per_blob_gas > its.max_fee_per_blob_gas;
        if (rank % kRanks == kBelowBaseFee) return tx.max_fee_per_gas > its.max_fee_per_gas;
        if (rank % kRanks == kExecutable)
            return std::pair{tip_above(base_fee, tx), tx.max_fee_per_gas} >
                   std::pair{tip_above(base_fee, its), its.max_fee_per_gas};
        return std::tie(tx.max_priority_fee_per_gas, tx.max_fee_per_gas) >
               std::tie(its.max_priority_fee_per_gas, its.max_fee_per_gas);
    };
    std::vector<Evicted> evicted;
    // Others must not have gone for one that does not come in.
    const auto stay_out = [&](std::string_view why) {
        for (; !evicted.empty(); evicted.pop_back())
            bring_back(std::move(evicted.back()));
        return refuse(AdmissionCode::underpriced, "{}", why);
    };
    Changes made;
    while (by_hash_.size() >= options_.max_transactions ||
           memory_ + memory_of(transaction) > options_.max_bytes) {
        if (by_hash_.empty()) return stay_out("txpool is full");
        const Standing victim = worst(fees);
        // Taking one of the same sender's away would leave a gap before this one.
        if (!is_better_than(victim) || victim.transaction->tx.sender == tx.sender)
            return stay_out("transaction underpriced: the pool is full");
        evicted.push_back(evict(*victim.transaction, made));
    }
    changes.evicted += made.evicted;
    return {};
}

auto TransactionPool::evict(const PooledTransaction& victim, Changes& changes) -> Evicted {
    const auto found = senders_.find(*victim.tx.sender);
    Sender& sender = found->second;
    // The sender's last one goes in its place, so that there is no gap; but not a local one for one
    // that is not.
    std::size_t position = sender.entries.size() - 1;
    if (is_local(*sender.entries[position].transaction) && !is_local(victim))
        position = static_cast<std::size_t>(lower_bound(sender.entries, victim.tx.nonce) -
                                            sender.entries.begin());
    Evicted evicted{sender.entries[position], sender.account, {}};
    for (std::size_t i = position + 1; i < sender.entries.size(); ++i)
        evicted.behind.push_back(sender.entries[i].since);
    erase(found, position);
    ++changes.evicted;
    return evicted;
}

void TransactionPool::bring_back(Evicted evicted) {
    Entry& entry = evicted.entry;
    entry.is_executable = false;  // until it is found out anew
    const Address address = *entry.transaction->tx.sender;
    Sender& sender = senders_.try_emplace(address).first->second;
    if (sender.entries.empty()) sender.account = evicted.account;
    const auto place = lower_bound(sender.entries, entry.transaction->tx.nonce);
    sender.cost += entry.cost;
    auto each = sender.entries.insert(place, std::move(entry));
    link(*each);
    Changes told_before;
    promote(address, sender, told_before);
    for (const Clock::time_point since : evicted.behind)
        (++each)->since = since;
}

bool TransactionPool::remove(const Hash& hash, Changes& changes) {
    const SharedTransaction transaction = find(hash);
    if (!transaction) return false;
    const auto found = senders_.find(*transaction->tx.sender);
    const auto entry = lower_bound(found->second.entries, transaction->tx.nonce);
    erase(found, static_cast<std::size_t>(entry - found->second.entries.begin()));
    ++changes.dropped;
    return true;
}

std::vector<Address> TransactionPool::waiting_senders() const {
    std::vector<Address> senders;
    for (const ByTip& key : by_tip_) {
        if (key.rank != rank_of(false, kWaiting)) break;
        senders.push_back(*key.transaction->tx.sender);
    }
    std::ranges::sort(senders);
    const auto [last, end] = std::ranges::unique(senders);
    senders.erase(last, end);
    return senders;
}

void TransactionPool::index(const Entry& entry) {
    const PooledTransaction* const transaction = entry.transaction.get();
    const bool local = is_local(*transaction);
    by_tip_.insert({rank_of(local, entry.is_executable ? kExecutable : kWaiting), transaction});
    if (!entry.is_executable) return;
    by_fee_cap_[local ? 1 : 0].insert({transaction});
    if (transaction->tx.type == TransactionType::blob)
        by_blob_fee_cap_[local ? 1 : 0].insert({transaction});
}

void TransactionPool::unindex(const Entry& entry) {
    const PooledTransaction* const transaction = entry.transaction.get();
    const bool local = is_local(*transaction);
    by_tip_.erase({rank_of(local, entry.is_executable ? kExecutable : kWaiting), transaction});
    if (!entry.is_executable) return;
    by_fee_cap_[local ? 1 : 0].erase({transaction});
    if (transaction->tx.type == TransactionType::blob)
        by_blob_fee_cap_[local ? 1 : 0].erase({transaction});
}

void TransactionPool::link(const Entry& entry) {
    by_hash_.emplace(entry.transaction->hash, entry.transaction);
    bytes_ += entry.transaction->size_bytes;
    memory_ += memory_of(*entry.transaction);
    for (const Address& authority : entry.transaction->authorities)
        ++authorities_[authority];
    by_gas_limit_.insert({entry.transaction.get()});
    index(entry);
}

void TransactionPool::unlink(const Entry& entry) {
    unindex(entry);
    by_gas_limit_.erase({entry.transaction.get()});
    for (const Address& authority : entry.transaction->authorities) {
        const auto count = authorities_.find(authority);
        if (--count->second == 0) authorities_.erase(count);
    }
    bytes_ -= entry.transaction->size_bytes;
    memory_ -= memory_of(*entry.transaction);
    by_hash_.erase(entry.transaction->hash);
}

void TransactionPool::demote(Entry& entry) {
    ++looks_;
    unindex(entry);
    entry.is_executable = false;
    entry.since = now_;
    index(entry);
    --executable_;
}

void TransactionPool::classify(const Address& address, Sender& sender, Changes& changes) {
    sender.executable = 0;
    sender.executable_cost = Uint256{};
    promote(address, sender, changes);
    for (std::size_t position = sender.executable; position < sender.entries.size(); ++position)
        if (Entry& entry = sender.entries[position]; entry.is_executable) demote(entry);
}

void TransactionPool::promote(const Address& address, Sender& sender, Changes& changes) {
    std::vector<Entry>& entries = sender.entries;
    std::size_t& end = sender.executable;
    const auto is_next = [&] {
        return end < entries.size() &&
               entries[end].transaction->tx.nonce == sender.account.nonce + end;
    };
    for (; is_next(); ++end) {
        ++looks_;
        Entry& entry = entries[end];
        Uint256 sum;
        if (add_overflow(sender.executable_cost, entry.cost, sum) || sum > sender.account.balance)
            break;
        sender.executable_cost = sum;
        if (entry.is_executable) continue;
        unindex(entry);
        entry.is_executable = true;
        index(entry);
        ++executable_;
        changes.executable.push_back({entry.transaction, ++last_executable_});
    }
    if (sender.account.is_delegated || is_next())
        watched_.insert(address);
    else
        watched_.erase(address);
}

}  // namespace heddle::node
