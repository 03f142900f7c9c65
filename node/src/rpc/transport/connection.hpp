// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the connections of a server share, and what the server wants of each. Private to the server:
// includes Asio.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_set>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "rpc/transport/connection_table.hpp"
#include "rpc/transport/gas_rates.hpp"
#include "rpc/transport/job_pool.hpp"
#include "rpc/transport/memory_budget.hpp"
#include "rpc/transport/request_gatherer.hpp"
#include "rpc/transport/server.hpp"
#include "rpc/transport/write_deadline.hpp"

namespace heddle::node::rpc {

using Clock = std::chrono::steady_clock;

/// Thread safety: all of it, from any thread.
struct ServerCore {
    ServerCore(const Responder& used_responder, ServerOptions used_options, Pages used_pages)
        : responder(used_responder),
          options(std::move(used_options)),
          pages(std::move(used_pages)),
          memory(options.max_buffered_bytes),
          connections({.connections = options.max_connections,
                       .per_client = options.max_connections_per_client,
                       .patience = options.patience}),
          gas(options.gas_per_second),
          readers(pool_size(options.worker_threads)),
          executors(pool_size(options.execution_threads)),
          waiters({.threads = kWaiters,
                   .spare_threads = options.spare_threads,
                   .max_queued = kWaiters}),
          page_makers({.threads = 1, .max_queued = options.max_queued_requests}) {}

    /// Calls that may sleep at once, and as many again until one wakes; spare threads come on top.
    static constexpr std::size_t kWaiters = 32;

    [[nodiscard]] JobPoolSize pool_size(std::size_t threads) const noexcept {
        return {.threads = threads,
                .spare_threads = options.spare_threads,
                .max_queued = options.max_queued_requests};
    }

    const Responder& responder;
    const ServerOptions options;
    const Pages pages;
    MemoryBudget memory;
    ConnectionTable connections;
    GasRates gas;
    std::atomic<bool> is_stopping{false};

    // Figures; nothing is published through them.
    std::atomic<std::size_t> websockets{0};
    std::atomic<std::uint64_t> accepted{0};
    std::atomic<std::uint64_t> refused{0};
    std::atomic<std::uint64_t> given_up{0};
    std::atomic<std::uint64_t> timed_out{0};
    std::atomic<std::uint64_t> requests{0};
    std::atomic<std::uint64_t> refused_requests{0};
    std::atomic<std::uint64_t> rejected_requests{0};
    std::atomic<std::uint64_t> cut_off{0};

    /// Whether `client` has executed too much lately for this request: why it is refused.
    [[nodiscard]] std::optional<RpcError> check_gas(const Request& request, const Client& client);
    /// Hands a heavy request of `client` to the pool that its weight says.
    /// @return why it is not taken; nullopt: it is.
    [[nodiscard]] std::optional<RpcError> submit(const Request& request, const Client& client,
                                                 JobPool::Job job);

    // Last: their jobs use the rest. What executes code keeps nobody who only reads.
    JobPool readers;
    JobPool executors;
    JobPool waiters;
    JobPool page_makers;
};

class Connection;

/// A thread with its connections. They are swept regularly for those that ran out of time, so that
/// no connection needs a timer of its own.
struct IoThread {
    // One thread runs it; others post to it.
    boost::asio::io_context context{1};
    // This thread's alone.
    std::unordered_set<std::shared_ptr<Connection>> connections;
    RequestGatherer gatherer{context};
    /// Until then it looks for what is ready instead of sleeping.
    Clock::time_point awake_until{};
};

/// Thread safety: its I/O thread only. The last reference may be a worker's, once it is closed.
class Connection {
public:
    Connection(ServerCore& core, IoThread& thread, std::unique_ptr<ConnectionSlot> slot)
        : core_(core), thread_(thread), slot_(std::move(slot)) {}
    virtual ~Connection() = default;
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// Ends at once whatever is under way, and leaves the thread's set.
    virtual void close() = 0;
    /// Ends once what is being answered has been answered and sent.
    virtual void drain() = 0;
    /// Makes room for another connection: closes, unless a call is being answered; then drains.
    virtual void give_up() = 0;
    /// Writes what other threads have left to be sent. Only a WebSocket has such messages.
    virtual void flush() {}

    [[nodiscard]] Clock::time_point deadline() const noexcept { return deadline_; }
    /// Lets another thread give it up, which `self` is. Once it has a client to wait for.
    void register_for_giving_up(const std::shared_ptr<Connection>& self);

protected:
    [[nodiscard]] Clock::time_point now() const noexcept { return core_.options.now(); }
    void wait_at_most(std::chrono::milliseconds time) noexcept { deadline_ = now() + time; }
    void wait_until(Clock::time_point deadline) noexcept { deadline_ = deadline; }
    void wait_forever() noexcept { deadline_ = Clock::time_point::max(); }
    [[nodiscard]] std::chrono::milliseconds header_time() const noexcept {
        return std::min(core_.options.header_timeout, core_.options.read_timeout);
    }
    /// Until when a request whose body began at `begin`, and of which so much has come, may go on
    /// coming. Every byte buys a little time, so that dripping does not pay.
    [[nodiscard]] Clock::time_point body_deadline(Clock::time_point begin,
                                                  std::size_t bytes) const noexcept {
        const auto bought = std::chrono::milliseconds(bytes / kLeastBytesPerMillisecond);
        return begin + std::min(core_.options.header_timeout + bought, core_.options.read_timeout);
    }

    /// An answer begins to be written: each part that comes to the least rate over `write_timeout`
    /// has to be taken in that time.
    void begin_write(WriteDeadline& deadline) const noexcept {
        const auto time = core_.options.write_timeout;
        const auto least = static_cast<std::size_t>(std::max<std::int64_t>(time.count(), 1));
        deadline.begin(now(), time, kLeastBytesPerMillisecond * least);
    }

    /// The rate below which a body, or a client that takes an answer, is too slow.
    static constexpr std::size_t kLeastBytesPerMillisecond = 16;

    ServerCore& core_;
    IoThread& thread_;
    std::unique_ptr<ConnectionSlot> slot_;

private:
    Clock::time_point deadline_ = Clock::time_point::max();
};

/// Begins to serve a client. On `thread`.
void serve_http(ServerCore& core, IoThread& thread, std::unique_ptr<ConnectionSlot> slot,
                boost::asio::ip::tcp::socket socket);

}  // namespace heddle::node::rpc
