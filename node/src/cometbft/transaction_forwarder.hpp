// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Hands this node's own transactions to CometBFT, which carries them to the other validators. The
// pool keeps the transactions; here are only hashes, so that what has left the pool costs nothing
// and what is still in it is never forgotten.
//
// A local executable transaction is in one of these states; who moves it is the forwarder's thread,
// but for the first step and for must_forget():
//
// | state    | where     | goes on when                                          | to       |
// |----------|-----------|-------------------------------------------------------|----------|
// | arrived  | arrived_  | the thread wakes                                      | waiting  |
// | waiting  | waiting_  | CometBFT has it, or refuses it                        | handed   |
// |          |           | CometBFT is full or away: after a pause, in order     | waiting  |
// |          |           | it is not in the pool any more                        | (gone)   |
// | handed   | handed_   | it is in the pool still, `resend_blocks` blocks later | recalled |
// |          |           | the same, but nobody asks must_forget(); or           | waiting  |
// |          |           | `resend_after` later, or CometBFT was away meanwhile, |          |
// |          |           | or it came into the pool anew, or hand_again()        |          |
// |          |           | it is not in the pool any more                        | (gone)   |
// | recalled | recalled_ | must_forget() was asked about it                      | arrived  |
// |          |           | CometBFT does not have it, for nobody has asked for   | waiting  |
// |          |           | `recall_blocks`; and as what was handed in            |          |
//
// Why it is recalled: CometBFT sends each peer a transaction once, and drops what it has already
// when it is handed in again. A peer that had no room for it then, or was a block behind and did
// not see the sender's money yet, would never be told of it again. So CometBFT is made to forget it
// first, which it does with what is not good any more after a block.
//
// mutex_ guards arrived_, must_scan_, has_lost_, head_, recalls_ and is_stopped_, and is held for a
// few instructions, after an overflow while recalls_ is copied, and never around a call to CometBFT
// or to the pool: so whoever brings a transaction is not kept. All else belongs to the thread. Each
// change under mutex_ is followed by a notification; the thread waits for one of them, or for the
// end of its pause, or for the oldest of handed_ and recalled_ to be due.
//
// known_ says of each hash whether it waits or how often the thread had handed something in when it
// did so with this one: an entry of handed_ or recalled_ that says otherwise is out of date and
// means nothing.
//
// Bounds: when arrived_ is full it is emptied and must_scan_ is set, which makes the thread look
// through the whole pool, as it does at its start for what the journal brought. Which of them came
// anew, or are to be handed in again, is lost then (has_lost_): so all of them are, but for what is
// to be forgotten first. CometBFT drops those that it has. waiting_, handed_ and recalled_ are rid
// of what left the pool whenever they have doubled, and so is recalls_. What is in the pool is sent
// to each peer once in `resend_blocks` blocks at most.
//
// The pool tells after it has changed, so the thread is also told of what it has seen there when it
// looked: events of the pool up to that (scanned_) mean nothing to it, or it would hand in twice.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <consensus_adapter/cometbft/comet_rpc.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>

#include "mempool/mempool.hpp"

namespace heddle::node {

struct ForwarderOptions {
    std::size_t max_batch = 500;
    std::size_t max_batch_bytes = std::size_t{512} << 10;
    /// After the first failure; doubled with each further one, up to `max_pause`.
    std::chrono::milliseconds pause = std::chrono::milliseconds{50};
    std::chrono::milliseconds max_pause = std::chrono::seconds{2};
    std::uint64_t resend_blocks = 20;
    /// Whether must_forget() is asked about what CometBFT has after each block.
    bool recalls = false;
    std::uint64_t recall_blocks = 2;
    /// Where there are no blocks.
    std::chrono::milliseconds resend_after = std::chrono::minutes{1};
    /// Hashes that may wait for the thread.
    std::size_t max_arrived = 131'072;
    /// More hashes than this are kept only of transactions that are still in the pool.
    std::size_t prune_at = 65'536;
};

/// Since it was made.
struct ForwarderCounters {
    std::uint64_t forwarded = 0;  // taken by CometBFT, or there already
    std::uint64_t refused = 0;
    std::uint64_t retried = 0;  // not taken for now
    std::uint64_t resent = 0;   // handed in again because no block had them
    std::uint64_t waiting = 0;  // now
    std::uint64_t handed = 0;   // now: taken, in no block yet as far as it was looked at
};

/// Thread safety: any.
class TransactionForwarder {
public:
    /// CometRpc::broadcast(). Called from the forwarder's thread.
    using Broadcast =
        std::function<std::expected<std::vector<consensus_adapter::cometbft::BroadcastResult>,
                                    consensus_adapter::cometbft::CometError>(
            std::span<const Bytes> transactions)>;

