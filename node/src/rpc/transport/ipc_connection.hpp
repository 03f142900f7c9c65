// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// One client on a local socket: JSON messages one after the other, answers with a line end after
// each. Whoever may open the socket's file may call everything.
#pragma once

#include <memory>
#include <string>

#include <boost/asio/local/stream_protocol.hpp>

#include "rpc/transport/message_connection.hpp"
#include "rpc/transport/message_splitter.hpp"

namespace heddle::node::rpc {

using IpcSocket = boost::asio::local::stream_protocol::socket;

class IpcConnection final : public MessageConnection {
public:
    IpcConnection(ServerCore& core, IoThread& thread, std::unique_ptr<ConnectionSlot> slot,
                  IpcSocket socket);

    void start();

private:
    void read() override;
    void write() override;
    void close_stream() override;
    void say_goodbye() override;
    void go_on() override;

    [[nodiscard]] std::shared_ptr<IpcConnection> self();
    void on_read(boost::system::error_code error, std::size_t bytes);
    /// Of what has come.
    void handle_messages();
    /// All that came whole is being answered, and nothing more comes.
    void end_of_input();
    /// Says so and ends.
    void refuse(const RpcError& error);

    IpcSocket socket_;
    std::string arriving_;    // room for one read, while one is pending
    std::string input_;       // that is not handled yet
    bool has_ended_ = false;  // the client sends nothing more
    MessageSplitter splitter_;
    MemoryShare memory_;  // of input_
};

/// Begins to serve a client. On `thread`.
void serve_ipc(ServerCore& core, IoThread& thread, std::unique_ptr<ConnectionSlot> slot,
               IpcSocket socket);

}  // namespace heddle::node::rpc
