// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "abci_proxy.hpp"

#include <chrono>
#include <stdexcept>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cometbft/framing.hpp"

namespace heddle::test {
namespace {

using consensus_adapter::cometbft::append_length;
using consensus_adapter::cometbft::FrameReader;

constexpr std::size_t kMaxMessage = std::size_t{256} << 20;

sockaddr_in socket_address(const std::string& address, std::uint16_t port) {
    sockaddr_in result{};
    result.sin_family = AF_INET;
    result.sin_port = htons(port);
    ::inet_pton(AF_INET, address.c_str(), &result.sin_addr);
    return result;
}

void set_option(int descriptor, int level, int option) {
    const int on = 1;
    ::setsockopt(descriptor, level, option, &on, sizeof on);
}

int make_socket() {
    const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    set_option(descriptor, SOL_SOCKET, SO_REUSEADDR);
    set_option(descriptor, IPPROTO_TCP, TCP_NODELAY);
    return descriptor;
}

bool send_all(int descriptor, BytesView bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
    return true;
}

}  // namespace

struct AbciProxy::Connection {
    std::size_t number = 0;
    int comet = -1;
    int application = -1;
    std::thread requests;
    std::thread responses;

    /// Both sides see the end of it.
    void end() const {
        ::shutdown(comet, SHUT_RDWR);
        ::shutdown(application, SHUT_RDWR);
    }
    ~Connection() {
        end();
        if (requests.joinable()) requests.join();
        if (responses.joinable()) responses.join();
        ::close(comet);
        ::close(application);
    }
};

AbciProxy::AbciProxy(const std::string& address, std::uint16_t port, std::uint16_t application_port,
                     OnMessage on_message)
    : address_(address),
      application_port_(application_port),
      on_message_(std::move(on_message)),
      listener_(make_socket()) {
    const sockaddr_in here = socket_address(address, port);
    if (::bind(listener_, reinterpret_cast<const sockaddr*>(&here), sizeof here) != 0 ||  // NOLINT
        ::listen(listener_, 16) != 0)
        throw std::runtime_error("cannot listen on " + address + ":" + std::to_string(port));
    thread_ = std::thread{[this] { accept_all(); }};
}

AbciProxy::~AbciProxy() {
    is_stopping_ = true;
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    connections_.clear();
    ::close(listener_);
}

/// Waits for one that is about to start.
int AbciProxy::connect_to_application() const {
    const sockaddr_in there = socket_address(address_, application_port_);
    while (true) {
        const int descriptor = make_socket();
        if (is_stopping_ ||
            ::connect(descriptor, reinterpret_cast<const sockaddr*>(&there),  // NOLINT
                      sizeof there) == 0)
            return descriptor;
        ::close(descriptor);
        std::this_thread::sleep_for(std::chrono::milliseconds{20});
    }
}

void AbciProxy::accept_all() {
    for (std::size_t number = 0; !is_stopping_; ++number) {
        const int comet = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (comet < 0) return;
        set_option(comet, IPPROTO_TCP, TCP_NODELAY);
        auto connection = std::make_unique<Connection>();
        connection->number = number;
        connection->comet = comet;
        connection->application = connect_to_application();
        Connection& made = *connection;
        made.requests = std::thread{[this, &made] { carry(made, Direction::request); }};
        made.responses = std::thread{[this, &made] { carry(made, Direction::response); }};
        const std::scoped_lock lock{mutex_};
        connections_.push_back(std::move(connection));
    }
}

void AbciProxy::carry(Connection& connection, Direction direction) {
    const bool is_request = direction == Direction::request;
    const int from = is_request ? connection.comet : connection.application;
    const int to = is_request ? connection.application : connection.comet;
    FrameReader reader{kMaxMessage};
    while (true) {
        auto next = reader.next();
        if (!next.has_value()) break;
        if (!next->has_value()) {
            const auto room = reader.room();
            const ssize_t count = ::recv(from, room.data(), room.size(), 0);
            if (count <= 0) break;
            reader.received(static_cast<std::size_t>(count));
            continue;
        }
        Message message{direction, connection.number, {(*next)->begin(), (*next)->end()}, false};
        on_message_(message);
        if (message.is_lost) break;  // nothing behind it may overtake it
        Bytes framed;
        append_length(message.bytes.size(), framed);
        framed.insert(framed.end(), message.bytes.begin(), message.bytes.end());
        if (!send_all(to, framed)) break;
    }
    connection.end();
}

}  // namespace heddle::test
