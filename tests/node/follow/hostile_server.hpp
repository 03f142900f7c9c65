// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A server on loopback that does to each request what a test says, byte by byte, and one that
// answers as a node does.
#pragma once

#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include "follow/endpoint.hpp"
#include "rpc/envelope/json_rpc.hpp"
#include "rpc/envelope/method.hpp"
#include "rpc/transport/server.hpp"

namespace heddle::node::follow::test {

/// A whole HTTP answer around `body`.
inline std::string http_answer(const std::string& body, const std::string& status = "200 OK") {
    return "HTTP/1.1 " + status +
           "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
}
/// The answer to a single question.
inline std::string rpc_answer(const std::string& result) {
    return http_answer(R"({"jsonrpc":"2.0","id":1,"result":)" + result + "}");
}

/// Each connection has a thread, which ends with it.
class HostileServer {
public:
    /// One connection, of which the test reads and writes.
    class Peer {
    public:
        explicit Peer(boost::asio::ip::tcp::socket& socket) : socket_(socket) {}
        /// @return false: the client is gone.
        bool send(const std::string& bytes) {
            boost::system::error_code error;
            boost::asio::write(socket_, boost::asio::buffer(bytes), error);
            return !error;
        }
        /// Waits until the client closes, or the server is to end.
        void wait_for_end() {
            boost::system::error_code error;
            char byte = 0;
            while (!error)
                (void)socket_.read_some(boost::asio::buffer(&byte, 1), error);
        }

    private:
        boost::asio::ip::tcp::socket& socket_;
    };
    /// Answers one request. @return whether the connection stays open.
    using Serve = std::function<bool(Peer&, const std::string& body)>;

    explicit HostileServer(Serve serve) : serve_(std::move(serve)), thread_([this] { accept(); }) {}
    ~HostileServer() {
        ::shutdown(acceptor_.native_handle(), SHUT_RDWR);  // accept() comes back
        thread_.join();
        {
            const std::scoped_lock lock{mutex_};
            for (const auto& socket : sockets_)
                ::shutdown(socket->native_handle(), SHUT_RDWR);
        }
        threads_.clear();
    }
    HostileServer(const HostileServer&) = delete;
    HostileServer& operator=(const HostileServer&) = delete;

    [[nodiscard]] Endpoint endpoint() const {
        return {.is_websocket = false,
                .host = "127.0.0.1",
                .port = acceptor_.local_endpoint().port(),
                .path = "/",
                .authorization = {}};
    }
    [[nodiscard]] int connections() const { return connections_; }
    /// Waits until so many connections have been closed from here.
    void wait_for_closed(int connections) const {
        for (int closed = closed_; closed < connections; closed = closed_)
            closed_.wait(closed);
    }

private:
    using Tcp = boost::asio::ip::tcp;

    void accept() {
        for (;;) {
            boost::system::error_code error;
            auto socket = std::make_shared<Tcp::socket>(context_);
            (void)acceptor_.accept(*socket, error);
            if (error) return;
            ++connections_;
            const std::scoped_lock lock{mutex_};
            sockets_.push_back(socket);
            threads_.emplace_back([this, socket] {
                while (answer_one(*socket)) {
                }
                ::shutdown(socket->native_handle(), SHUT_RDWR);
                ++closed_;
                closed_.notify_all();
            });
        }
    }
    bool answer_one(Tcp::socket& socket) {
        boost::system::error_code error;
        std::string text;
        boost::asio::read_until(socket, boost::asio::dynamic_buffer(text), "\r\n\r\n", error);
        if (error) return false;
        const std::size_t head = text.find("\r\n\r\n") + 4;
        const std::size_t named = text.find("Content-Length: ");
        const std::size_t length =
            named == std::string::npos ? 0 : std::stoul(text.substr(named + 16));
        if (text.size() < head + length)
            boost::asio::read(socket, boost::asio::dynamic_buffer(text),
                              boost::asio::transfer_exactly(head + length - text.size()), error);
        if (error) return false;
        Peer peer{socket};
        return serve_(peer, text.substr(head));
    }

    const Serve serve_;
    std::atomic<int> connections_{0};
    std::atomic<int> closed_{0};
    boost::asio::io_context context_;
    Tcp::acceptor acceptor_{context_, {boost::asio::ip::make_address("127.0.0.1"), 0}};
    std::mutex mutex_;
    std::vector<std::shared_ptr<Tcp::socket>> sockets_;  // guarded by mutex_; with their threads
    std::vector<std::jthread> threads_;                  // guarded by mutex_
    std::thread thread_;
};

/// Methods of a test behind a node's own server, over HTTP and WebSocket.
class PoliteServer {
public:
    void on(std::string method, rpc::Handler handler) {
        methods_.add({std::move(method), std::move(handler)});
    }
    void start() {
        rpc::ServerOptions options;
        options.port = port_;
        options.io_threads = 1;
        options.worker_threads = 1;
        // Its clock stands still, so that nobody is too late for it on a machine that is.
        options.now = []() noexcept { return std::chrono::steady_clock::time_point{}; };
        responder_ = std::make_unique<rpc::Responder>(methods_);
        server_ = std::make_unique<rpc::Server>(*responder_, options, rpc::Pages{});
        server_->start();
        port_ = server_->port();
    }
    /// Closes all connections; start() listens on the same port again.
    void stop() {
        server_.reset();
        responder_.reset();
    }
    [[nodiscard]] Endpoint endpoint(bool is_websocket) const {
        return {.is_websocket = is_websocket,
                .host = "127.0.0.1",
                .port = port_,
                .path = "/",
                .authorization = {}};
    }

private:
    std::uint16_t port_ = 0;
    rpc::MethodTable methods_;
    std::unique_ptr<rpc::Responder> responder_;
    std::unique_ptr<rpc::Server> server_;
};

}  // namespace heddle::node::follow::test
