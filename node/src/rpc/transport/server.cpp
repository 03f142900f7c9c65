// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/transport/server.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <types/counted.hpp>

#include "logging/log.hpp"
#include "program/authority.hpp"
#include "program/error.hpp"
#include "rpc/transport/connection.hpp"
#include "rpc/transport/ipc_connection.hpp"
#include "rpc/transport/ipc_listener.hpp"

namespace heddle::node::rpc {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr std::size_t kMinSecretBytes = 32;
/// Between looks at the deadlines of all connections; a connection is closed that much late.
constexpr std::chrono::milliseconds kMinSweep{10};
constexpr std::chrono::milliseconds kMaxSweep{1'000};
/// After an accept failed, which is for lack of file descriptors.
constexpr std::chrono::milliseconds kAcceptPause{100};

constexpr std::string_view kNoRoom =
    "HTTP/1.1 503 Service Unavailable\r\n"
    "Content-Type: text/plain; charset=utf-8\r\n"
    "Content-Length: 21\r\n"
    "Connection: close\r\n"
    "\r\n"
    "too many connections\n";

void check(const ServerOptions& options) {
    if (options.io_threads == 0 || options.worker_threads == 0 || options.execution_threads == 0)
        fail_input("the RPC server needs at least one thread of each kind");
    if (options.max_connections == 0)
        fail_input("the RPC server must allow at least one connection");
    if (options.jwt_secret && options.jwt_secret->size() < kMinSecretBytes)
        fail_input("the JWT secret has {}; it must have at least {}",
                   counted(options.jwt_secret->size(), "byte"), kMinSecretBytes);
}

std::chrono::milliseconds sweep_period(const ServerOptions& options) {
    const auto shortest = std::min({options.idle_timeout, options.header_timeout,
                                    options.read_timeout, options.write_timeout});
    return std::clamp(shortest / 4, kMinSweep, kMaxSweep);
}

[[noreturn]] void fail_listen(const ServerOptions& options, error_code error) {
    const std::string place = authority(options.address, options.port);
    if (error == asio::error::address_in_use)
        fail_input(
            "cannot listen on {}: the address is in use; stop what listens there or choose another "
            "port with {}",
            place, options.port_option);
    if (error == asio::error::access_denied)
        fail_input("cannot listen on {}: not permitted; choose a port above 1023 with {}", place,
                   options.port_option);
    if (error == boost::system::errc::address_not_available)
        fail_input("cannot listen on {}: this machine has no such address", place);
    fail_input("cannot listen on {}: {}", place, error.message());
}

/// Has the address and the port, and listens not yet. Errors: InputError.
tcp::acceptor bind_acceptor(asio::io_context& context, const ServerOptions& options) {
    error_code error;
    const auto address = asio::ip::make_address(options.address, error);
    if (error)
        fail_input("'{}' is not an IP address to listen on; for example 127.0.0.1 or ::1",
                   options.address);
    const tcp::endpoint endpoint(address, options.port);
    tcp::acceptor acceptor(context);
    (void)acceptor.open(endpoint.protocol(), error);
    if (!error) (void)acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) (void)acceptor.bind(endpoint, error);
    if (error) fail_listen(options, error);
    return acceptor;
}

/// @return whether there may be more.
bool run_some(IoThread& thread) {
    if (Clock::now() >= thread.awake_until) return thread.context.run_one() != 0;
    if (thread.context.poll_one() == 0) std::this_thread::yield();
    return !thread.context.stopped();
}

}  // namespace

void check_place(const ServerOptions& options) {
    asio::io_context context;
    (void)bind_acceptor(context, options);
    if (!options.ipc_path.empty()) (void)IpcListener(context, options.ipc_path);
}

std::optional<RpcError> ServerCore::check_gas(const Request& request, const Client& client) {
    if (!request.is_executing() || gas.may_begin(client.key, Clock::now())) return std::nullopt;
    refused_requests.fetch_add(1, std::memory_order_relaxed);
    return RpcError(Code::limit_exceeded,
                    fmt::format("gas rate exceeded: at most {} gas a second for one client",
                                options.gas_per_second));
}

std::optional<RpcError> ServerCore::submit(const Request& request, const Client& client,
                                           JobPool::Job job) {
    JobPool& pool = request.is_waiting() ? waiters : request.is_executing() ? executors : readers;
    if (auto refusal = check_gas(request, client)) return refusal;
    if (pool.submit(client.key, std::move(job))) return std::nullopt;
    refused_requests.fetch_add(1, std::memory_order_relaxed);
    return RpcError(Code::limit_exceeded, "server is busy");
}

