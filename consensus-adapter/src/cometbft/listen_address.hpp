// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the server listens: addresses as CometBFT writes them, and sockets that listen on them.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>

namespace heddle::consensus_adapter::cometbft {

using Acceptor = boost::asio::basic_socket_acceptor<boost::asio::generic::stream_protocol>;

struct ListenAddress {
    bool is_unix = false;
    std::string place;       // IP address or path
    std::uint16_t port = 0;  // TCP only; 0: any free one
};

/// Errors: what is wrong with the text, with an example.
[[nodiscard]] std::expected<ListenAddress, std::string> parse_listen_address(
    const std::string& text);
/// As parse_listen_address() reads it.
[[nodiscard]] std::string to_string(const ListenAddress& address);

/// Listens there and writes the real port into `address`. The file of a Unix socket that nobody
/// listens on any more is removed first.
/// Errors: why that cannot be, and what to do.
[[nodiscard]] std::expected<Acceptor, std::string> listen(boost::asio::io_context& context,
                                                          ListenAddress& address);

}  // namespace heddle::consensus_adapter::cometbft
