// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which connections are open, of which client, and which of them makes room for another. Knows
// clients by their addresses only, and no sockets.
//
// Nobody is locked out by sockets that do nothing. There are two bounds: of all connections, and of
// those of one client. Where a new connection meets one of them, the connection that has waited
// longest for its client (among the client's own, where it is the client's bound) is given up for
// it, once it has waited for `patience`. Only where none has waited that long is the new one
// refused. A connection waits unless one of its calls is being answered.
//
//     state      event                                next       who
//     waiting    a whole request has come             working    its thread: work()
//     working    the answer is being sent             waiting    its thread: wait()
//     any        another takes its place              given up   the accepting thread: take()
//     any        it is closed                         gone       destructor
//
// Given up and gone connections are in no count. One that is given up closes at once, or, where a
// call of it has begun meanwhile, after the answer.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <boost/asio/ip/address.hpp>

namespace heddle::node::rpc {

/// Who is at the other end, as far as an address tells: an IPv4 address, or the first 64 bits of
/// an IPv6 address, which is what one network customer has at least.
struct Client {
    std::uint64_t key = 0;
    bool is_loopback = false;  // a program on this machine
};
[[nodiscard]] Client client_of(const boost::asio::ip::address& address) noexcept;

class ConnectionSlot;

struct ConnectionLimits {
    std::size_t connections = 0;
    std::size_t per_client = 0;  // 0: as many as there may be
    std::chrono::milliseconds patience{};
};

/// Thread safety: any. Outlives its slots.
class ConnectionTable {
public:
    using Clock = std::chrono::steady_clock;

    explicit ConnectionTable(const ConnectionLimits& limits) : limits_(limits) {}

    struct Admission {
        std::unique_ptr<ConnectionSlot> slot;  // null: there is no room
        /// Ends the connection that made room; empty: none had to. Called without a lock.
        std::function<void()> give_up;
    };
    /// Complexity: linear in the open connections where a bound is met, else logarithmic in the
    /// clients.
    [[nodiscard]] Admission take(const Client& client, Clock::time_point now);

    [[nodiscard]] std::size_t open() const;
    void wait_until_empty(std::chrono::milliseconds at_most);

private:
    friend ConnectionSlot;

    // With the lock.
    [[nodiscard]] ConnectionSlot* longest_waiting(const Client* client,
                                                  Clock::time_point now) const;
    void add(ConnectionSlot& slot);
    void remove(ConnectionSlot& slot);

    const ConnectionLimits limits_;
    mutable std::mutex mutex_;  // guards what follows, and what of a slot says so
    std::condition_variable changed_;
    std::vector<ConnectionSlot*> slots_;
    std::map<std::uint64_t, std::size_t> by_client_;
};

/// One of the connections that may be open at once.
/// Thread safety: work() and wait() by one thread at a time; the rest any.
class ConnectionSlot {
public:
    ~ConnectionSlot();
    ConnectionSlot(const ConnectionSlot&) = delete;
    ConnectionSlot& operator=(const ConnectionSlot&) = delete;

    [[nodiscard]] const Client& client() const noexcept { return client_; }
    /// How another thread ends this connection; before it is set nobody can.
    void on_give_up(std::function<void()> action);
    /// A call of it is being answered from now on.
    void work() noexcept { waits_since_.store(kWorking, std::memory_order_relaxed); }
    /// It waits for its client from now on.
    void wait(ConnectionTable::Clock::time_point now) noexcept {
        // Only which one is the smallest matters; nothing else is published through it.
        waits_since_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
    }

private:
    friend ConnectionTable;
    using Ticks = ConnectionTable::Clock::rep;
    static constexpr Ticks kWorking = std::numeric_limits<Ticks>::max();
    static constexpr std::size_t kNowhere = ~std::size_t{0};

    ConnectionSlot(ConnectionTable& table, const Client& client, Ticks now) noexcept
        : table_(table), client_(client), waits_since_(now) {}

    ConnectionTable& table_;
    const Client client_;
    std::atomic<Ticks> waits_since_;
    // Guarded by the table's mutex:
    std::size_t position_ = kNowhere;  // in slots_; kNowhere: given up
    std::function<void()> give_up_;
};

}  // namespace heddle::node::rpc