void Connection::register_for_giving_up(const std::shared_ptr<Connection>& self) {
    slot_->on_give_up([thread = &thread_, core = &core_, weak = std::weak_ptr(self)] {
        ++core->given_up;
        asio::post(thread->context, [weak] {
            if (const auto connection = weak.lock()) connection->give_up();
        });
    });
}

class Server::Impl {
public:
    Impl(const Responder& responder, ServerOptions options, Pages pages)
        : core(responder, std::move(options), std::move(pages)) {
        lanes_.reserve(core.options.io_threads);
        for (std::size_t i = 0; i < core.options.io_threads; ++i)
            lanes_.push_back(std::make_unique<Lane>());
    }

    void start();
    void stop();

    ServerCore core;
    std::uint16_t port = 0;  // before the threads start

private:
    /// A thread and what keeps it busy.
    struct Lane {
        IoThread io;
        asio::executor_work_guard<asio::io_context::executor_type> guard{io.context.get_executor()};
        asio::steady_timer sweep_timer{io.context};
        std::thread thread;
    };

    void listen();
    void accept();
    void on_accept(error_code error);
    void admit(tcp::socket socket, IoThread& thread);
    void accept_ipc();
    void admit_ipc(IpcSocket socket, IoThread& thread);
    /// After a failure, which is for lack of file descriptors.
    void pause_accepting(error_code error, asio::steady_timer& timer, void (Impl::*go_on)());
    /// The thread that has the next connection.
    [[nodiscard]] IoThread& next_thread();
    void sweep(Lane& lane);
    void run(Lane& lane);
    /// `action` for every connection, each on its own thread.
    void post_to_all(void (Connection::*action)());

    std::mutex mutex_;  // of start and stop
    bool is_started_ = false;
    bool is_stopped_ = false;

    std::vector<std::unique_ptr<Lane>> lanes_;
    // The rest belongs to the first lane's thread.
    std::optional<tcp::acceptor> acceptor_;
    std::optional<asio::steady_timer> accept_timer_;
    IoThread* accepting_ = nullptr;  // the thread that has the next connection
    std::optional<tcp::socket> accepted_;
    std::optional<IpcListener> ipc_;
    std::optional<asio::steady_timer> ipc_timer_;
    std::size_t next_lane_ = 0;
};

void Server::Impl::listen() {
    asio::io_context& context = lanes_.front()->io.context;
    acceptor_.emplace(bind_acceptor(context, core.options));
    accept_timer_.emplace(context);
    error_code error;
    (void)acceptor_->listen(asio::socket_base::max_listen_connections, error);
    if (error) {
        acceptor_.reset();
        fail_listen(core.options, error);
    }
    port = acceptor_->local_endpoint().port();
    if (core.options.ipc_path.empty()) return;
    ipc_timer_.emplace(context);
    ipc_.emplace(context, core.options.ipc_path);
}

void Server::Impl::start() {
    const std::scoped_lock lock(mutex_);
    if (is_started_ || is_stopped_) return;
    listen();
    is_started_ = true;
    accept();
    if (ipc_) accept_ipc();
    for (const auto& lane : lanes_) {
        sweep(*lane);
        lane->thread = std::thread([this, &lane = *lane] { run(lane); });
    }
}

void Server::Impl::run(Lane& lane) {
    while (true) {
        try {
            while (run_some(lane.io)) {
            }
            return;
        } catch (const std::exception& error) {
            // Of one connection, which its missing next operation ends; the others go on.
            logger(Component::rpc).error("a connection failed: {}", error.what());
        }
    }
}

void Server::Impl::accept() {
    accepting_ = &next_thread();
    accepted_.emplace(accepting_->context);
    acceptor_->async_accept(*accepted_, [this](error_code error) { on_accept(error); });
}

void Server::Impl::on_accept(error_code error) {
    if (core.is_stopping || error == asio::error::operation_aborted) {
        accepted_.reset();  // its client would wait for as long as this object lives
        return;
    }
    if (error) return pause_accepting(error, *accept_timer_, &Impl::accept);
    admit(*std::move(accepted_), *accepting_);
    accept();
}

IoThread& Server::Impl::next_thread() {
    IoThread& thread = lanes_[next_lane_]->io;
    next_lane_ = (next_lane_ + 1) % lanes_.size();
    return thread;
}

void Server::Impl::accept_ipc() {
    IoThread& thread = next_thread();
    ipc_->acceptor().async_accept(
        thread.context, [this, &thread](error_code error, IpcSocket socket) {
            if (core.is_stopping || error == asio::error::operation_aborted) return;
            if (error) return pause_accepting(error, *ipc_timer_, &Impl::accept_ipc);
            admit_ipc(std::move(socket), thread);
            accept_ipc();
        });
}

