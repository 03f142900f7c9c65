// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// JSON-RPC over HTTP/1.1 and WebSocket on one port, and over a local socket, within limits: of
// connections, of sizes, of time and of memory. It knows methods only as a table (json_rpc.hpp) and
// pages only as functions.
//
// Threads. Every connection belongs to one of `io_threads` threads for its whole life: its socket,
// its timers and its buffers are touched by that thread only, so they need no locks. Light methods
// are answered there. Heavy ones go through bounded queues to threads of their own: those that read
// much to `worker_threads`, those that execute code to `execution_threads`, so that no amount of
// code in calls keeps those who only read or send transactions (job_pool.hpp says how clients share
// threads and queues); pages that take their time have one thread, so that whoever watches a node
// under load is answered. A worker touches the request and its response, which its connection
// leaves alone until the worker has handed them back by a post to the thread of the connection. A
// Session is the one part of a connection that other threads may use; a lock guards its queue.
//
// Clients are told apart by address. Which connection makes room for which is in
// connection_table.hpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <types/bytes.hpp>

#include "rpc/envelope/json_rpc.hpp"

namespace heddle::node::rpc {

struct ServerOptions {
    std::string address = "127.0.0.1";  // IPv4 or IPv6
    std::uint16_t port = 8545;          // 0: any that is free
    /// The file of a local socket on which messages are answered, too (ipc_connection.hpp); empty:
    /// there is none.
    std::string ipc_path{};
    std::size_t io_threads = 2;
    std::size_t worker_threads = 4;     // for calls and batches that read much
    std::size_t execution_threads = 4;  // for calls that execute code
    /// Of each kind besides, for clients for which none of those threads works (job_pool.hpp).
    std::size_t spare_threads = 4;
    /// Waiting for a worker, of each kind; beyond: "server is busy".
    std::size_t max_queued_requests = 256;

    std::size_t max_connections = 1'000;         // beyond: HTTP 503
    std::size_t max_connections_per_client = 0;  // of one address; 0: as many as there may be
    /// How long a connection may have waited for its client before it has to make room for another,
    /// where there are as many as may be.
    std::chrono::milliseconds patience{1'000};
    /// Gas that calls of one client may use each second; 0: any amount. See gas_rates.hpp.
    std::uint64_t gas_per_second = 0;
    std::size_t max_request_bytes = std::size_t{5} << 20;     // beyond: HTTP 413
    std::size_t max_buffered_bytes = std::size_t{64} << 20;   // of all large messages together
    std::size_t max_send_queue_bytes = std::size_t{8} << 20;  // of a WebSocket, unread by it

    std::chrono::milliseconds idle_timeout{
        120'000};  // between requests; WebSocket: unanswered ping
    std::chrono::milliseconds header_timeout{10'000};  // for the header, and until the body begins
    /// To send one request: at most. A body that comes at less than 16 KiB a second has less.
    std::chrono::milliseconds read_timeout{30'000};
    /// To take a response, or of a large one the next part: 16 KiB for each second of this.
    std::chrono::milliseconds write_timeout{30'000};
    std::chrono::milliseconds call_timeout{10'000};  // Call::deadline, from arrival
    std::chrono::milliseconds drain_timeout{5'000};  // of stop(), for what is being answered
    /// By which the first four of these are told: the machine's, or a test's, which passes when the
    /// test says so.
    std::chrono::steady_clock::time_point (*now)() noexcept = &std::chrono::steady_clock::now;

    /// Origins (`https://site.example`, `*`) whose pages may read answers (CORS) and open
    /// WebSockets. Without any, pages of http://localhost may open WebSockets. Pages that this
    /// server itself has served always may.
    std::vector<std::string> allowed_origins{};
    /// Whether pages that the browser's own machine serves may do so too (is_local_page()).
    bool allows_local_pages = false;
    /// Names under which a request may address this server (`*`: any), against DNS rebinding.
    /// IP addresses always may.
    std::vector<std::string> allowed_hosts{"localhost"};
    /// HS256 key of at least 32 bytes for methods with Access::authenticated.
    std::optional<Bytes> jwt_secret{};
    /// What this process writes into the header CDN-Loop (RFC 8586) where it asks others: who comes
    /// with it is this process itself, which would ask without end; gets HTTP 508. Empty: it asks
    /// nobody in such a way.
    std::string loop_name{};

    /// For the text of errors: what sets the port.
    std::string port_option = "--rpc-port";
};

struct Page {
    unsigned status = 200;
    std::string content_type{};
    std::string body{};
    std::string headers{};  // whole lines, with their ends
    std::string etag{};     // with its quotes; empty: browsers keep no copy
};
/// Where a page comes from.
struct PageSource {
    /// Thread safety: any. What it throws becomes HTTP 500.
    std::function<Page()> make;
    /// It takes longer than a light method, or waits for somebody: it is made on a thread that has
    /// nothing else to do but such pages. Others are made by I/O threads.
    bool is_long = false;
};
/// By path, e.g. "/health".
using Pages = std::map<std::string, PageSource, std::less<>>;

struct ServerCounters {
    std::size_t connections = 0;          // open now
    std::size_t websockets = 0;           // of them
    std::size_t queued_requests = 0;      // waiting for a worker now
    std::size_t buffered_bytes = 0;       // of large messages and pages, now
    std::uint64_t accepted = 0;           // connections since the start
    std::uint64_t refused = 0;            // connections beyond a limit
    std::uint64_t given_up = 0;           // connections that made room for others
    std::uint64_t timed_out = 0;          // connections closed for being slow or idle
    std::uint64_t requests = 0;           // over HTTP and WebSocket; a batch is one
    std::uint64_t refused_requests = 0;   // for lack of workers or memory
    std::uint64_t rejected_requests = 0;  // forbidden host, bad token, not HTTP, too large
    std::uint64_t cut_off = 0;            // WebSockets that did not read
};

/// Whether a server might listen at the address, the port and the path now, for what has much to do
/// before it does. Errors: as Server::start().
void check_place(const ServerOptions& options);

class Server {
public:
    /// Borrows `responder`, which outlives the server. Nothing is opened yet.
    /// Errors: InputError for options that make no sense.
    Server(const Responder& responder, ServerOptions options, Pages pages = {});
    /// Stops.
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// Listens and returns. Once.
    /// Errors: InputError, one sentence, when the address, the port or the socket cannot be had.
    void start();
    /// Accepts no more, answers what is being answered for at most `drain_timeout`, closes every
    /// connection and joins all threads; calls that still run are waited for, at most until their
    /// deadlines. Again or before start(): does nothing.
    /// Thread safety: any but a thread of the server.
    void stop();

    /// The one that is listened on, also when any was asked for. After start().
    [[nodiscard]] std::uint16_t port() const noexcept;
    /// Thread safety: any.
    [[nodiscard]] ServerCounters counters() const noexcept;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::node::rpc
