// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/transaction_forwarder.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <types/assert.hpp>
#include <types/counted.hpp>

#include "cometbft/local_transactions.hpp"
#include "logging/log.hpp"
#include "mempool/admission.hpp"

namespace heddle::node {
namespace {

using consensus_adapter::cometbft::CometRpc;

constexpr std::uint64_t kWaiting = ~std::uint64_t{0};
/// Stands for the number of an event where somebody wants it handed in, whatever was seen of it.
constexpr std::uint64_t kAsked = ~std::uint64_t{0};

void count(std::atomic<std::uint64_t>& counter, std::uint64_t by = 1) {
    counter.fetch_add(by, std::memory_order_relaxed);
}

TransactionForwarder::Broadcast broadcasting(CometRpc rpc) {
    // Shared because a std::function is copied; only the forwarder's thread uses it.
    const auto shared = std::make_shared<CometRpc>(std::move(rpc));
    return
        [shared](std::span<const Bytes> transactions) { return shared->broadcast(transactions); };
}

}  // namespace

TransactionForwarder::TransactionForwarder(Mempool& mempool, Broadcast broadcast,
                                           ForwarderOptions options)
    : mempool_(mempool),
      broadcast_(std::move(broadcast)),
      options_(options),
      prune_at_(options.prune_at),
      next_pause_(options.pause),
      // Before the thread scans the pool, so that none comes unseen in between.
      subscription_(mempool.arrivals().subscribe(
          [this](const BecameExecutable& event) { on_arrival(event); })),
      thread_([this] { run(); }) {}

TransactionForwarder::TransactionForwarder(Mempool& mempool, CometRpc rpc, ForwarderOptions options)
    : TransactionForwarder(mempool, broadcasting(std::move(rpc)), options) {}

TransactionForwarder::~TransactionForwarder() {
    stop();
    subscription_ = {};
}

void TransactionForwarder::stop() {
    {
        const std::scoped_lock lock{mutex_};
        is_stopped_ = true;
    }
    wakeup_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void TransactionForwarder::on_head(std::uint64_t number) {
    {
        const std::scoped_lock lock{mutex_};
        head_ = std::max(head_, number);
    }
    wakeup_.notify_all();
}

void TransactionForwarder::on_arrival(const BecameExecutable& event) {
    if (!is_own(event.transaction->origin)) return;
    {
        const std::scoped_lock lock{mutex_};
        if (is_stopped_) return;
        note_arrived({event.transaction->hash, event.number});
    }
    wakeup_.notify_all();
}

void TransactionForwarder::note_arrived(const Arrived& arrived) {
    if (arrived_.size() >= options_.max_arrived) {
        // The pool tells what has come into it, but not what is wanted again.
        std::erase_if(arrived_, [](const Arrived& each) { return each.number != kAsked; });
        must_scan_ = true;
        if (arrived_.size() > options_.max_arrived / 2) {
            arrived_.clear();
            has_lost_ = true;
        }
    }
    arrived_.push_back(arrived);
}

void TransactionForwarder::hand_again(std::span<const Hash> transactions) {
    if (transactions.empty()) return;
    {
        const std::scoped_lock lock{mutex_};
        if (is_stopped_) return;
        for (const Hash& hash : transactions)
            note_arrived({hash, kAsked});
    }
    wakeup_.notify_all();
}

bool TransactionForwarder::must_forget(const Hash& transaction) {
    {
        const std::scoped_lock lock{mutex_};
        if (is_stopped_ || recalls_.erase(transaction) == 0) return false;
        note_arrived({transaction, kAsked});
    }
    count(resent_);
    wakeup_.notify_all();
    return true;
}

ForwarderCounters TransactionForwarder::counters() const {
    const auto read = [](const std::atomic<std::uint64_t>& counter) {
        return counter.load(std::memory_order_relaxed);
    };
    return {read(forwarded_), read(refused_),       read(retried_),
            read(resent_),    read(waiting_count_), read(handed_count_)};
}

void TransactionForwarder::run() {
    while (wait()) {
        look_at_handed();
        if (known_.size() > prune_at_) forget_the_gone();
        publish_sizes();
        if (!waiting_.empty() && !paused_until_) send();
    }
}

/// Until there is something to do, and takes over what came. @return false: it is to stop.
bool TransactionForwarder::wait() {
    std::vector<Arrived> arrived;
    bool must_scan = false;
    bool has_lost = false;
    {
        std::unique_lock lock{mutex_};
        const auto is_woken = [this] {
            return is_stopped_ || must_scan_ || !arrived_.empty() || head_ != seen_head_;
        };
        const auto deadline = next_deadline();
        if (deadline) {
            wakeup_.wait_until(lock, *deadline, is_woken);
        } else if (waiting_.empty()) {
            wakeup_.wait(lock, is_woken);
        }
        if (is_stopped_) return false;
        arrived.swap(arrived_);
        must_scan = std::exchange(must_scan_, false);
        has_lost = std::exchange(has_lost_, false);
        seen_head_ = head_;
    }
    if (paused_until_ && Clock::now() >= *paused_until_) paused_until_.reset();
    if (must_scan) scan(has_lost);
    for (const Arrived& each : arrived)
        if (each.number > scanned_) add(each.hash);
    return true;
}

/// nullopt: there is something to send now, or nothing at all.
std::optional<TransactionForwarder::Clock::time_point> TransactionForwarder::next_deadline() const {
    if (!waiting_.empty()) return paused_until_;
    std::optional<Clock::time_point> first;
    for (const auto* entries : {&handed_, &recalled_}) {
        if (entries->empty()) continue;
        const Clock::time_point due = entries->front().at + options_.resend_after;
        first = first ? std::min(*first, due) : due;
    }
    return first;
}

/// @param has_lost  What was wanted again was not kept: all that is known is handed in again.
void TransactionForwarder::scan(bool has_lost) {
    const Mempool::Content content = mempool_.content();
    scanned_ = content.last_executable;
    std::unordered_set<Hash, HashHasher> to_be_forgotten;
    if (has_lost) {
        const std::scoped_lock lock{mutex_};
        to_be_forgotten = recalls_;
    }
    for (const SharedTransaction& transaction : local_transactions(content)) {
        const bool is_known = known_.contains(transaction->hash);
        if (!is_known || (has_lost && !to_be_forgotten.contains(transaction->hash)))
            add(transaction->hash);
    }
}

void TransactionForwarder::add(const Hash& hash) {
    std::uint64_t& state = known_.try_emplace(hash, 0).first->second;
    if (std::exchange(state, kWaiting) != kWaiting) waiting_.push_back(hash);
}

bool TransactionForwarder::is_current(const Handed& handed) const {
    const auto found = known_.find(handed.hash);
    return found != known_.end() && found->second == handed.round;
}

void TransactionForwarder::look_at_handed() {
    const auto now = Clock::now();
    const auto take_due = [&](std::deque<Handed>& entries, std::uint64_t blocks) {
        if (entries.empty()) return std::optional<Handed>{};
        const Handed oldest = entries.front();
        const bool is_due =
            oldest.head + blocks <= seen_head_ || oldest.at + options_.resend_after <= now;
        if (!is_due) return std::optional<Handed>{};
        entries.pop_front();
        return std::optional{oldest};
    };
    while (const auto due = take_due(recalled_, options_.recall_blocks)) {
        give_up_recalling(due->hash);
        if (!is_current(*due)) continue;
        add(due->hash);  // send() leaves out what has left the pool
        count(resent_);
    }
    while (const auto due = take_due(handed_, options_.resend_blocks)) {
        if (!is_current(*due)) continue;
        if (!mempool_.find(due->hash)) {
            known_.erase(due->hash);
        } else if (options_.recalls && due->head + options_.resend_blocks <= seen_head_) {
            recall(*due);
        } else {
            add(due->hash);
            count(resent_);
        }
    }
}

/// It stays known as it was handed in, until must_forget() has it arrive anew.
void TransactionForwarder::recall(const Handed& handed) {
    recalled_.push_back({handed.hash, handed.round, seen_head_, Clock::now()});
    const std::scoped_lock lock{mutex_};
    recalls_.insert(handed.hash);
}

void TransactionForwarder::give_up_recalling(const Hash& hash) {
    const std::scoped_lock lock{mutex_};
    recalls_.erase(hash);
}

/// A CometBFT that was started anew has none of them.
void TransactionForwarder::take_back(std::deque<Handed>& handed) {
    for (const Handed& each : std::exchange(handed, {})) {
        if (!is_current(each)) continue;
        add(each.hash);
        count(resent_);
    }
}

void TransactionForwarder::forget_the_gone() {
    std::erase_if(known_,
                  [this](const auto& entry) { return mempool_.find(entry.first) == nullptr; });
    std::erase_if(waiting_, [this](const Hash& hash) { return !known_.contains(hash); });
    for (auto* entries : {&handed_, &recalled_})
        std::erase_if(*entries, [this](const Handed& handed) { return !is_current(handed); });
    {
        const std::scoped_lock lock{mutex_};
        std::erase_if(recalls_, [this](const Hash& hash) { return !known_.contains(hash); });
    }
    prune_at_ = std::max(options_.prune_at, 2 * known_.size());
}

void TransactionForwarder::send() {
    std::vector<Hash> hashes;
    std::vector<Bytes> transactions;
    std::size_t bytes = 0;
    while (!waiting_.empty() && hashes.size() < options_.max_batch) {
        const Hash hash = waiting_.front();
        const SharedTransaction transaction = mempool_.find(hash);
        if (!transaction) {
            waiting_.pop_front();
            known_.erase(hash);
            continue;
        }
        bytes += transaction->size_bytes;
        if (bytes > options_.max_batch_bytes && !hashes.empty()) break;
        waiting_.pop_front();
        hashes.push_back(hash);
        transactions.push_back(encode_network_form(*transaction));
    }
    if (!hashes.empty()) {
        const auto results = broadcast_(transactions);
        if (results.has_value()) {
            HEDDLE_ASSERT(results->size() == hashes.size());
            settle(hashes, *results);
        } else {
            waiting_.insert(waiting_.begin(), hashes.begin(), hashes.end());
            count(retried_, hashes.size());
            was_away_ = true;
            begin_pause(to_string(results.error()));
        }
    }
    publish_sizes();
}

void TransactionForwarder::settle(std::span<const Hash> hashes,
                                  std::span<const BroadcastResult> results) {
    if (std::exchange(was_away_, false)) {
        take_back(handed_);
        take_back(recalled_);
        const std::scoped_lock lock{mutex_};
        recalls_.clear();
    }
    std::vector<Hash> again;
    const auto now = Clock::now();
    ++round_;
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        switch (results[i]) {
            case BroadcastResult::accepted:
            case BroadcastResult::already_there:
                count(forwarded_);
                break;
            case BroadcastResult::mempool_full:
                again.push_back(hashes[i]);
                continue;
            case BroadcastResult::refused:
                // Most likely it has just left the pool; while it is there it is not given up.
                count(refused_);
                logger(Component::mempool).debug("CometBFT refused {}", to_string(hashes[i]));
                break;
        }
        known_[hashes[i]] = round_;
        handed_.push_back({hashes[i], round_, seen_head_, now});
    }
    if (again.empty()) {
        next_pause_ = options_.pause;
        return;
    }
    waiting_.insert(waiting_.begin(), again.begin(), again.end());
    count(retried_, again.size());
    begin_pause("CometBFT's mempool is full");
}

void TransactionForwarder::begin_pause(const std::string& reason) {
    logger(Component::mempool)
        .debug("{} waiting to be forwarded: {}", counted(waiting_.size(), "transaction"), reason);
    paused_until_ = Clock::now() + next_pause_;
    next_pause_ = std::min(2 * next_pause_, options_.max_pause);
}

void TransactionForwarder::publish_sizes() {
    waiting_count_.store(waiting_.size(), std::memory_order_relaxed);
    handed_count_.store(handed_.size() + recalled_.size(), std::memory_order_relaxed);
}

}  // namespace heddle::node