void Server::Impl::pause_accepting(error_code error, asio::steady_timer& timer,
                                   void (Impl::*go_on)()) {
    logger(Component::rpc).warn("cannot accept a connection: {}", error.message());
    timer.expires_after(kAcceptPause);
    timer.async_wait([this, go_on](error_code aborted) {
        if (!aborted && !core.is_stopping) (this->*go_on)();
    });
}

void Server::Impl::admit_ipc(IpcSocket socket, IoThread& thread) {
    auto [slot, give_up] =
        core.connections.take(client_of(asio::ip::address_v4::loopback()), Clock::now());
    if (give_up) give_up();
    if (!slot) {
        ++core.refused;
        return;  // closes it
    }
    ++core.accepted;
    asio::post(thread.context,
               [this, &thread, slot = std::move(slot), socket = std::move(socket)]() mutable {
                   serve_ipc(core, thread, std::move(slot), std::move(socket));
               });
}

void Server::Impl::admit(tcp::socket socket, IoThread& thread) {
    error_code unknown;
    const auto peer = socket.remote_endpoint(unknown);
    if (unknown) return;  // it has left already
    const Client client = client_of(peer.address());
    auto [slot, give_up] = core.connections.take(client, Clock::now());
    if (give_up) give_up();
    if (!slot) {
        ++core.refused;
        error_code ignored;
        (void)socket.non_blocking(true, ignored);
        socket.write_some(asio::buffer(kNoRoom), ignored);
        (void)socket.shutdown(tcp::socket::shutdown_both, ignored);
        return;
    }
    ++core.accepted;
    asio::post(thread.context,
               [this, &thread, slot = std::move(slot), socket = std::move(socket)]() mutable {
                   serve_http(core, thread, std::move(slot), std::move(socket));
               });
}

void Server::Impl::sweep(Lane& lane) {
    const auto now = core.options.now();
    std::vector<std::shared_ptr<Connection>> late;
    for (const auto& connection : lane.io.connections)
        if (connection->deadline() < now) late.push_back(connection);
    for (const auto& connection : late) {
        ++core.timed_out;
        connection->close();
    }
    lane.sweep_timer.expires_after(sweep_period(core.options));
    lane.sweep_timer.async_wait([this, &lane](error_code error) {
        if (!error) sweep(lane);
    });
}

void Server::Impl::post_to_all(void (Connection::*action)()) {
    for (const auto& lane : lanes_)
        asio::post(lane->io.context, [&io = lane->io, action] {
            const std::vector<std::shared_ptr<Connection>> connections(io.connections.begin(),
                                                                       io.connections.end());
            for (const auto& connection : connections)
                ((*connection).*action)();
        });
}

void Server::Impl::stop() {
    const std::scoped_lock lock(mutex_);
    if (std::exchange(is_stopped_, true) || !is_started_) return;
    core.is_stopping = true;
    asio::post(lanes_.front()->io.context, [this] {
        error_code ignored;
        (void)acceptor_->close(ignored);
        accept_timer_->cancel();
        if (ipc_timer_) ipc_timer_->cancel();
        ipc_.reset();
    });
    post_to_all(&Connection::drain);
    core.connections.wait_until_empty(core.options.drain_timeout);
    post_to_all(&Connection::close);
    // Workers post to the lanes, which therefore run until there are none.
    core.readers.stop();
    core.executors.stop();
    core.waiters.stop();
    core.page_makers.stop();
    for (const auto& lane : lanes_) {
        if (!lane->thread.joinable()) continue;  // start() did not get so many
        asio::post(lane->io.context, [&lane = *lane] { lane.io.context.stop(); });
        lane->thread.join();
    }
}

Server::Server(const Responder& responder, ServerOptions options, Pages pages) {
    check(options);
    impl_ = std::make_unique<Impl>(responder, std::move(options), std::move(pages));
}

Server::~Server() {
    stop();
}

void Server::start() {
    impl_->start();
}

void Server::stop() {
    impl_->stop();
}

std::uint16_t Server::port() const noexcept {
    return impl_->port;
}

ServerCounters Server::counters() const noexcept {
    ServerCore& core = impl_->core;
    ServerCounters counters;
    counters.connections = core.connections.open();
    counters.websockets = core.websockets;
    counters.queued_requests = core.readers.queued() + core.executors.queued() +
                               core.waiters.queued() + core.page_makers.queued();
    counters.buffered_bytes = core.memory.taken();
    counters.accepted = core.accepted;
    counters.refused = core.refused;
    counters.given_up = core.given_up;
    counters.timed_out = core.timed_out;
    counters.requests = core.requests;
    counters.refused_requests = core.refused_requests;
    counters.rejected_requests = core.rejected_requests;
    counters.cut_off = core.cut_off;
    return counters;
}

}  // namespace heddle::node::rpc
