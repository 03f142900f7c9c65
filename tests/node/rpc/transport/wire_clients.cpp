// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "wire_clients.hpp"

#include <stdexcept>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "comes_true.hpp"

namespace heddle::node::rpc {

namespace asio = boost::asio;
namespace websocket = boost::beast::websocket;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

void connect(tcp::socket& socket, std::uint16_t port) {
    socket.connect({asio::ip::address_v4::loopback(), port});
    socket.set_option(tcp::no_delay(true));
}

std::string lower(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    return text;
}

ServerOptions with_free_port(ServerOptions options) {
    options.port = 0;
    return options;
}

}  // namespace

std::string HttpResponse::header(std::string_view name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string{} : found->second;
}

struct HttpClient::State {
    asio::io_context context;
    tcp::socket socket{context};
    std::string received;

    /// More bytes; false: the connection ended.
    bool read_more() {
        std::string chunk(64 << 10, '\0');
        error_code error;
        const std::size_t size = socket.read_some(asio::buffer(chunk), error);
        if (error) return false;
        received.append(chunk, 0, size);
        return true;
    }
    void need_more() {
        if (!read_more()) throw std::runtime_error("the connection ended early");
    }
};

HttpClient::HttpClient(std::uint16_t port, const char* from) : state_(std::make_unique<State>()) {
    state_->socket.open(tcp::v4());
    state_->socket.bind({asio::ip::make_address(from), 0});
    connect(state_->socket, port);
}

HttpClient::~HttpClient() = default;
HttpClient::HttpClient(HttpClient&&) noexcept = default;

void HttpClient::send(std::string_view text) {
    asio::write(state_->socket, asio::buffer(text));
}

HttpResponse HttpClient::receive(bool has_body) {
    std::string& received = state_->received;
    std::size_t end = 0;
    while ((end = received.find("\r\n\r\n")) == std::string::npos)
        state_->need_more();
    HttpResponse response;
    const std::string head = received.substr(0, end + 2);
    received.erase(0, end + 4);
    response.status = static_cast<unsigned>(std::stoul(head.substr(head.find(' ') + 1)));
    for (std::size_t line = head.find("\r\n") + 2; line < head.size();) {
        const std::size_t colon = head.find(": ", line);
        const std::size_t line_end = head.find("\r\n", line);
        response.headers[lower(head.substr(line, colon - line))] =
            head.substr(colon + 2, line_end - colon - 2);
        line = line_end + 2;
    }
    const std::string length = response.header("content-length");
    if (!has_body || length.empty()) return response;
    while (received.size() < std::stoul(length))
        state_->need_more();
    response.body = received.substr(0, std::stoul(length));
    received.erase(0, response.body.size());
    return response;
}

void HttpClient::read_little_ahead() {
    state_->socket.set_option(asio::socket_base::receive_buffer_size(64 << 10));
}

HttpResponse HttpClient::post(std::string_view body, std::string_view more_headers) {
    send(post_text(body, more_headers));
    return receive();
}

HttpResponse HttpClient::get(std::string_view path) {
    send("GET " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return receive();
}

void HttpClient::wait_for_end() {
    (void)receive_all();
}

std::string HttpClient::receive_part() {
    if (state_->received.empty()) (void)state_->read_more();
    return std::exchange(state_->received, {});
}

std::string HttpClient::receive_all() {
    while (state_->read_more()) {
    }
    return std::exchange(state_->received, {});
}

std::string post_text(std::string_view body, std::string_view more_headers) {
    return "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
           "Content-Length: " +
           std::to_string(body.size()) + "\r\n" + std::string(more_headers) + "\r\n" +
           std::string(body);
}

struct WebSocketClient::State {
    asio::io_context context;
    websocket::stream<tcp::socket> stream{context};
};

WebSocketClient::WebSocketClient(std::uint16_t port, std::string_view origin,
                                 std::string_view token)
    : state_(std::make_unique<State>()) {
    connect(state_->stream.next_layer(), port);
    state_->stream.set_option(websocket::stream_base::decorator(
        [origin = std::string(origin),
         token = std::string(token)](websocket::request_type& request) {
            if (!origin.empty()) request.set(boost::beast::http::field::origin, origin);
            if (!token.empty())
                request.set(boost::beast::http::field::authorization, "Bearer " + token);
        }));
    state_->stream.read_message_max(0);
    state_->stream.handshake("localhost", "/");
}

WebSocketClient::~WebSocketClient() = default;

void WebSocketClient::send(std::string_view text) {
    state_->stream.write(asio::buffer(text));
}

void WebSocketClient::send_part(std::string_view text) {
    state_->stream.write_some(false, asio::buffer(text));
}

std::string WebSocketClient::receive() {
    boost::beast::flat_buffer buffer;
    state_->stream.read(buffer);
    return {static_cast<const char*>(buffer.data().data()), buffer.size()};
}

void WebSocketClient::close() {
    state_->stream.close(websocket::close_code::normal);
}

unsigned WebSocketClient::wait_for_end() {
    error_code error;
    while (!error) {
        boost::beast::flat_buffer buffer;
        state_->stream.read(buffer, error);
    }
    return error == websocket::error::closed ? state_->stream.reason().code : 0;
}

WireServer::WireServer(ServerOptions options, Pages pages, ResponderLimits limits)
    : responder(methods.table, limits),
      server(responder, with_free_port(std::move(options)), std::move(pages)) {
    server.start();
}

void WireServer::wait_until(const std::function<bool(const ServerCounters&)>& is_wanted) const {
    while (!is_wanted(server.counters()))
        std::this_thread::yield();
}

bool WireServer::times_out(TestClock& clock, std::uint64_t clients) const {
    return test::comes_true([&] {
        clock.pass(std::chrono::milliseconds{10});
        return server.counters().timed_out == clients;
    });
}

std::string call_text(std::string_view method, std::string_view params) {
    return R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method) + R"(","params":)" +
           std::string(params) + "}";
}

std::string result_text(std::string_view result) {
    return R"({"jsonrpc":"2.0","id":1,"result":)" + std::string(result) + "}";
}

}  // namespace heddle::node::rpc
