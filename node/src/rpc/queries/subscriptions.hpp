// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Who wants to be told of what, over which connection. The threads that commit blocks and bring
// transactions only leave a note; a thread of its own writes the notifications.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "chain/chain.hpp"
#include "mempool/mempool.hpp"
#include "rpc/queries/log_search.hpp"
#include "rpc/queries/removed_logs.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

enum class SubscriptionKind : std::uint8_t {
    heads,
    logs,
    receipts,
    transaction_hashes,
    transactions,
    syncing
};

struct Subscriber {
    std::shared_ptr<Session> session;  // with its connection
    std::uint64_t client = 0;          // Call::client
    std::string id;
    SubscriptionKind kind = SubscriptionKind::heads;
    LogCriteria criteria;
    std::vector<Hash> transactions;  // whose receipts are wanted; empty: of all

    /// Addresses, topics and transactions that it asks for, for bounds of what is kept.
    [[nodiscard]] std::size_t size() const noexcept {
        return criteria.filter.size() + transactions.size();
    }
};
using SharedSubscriber = std::shared_ptr<const Subscriber>;  // with those who are telling it
using Subscribers = std::vector<SharedSubscriber>;

/// Who is subscribed. Connections that are still open may outlive the rest, and so may chains that
/// take each other's place: subscriptions stay.
/// Thread safety: any.
struct SubscriberRegistry {
    mutable std::mutex mutex;  // guards what follows, but for what is atomic
    /// Of each connection: identifiers and subscriptions.
    std::unordered_map<const Session*, std::unordered_map<std::string, SharedSubscriber>> sessions;
    // Of all connections together.
    std::size_t subscription_count = 0;
    std::size_t alternative_count = 0;  // what the subscriptions ask for, see Subscriber::size()
    struct Share {
        std::size_t subscriptions = 0;
        std::size_t alternatives = 0;
    };
    std::unordered_map<std::uint64_t, Share> by_client;  // of those who have any
    std::atomic<std::size_t> of_blocks{0};
    std::atomic<std::size_t> of_transactions{0};

    /// One more or one less. With the lock.
    void count(const Subscriber& subscriber, bool is_more) noexcept;
    void forget(const Session* session);
    [[nodiscard]] Subscribers of(SubscriptionKind kind) const;
};

/// Thread safety: any.
class Subscriptions {
public:
    explicit Subscriptions(const Services& services);
    Subscriptions(const Subscriptions&) = delete;
    Subscriptions& operator=(const Subscriptions&) = delete;
    ~Subscriptions();

    using Kind = SubscriptionKind;
    /// @param call      Of a session.
    /// @param criteria  For logs; else empty.
    /// Errors: RpcError limit_exceeded where the connection has too many, all together have, or the
    /// client has more than there is room left, so that nobody takes all of it; as
    /// check_future_range().
    [[nodiscard]] std::string add(const Call& call, Kind kind, LogCriteria criteria = {});
    /// Receipts of each block's transactions as one list.
    /// @param transactions  Those wanted, at most kMaxReceipts; empty: all.
    [[nodiscard]] std::string add_receipts(const Call& call, std::vector<Hash> transactions);
    static constexpr std::size_t kMaxReceipts = 200;

    /// Addresses, topics and transactions that the subscriptions of one connection may ask for.
    static constexpr std::size_t kMaxAlternatives = 16'384;
    // Of all connections together: some tens of megabytes, and what each new block is held against.
    static constexpr std::size_t kMaxInAll = 32'768;  // subscriptions
    static constexpr std::size_t kMaxAlternativesInAll = 262'144;
    /// @return false: the connection has no such subscription.
    bool remove(const std::shared_ptr<Session>& session, std::string_view id);

    /// Waits until everything that had happened before was queued with the sessions; for tests.
    void flush();

private:
    [[nodiscard]] std::string add(const std::shared_ptr<Subscriber>& subscriber);
    /// Errors: RpcError limit_exceeded. With the registry's lock.
    void check_room(const Subscriber& subscriber) const;
    void on_head(const SharedBlock& block);
    void on_arrival(const SharedTransaction& transaction);
    /// Blocks are about to be taken back; on_rewind() follows once they are.
    void on_taking_back(const BlockSpan& blocks);
    void on_rewind(const SharedBlock& head);
    void run();
    /// Tells of what is next in the order of the chain. With notes_mutex_, which is not held
    /// meanwhile.
    void tell_next(std::unique_lock<std::mutex>& lock);
    void tell_block(const SharedBlock& block) const;
    /// Logs of a block for who asks by this filter; null: the block has none for them.
    using LogsFor = std::function<SharedBlockLogs(const LogFilter& filter)>;
    static void tell_logs(const Subscribers& logs, std::uint64_t number, const LogsFor& logs_for);
    void tell_receipts(const SharedBlock& block, const Subscribers& receipts) const;
    void tell_transactions(const std::deque<SharedTransaction>& transactions) const;

    const Services services_;
    const std::shared_ptr<SubscriberRegistry> registry_;  // see there

    std::mutex notes_mutex_;  // guards what follows
    std::condition_variable changed_;
    SharedBlock head_;                        // the last one to tell of; null: none
    std::uint64_t next_block_ = 0;            // the first one to tell of; 0: none
    std::uint64_t rewinds_ = 0;               // how often the chain has gone back
    std::optional<RemovedLogs> going_;        // what is being taken back, where somebody wants it
    std::deque<SharedBlockLogs> removed_;     // to tell of, before next_block_
    std::size_t removed_bytes_ = 0;           // of removed_
    std::deque<SharedTransaction> arrivals_;  // to tell of
    std::size_t arrival_bytes_ = 0;           // of arrivals_
    std::uint64_t notes_ = 0;                 // taken
    std::uint64_t notes_done_ = 0;            // dealt with
    bool has_lost_arrivals_ = false;
    bool stops_ = false;

    std::thread thread_;
    // Last: they use everything above.
    Feed<SharedBlock>::Subscription heads_feed_;
    Feed<BecameExecutable>::Subscription arrivals_feed_;
    Feed<BlockSpan>::Subscription taking_back_feed_;
    Feed<SharedBlock>::Subscription rewinds_feed_;
};

}  // namespace heddle::node::rpc
