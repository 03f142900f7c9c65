// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// One WebSocket client: messages are answered as they come, heavy ones beside each other and out of
// order; notifications go out in between. At most one read and one write are pending. A client that
// sends without reading is not read any more until it reads.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "rpc/transport/connection.hpp"
#include "rpc/transport/websocket_upgrade.hpp"

namespace heddle::node::rpc {

class WebSocketSession;

class WebSocketConnection final : public Connection,
                                  public std::enable_shared_from_this<WebSocketConnection> {
public:
    WebSocketConnection(ServerCore& core, IoThread& thread, std::unique_ptr<ConnectionSlot> slot,
                        boost::asio::ip::tcp::socket socket, bool is_authenticated);

    void start(const WebSocketHandshake& handshake);
    void flush() override;
    void close() override;
    void drain() override;
    void give_up() override;

private:
    struct Work;

    void read();
    void on_read(boost::system::error_code error);
    void handle_message();
    [[nodiscard]] Caller caller() const;
    void answer_on_worker(std::string_view text, Clock::time_point deadline);
    /// On a worker's thread.
    void answer_work(Work& work, Clock::time_point deadline) const;
    void finish_work(const std::shared_ptr<Work>& work);
    /// Reads on, unless too much is under way.
    void read_on();
    void say_goodbye(boost::beast::websocket::close_code code);
    void update_deadline();

    // Without compression, which is offered to nobody.
    boost::beast::websocket::stream<boost::asio::ip::tcp::socket, false> stream_;
    boost::beast::flat_buffer buffer_;
    MemoryShare memory_;  // of the buffer
    Request request_;
    std::shared_ptr<WebSocketSession> session_;  // shared with subscriptions
    std::string written_;                        // the message that is being written
    std::size_t working_ = 0;                    // messages that workers have
    Clock::time_point message_begin_;            // while a message is read that came in parts
    Clock::time_point read_deadline_ = Clock::time_point::max();
    Clock::time_point write_deadline_ = Clock::time_point::max();
    bool is_authenticated_;
    bool is_reading_ = false;
    bool is_writing_ = false;
    bool is_draining_ = false;
    bool is_closed_ = false;
};

}  // namespace heddle::node::rpc
