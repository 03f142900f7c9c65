// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// An HTTP server on loopback that answers each request with the bytes a test gives it, one
// connection after another.
#pragma once

#include <sys/socket.h>

#include <atomic>
#include <functional>
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

namespace heddle::test {

/// A whole HTTP answer around `body`.
inline std::string http_answer(const std::string& body, const std::string& status = "200 OK") {
    return "HTTP/1.1 " + status +
           "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
}

/// Destroyed after its clients, which it reads from until they close.
class FakeCometServer {
public:
    struct Reply {
        std::string bytes;  // as they go out; empty: it says nothing and waits
        bool closes = false;
    };
    using Respond = std::function<Reply(const std::string& request)>;

    explicit FakeCometServer(Respond respond)
        : respond_(std::move(respond)), thread_([this] { run(); }) {}
    ~FakeCometServer() {
        ::shutdown(acceptor_.native_handle(), SHUT_RDWR);  // accept() comes back
        thread_.join();
    }
    FakeCometServer(const FakeCometServer&) = delete;
    FakeCometServer& operator=(const FakeCometServer&) = delete;

    [[nodiscard]] std::string address() const {
        return "http://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
    }
    [[nodiscard]] std::vector<std::string> requests() const {
        const std::scoped_lock lock{mutex_};
        return requests_;
    }
    [[nodiscard]] int connections() const { return connections_; }

private:
    using Tcp = boost::asio::ip::tcp;

    void run() {
        for (;;) {
            boost::system::error_code error;
            Tcp::socket socket{context_};
            (void)acceptor_.accept(socket, error);
            if (error) return;
            ++connections_;
            while (answer_one(socket)) {
            }
        }
    }

    /// @return false: the connection is at its end.
    bool answer_one(Tcp::socket& socket) {
        boost::system::error_code error;
        std::string text;
        boost::asio::read_until(socket, boost::asio::dynamic_buffer(text), "\r\n\r\n", error);
        if (error) return false;
        const std::size_t head = text.find("\r\n\r\n") + 4;
        const std::size_t length = std::stoul(text.substr(text.find("Content-Length: ") + 16));
        if (text.size() < head + length)
            boost::asio::read(socket, boost::asio::dynamic_buffer(text),
                              boost::asio::transfer_exactly(head + length - text.size()), error);
        if (error) return false;
        const std::string body = text.substr(head);
        {
            const std::scoped_lock lock{mutex_};
            requests_.push_back(body);
        }
        const Reply reply = respond_(body);
        boost::asio::write(socket, boost::asio::buffer(reply.bytes), error);
        return !error && !reply.closes;
    }

    const Respond respond_;
    std::atomic<int> connections_{0};
    mutable std::mutex mutex_;
    std::vector<std::string> requests_;  // guarded by mutex_
    boost::asio::io_context context_;
    Tcp::acceptor acceptor_{context_, {boost::asio::ip::make_address("127.0.0.1"), 0}};
    std::thread thread_;
};

}  // namespace heddle::test
