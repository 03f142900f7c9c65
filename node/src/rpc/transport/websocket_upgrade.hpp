// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where an HTTP connection goes on as a WebSocket. Apart from the connection itself, whose stream
// takes tens of seconds to compile.
#pragma once

#include <memory>

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include "rpc/transport/connection.hpp"

namespace heddle::node::rpc {

using WebSocketHandshake = boost::beast::http::request<boost::beast::http::string_body>;

/// What an HTTP connection hands over when its client asks for a WebSocket.
struct Upgrade {
    std::unique_ptr<ConnectionSlot> slot;
    boost::asio::ip::tcp::socket socket;
    WebSocketHandshake handshake;
    bool is_authenticated = false;
    std::string passed_by{};  // Caller::passed_by
};
/// On `thread`.
void serve_websocket(ServerCore& core, IoThread& thread, Upgrade upgrade);

}  // namespace heddle::node::rpc