    /// Begins at once, with what is in the pool. @param mempool  Outlives it.
    TransactionForwarder(Mempool& mempool, Broadcast broadcast, ForwarderOptions options = {});
    TransactionForwarder(Mempool& mempool, consensus_adapter::cometbft::CometRpc rpc,
                         ForwarderOptions options = {});
    /// As stop().
    ~TransactionForwarder();
    TransactionForwarder(const TransactionForwarder&) = delete;
    TransactionForwarder& operator=(const TransactionForwarder&) = delete;

    /// These are to be handed in once more, in this order, if they are in the pool; when too much
    /// has arrived, with all others and in their order.
    void hand_again(std::span<const Hash> transactions);
    /// Whether CometBFT, which asks after a block whether this one of the pool is still good, is to
    /// forget it. It is handed in anew then. True once each time that it was recalled.
    [[nodiscard]] bool must_forget(const Hash& transaction);
    /// A block was committed, and the pool knows it.
    void on_head(std::uint64_t number);
    [[nodiscard]] ForwarderCounters counters() const;
    /// Waits for the call that is being made, at most its timeout.
    void stop();

private:
    using Clock = std::chrono::steady_clock;
    using BroadcastResult = consensus_adapter::cometbft::BroadcastResult;
    struct Arrived {
        Hash hash;
        std::uint64_t number = 0;  // of BecameExecutable
    };
    struct Handed {
        Hash hash;
        std::uint64_t round = 0;  // of known_
        std::uint64_t head = 0;
        Clock::time_point at;
    };

    void on_arrival(const BecameExecutable& event);
    void note_arrived(const Arrived& arrived);  // with mutex_
    void run();
    bool wait();
    [[nodiscard]] std::optional<Clock::time_point> next_deadline() const;
    void scan(bool has_lost);
    void add(const Hash& hash);
    void look_at_handed();
    void recall(const Handed& handed);
    void take_back(std::deque<Handed>& handed);
    void give_up_recalling(const Hash& hash);
    [[nodiscard]] bool is_current(const Handed& handed) const;
    void forget_the_gone();
    void send();
    void settle(std::span<const Hash> hashes, std::span<const BroadcastResult> results);
    void begin_pause(const std::string& reason);
    void publish_sizes();

    Mempool& mempool_;
    const Broadcast broadcast_;
    const ForwarderOptions options_;

    std::mutex mutex_;
    std::condition_variable wakeup_;
    std::vector<Arrived> arrived_;  // guarded by mutex_, as what follows
    bool must_scan_ = true;
    bool has_lost_ = false;
    std::uint64_t head_ = 0;
    std::unordered_set<Hash, HashHasher> recalls_;
    bool is_stopped_ = false;

    // The thread's own.
    std::deque<Hash> waiting_;
    std::deque<Handed> handed_;                                  // oldest first
    std::deque<Handed> recalled_;                                // likewise; when that was
    std::unordered_map<Hash, std::uint64_t, HashHasher> known_;  // of all; kWaiting, or a round
    std::uint64_t round_ = 0;
    std::uint64_t scanned_ = 0;  // events up to this one had happened when the pool was looked at
    bool was_away_ = false;
    std::uint64_t seen_head_ = 0;
    std::size_t prune_at_ = 0;
    std::chrono::milliseconds next_pause_{};
    std::optional<Clock::time_point> paused_until_;  // with something in waiting_

    // Counted by the thread, read by anybody: no order with anything else is asked of them.
    std::atomic<std::uint64_t> forwarded_{0};
    std::atomic<std::uint64_t> refused_{0};
    std::atomic<std::uint64_t> retried_{0};
    std::atomic<std::uint64_t> resent_{0};
    std::atomic<std::uint64_t> waiting_count_{0};
    std::atomic<std::uint64_t> handed_count_{0};

    Feed<BecameExecutable>::Subscription subscription_;
    std::thread thread_;
};

}  // namespace heddle::node
