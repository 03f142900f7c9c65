// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "load/http_client.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>

#include "program/authority.hpp"
#include "program/error.hpp"

namespace heddle::node::load {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

Endpoint parse_endpoint(std::string_view url) {
    constexpr std::string_view kScheme = "http://";
    const auto fail = [&url] {
        fail_input("{}: expected an address like http://127.0.0.1:8545", url);
    };
    if (!url.starts_with(kScheme)) fail();
    std::string_view rest = url.substr(kScheme.size());
    Endpoint endpoint;
    if (const auto slash = rest.find('/'); slash != std::string_view::npos) {
        endpoint.path = rest.substr(slash);
        rest = rest.substr(0, slash);
    }
    const auto bracket = rest.find(']');
    const auto colon = rest.find(':', bracket == std::string_view::npos ? 0 : bracket);
    if (colon != std::string_view::npos) {
        const std::string_view port = rest.substr(colon + 1);
        const auto [end, error] =
            std::from_chars(port.data(), port.data() + port.size(), endpoint.port);
        if (error != std::errc{} || end != port.data() + port.size() || endpoint.port == 0) fail();
        rest = rest.substr(0, colon);
    }
    if (rest.starts_with('[') && rest.ends_with(']')) rest = rest.substr(1, rest.size() - 2);
    if (rest.empty()) fail();
    endpoint.host = rest;
    return endpoint;
}

namespace {

using Clock = std::chrono::steady_clock;

/// Unused for longer, a connection may have been closed: servers do not wait for ever.
constexpr std::chrono::seconds kIdle{1};

struct Connection {
    Connection(asio::io_context& context, const Endpoint& server)
        : socket(context),
          endpoint(server),
          name("http://" + authority(endpoint.host, endpoint.port)),
          header(fmt::format("POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: "
                             "application/json\r\nContent-Length: ",
                             endpoint.path, authority(endpoint.host, endpoint.port))) {}

    [[noreturn]] void fail(const error_code& error) const {
        const bool is_closed = error == http::error::end_of_stream || error == asio::error::eof;
        fail_input("{}: {}", name, is_closed ? "the server closed a connection" : error.message());
    }
    void connect();
    /// Of one that waits for no answer.
    [[nodiscard]] bool was_closed();
    void read();

    tcp::socket socket;
    Endpoint endpoint;
    Clock::time_point last_used;
    std::string name;    // of the server
    std::string header;  // up to the value of Content-Length
    std::string request;
    boost::beast::flat_buffer buffer;
    std::optional<http::response_parser<http::string_body>> parser;
    HttpClient::Done done;
};

void Connection::connect() {
    error_code error;
    last_used = Clock::now();
    tcp::resolver resolver{socket.get_executor()};
    const auto places = resolver.resolve(endpoint.host, std::to_string(endpoint.port), error);
    if (error) fail_input("{}: {}", name, error.message());
    asio::connect(socket, places, error);
    if (error) fail_input("{}: cannot connect: {}; is the node running?", name, error.message());
    (void)socket.set_option(tcp::no_delay(true), error);
}

bool Connection::was_closed() {
    char byte = 0;
    // Nothing has been asked, so whatever there is to read is an end.
    return ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 ||
           (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

void Connection::read() {
    parser.emplace();
    parser->body_limit(boost::none);
    http::async_read(socket, buffer, *parser,
                     [this](const error_code& error, std::size_t /*size*/) {
                         if (error) fail(error);
                         last_used = Clock::now();
                         const auto answer = parser->release();
                         if (answer.result() != http::status::ok)
                             fail_input("{}: answered {} {}", name, answer.result_int(),
                                        answer.body().substr(0, 200));
                         // The handler may send the next request, which replaces it.
                         const HttpClient::Done handler = std::exchange(done, nullptr);
                         handler(answer.body());
                     });
}

}  // namespace

struct HttpClient::Impl {
    asio::io_context context{1};
    std::vector<std::unique_ptr<Connection>> connections;
};

HttpClient::HttpClient(const Endpoint& endpoint, std::size_t connections)
    : HttpClient(std::span{&endpoint, 1}, connections) {}

HttpClient::HttpClient(std::span<const Endpoint> endpoints, std::size_t connections)
    : impl_(std::make_unique<Impl>()) {
    for (std::size_t i = connections; i-- != 0;) {
        const Endpoint& endpoint = endpoints[i % endpoints.size()];
        auto& connection =
            impl_->connections.emplace_back(std::make_unique<Connection>(impl_->context, endpoint));
        connection->connect();
    }
}

HttpClient::~HttpClient() = default;

void HttpClient::send(std::size_t index, std::string_view body, Done done) {
    Connection& connection = *impl_->connections.at(index);
    if (Clock::now() - connection.last_used > kIdle && connection.was_closed()) {
        connection.buffer.clear();
        connection.connect();
    }
    connection.done = std::move(done);
    connection.request.clear();
    connection.request += connection.header;
    connection.request += std::to_string(body.size());
    connection.request += "\r\n\r\n";
    connection.request += body;
    asio::async_write(connection.socket, asio::buffer(connection.request),
                      [&connection](const error_code& error, std::size_t /*size*/) {
                          if (error) connection.fail(error);
                          connection.read();
                      });
}

void HttpClient::after(std::chrono::nanoseconds delay, std::function<void()> task) {
    const auto timer = std::make_shared<asio::steady_timer>(impl_->context, delay);
    timer->async_wait([timer, task = std::move(task)](const error_code& error) {
        if (!error) task();
    });
}

void HttpClient::run() {
    impl_->context.restart();
    impl_->context.run();
}

void HttpClient::stop() {
    impl_->context.stop();
}

}  // namespace heddle::node::load
