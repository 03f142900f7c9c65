// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// One WebSocket client.
#pragma once

#include <memory>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "rpc/transport/message_connection.hpp"
#include "rpc/transport/websocket_upgrade.hpp"

namespace heddle::node::rpc {

class WebSocketConnection final : public MessageConnection {
public:
    WebSocketConnection(ServerCore& core, IoThread& thread, std::unique_ptr<ConnectionSlot> slot,
                        boost::asio::ip::tcp::socket socket, bool is_authenticated);

    void start(const WebSocketHandshake& handshake, std::string passed_by);

private:
    void read() override;
    void write() override;
    void write_from(std::size_t begin);
    void close_stream() override;
    void say_goodbye() override;

    [[nodiscard]] std::shared_ptr<WebSocketConnection> self();
    void on_read(boost::system::error_code error);
    void say_goodbye(boost::beast::websocket::close_code code);

    // Without compression, which is offered to nobody.
    boost::beast::websocket::stream<boost::asio::ip::tcp::socket, false> stream_;
    boost::beast::flat_buffer buffer_;
    MemoryShare memory_;  // of the buffer
};

}  // namespace heddle::node::rpc
