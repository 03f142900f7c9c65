// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/transport/websocket_connection.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/buffer.hpp>

#include "rpc/transport/message_session.hpp"

namespace heddle::node::rpc {

namespace asio = boost::asio;
namespace websocket = boost::beast::websocket;
using boost::system::error_code;

namespace {

constexpr std::size_t kReadBytes = 16 << 10;
constexpr std::size_t kKeptBytes = 4 << 10;
/// Of a message that is written. As much as Asio gives a socket at once.
constexpr std::size_t kMostInFrame = std::size_t{64} << 10;
/// How long a client has to return a close frame.
constexpr std::chrono::milliseconds kGoodbyeTime{1'000};

}  // namespace

void serve_websocket(ServerCore& core, IoThread& thread, Upgrade upgrade) {
    const auto connection = std::make_shared<WebSocketConnection>(
        core, thread, std::move(upgrade.slot), std::move(upgrade.socket), upgrade.is_authenticated);
    thread.connections.insert(connection);
    connection->register_for_giving_up(connection);
    connection->start(upgrade.handshake, std::move(upgrade.passed_by));
}

WebSocketConnection::WebSocketConnection(ServerCore& core, IoThread& thread,
                                         std::unique_ptr<ConnectionSlot> slot,
                                         asio::ip::tcp::socket socket, bool is_authenticated)
    : MessageConnection(core, thread, std::move(slot), is_authenticated),
      stream_(std::move(socket)),
      memory_(core.memory, slot_->client().key) {}

std::shared_ptr<WebSocketConnection> WebSocketConnection::self() {
    return std::static_pointer_cast<WebSocketConnection>(shared_from_this());
}

void WebSocketConnection::start(const WebSocketHandshake& handshake, std::string passed_by) {
    passed_by_ = std::move(passed_by);
    open_session();
    ++core_.websockets;
    stream_.set_option(websocket::stream_base::timeout{
        .handshake_timeout = core_.options.read_timeout,
        .idle_timeout = core_.options.idle_timeout,
        .keep_alive_pings = true,
    });
    stream_.read_message_max(core_.options.max_request_bytes);
    stream_.auto_fragment(false);
    stream_.text(true);
    is_writing_ = true;  // the response of the handshake
    stream_.async_accept(handshake, [self = self()](error_code error) {
        if (self->is_closed_) return;
        if (error) return self->close();
        self->is_writing_ = false;
        self->read_on();
        self->flush();
    });
}

void WebSocketConnection::close_stream() {
    --core_.websockets;
    error_code ignored;
    (void)stream_.next_layer().close(ignored);
}

void WebSocketConnection::read() {
    stream_.async_read_some(buffer_, kReadBytes, [self = self()](error_code error, std::size_t) {
        self->on_read(error);
    });
}

void WebSocketConnection::on_read(error_code error) {
    is_reading_ = false;
    if (is_closed_) return;
    if (error) return close();
    if (!memory_.grow_to(buffer_.size())) {
        ++core_.refused_requests;
        return say_goodbye(websocket::close_code::try_again_later);
    }
    if (!stream_.is_message_done()) {
        note_part(buffer_.size());
        is_reading_ = true;
        return read();
    }
    note_whole();
    const auto data = buffer_.data();
    handle_message({static_cast<const char*>(data.data()), data.size()});
    buffer_.clear();
    if (buffer_.capacity() > kKeptBytes) buffer_ = {};
    memory_.release();
    read_on();
    flush();
}

void WebSocketConnection::write() {
    write_from(0);
}

/// A frame at a time: how much of one has been taken is not known before all of it is.
void WebSocketConnection::write_from(std::size_t begin) {
    const std::size_t size = std::min(written_.size() - begin, kMostInFrame);
    const std::size_t end = begin + size;
    const bool is_last = end == written_.size();
    stream_.async_write_some(is_last, asio::buffer(written_.data() + begin, size),
                             [self = self(), end, is_last](error_code error, std::size_t) {
                                 if (error || is_last || self->is_closed_)
                                     return self->on_written(error);
                                 self->note_taken(end);
                                 self->write_from(end);
                             });
}

void WebSocketConnection::say_goodbye() {
    say_goodbye(websocket::close_code::going_away);
}

void WebSocketConnection::say_goodbye(websocket::close_code code) {
    // A close frame cannot overtake what is being written.
    if (is_writing_) return close();
    end_by(kGoodbyeTime);
    stream_.async_close(code, [self = self()](error_code) { self->close(); });
}

}  // namespace heddle::node::rpc
