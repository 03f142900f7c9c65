// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What CometBFT is to the server, reduced to bytes: writes and reads on a socket, one at a time.
#pragma once

#include <optional>
#include <string>

#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>

#include <gtest/gtest.h>

#include "cometbft/abci_messages.hpp"
#include "cometbft/framing.hpp"
#include "cometbft/listen_address.hpp"

namespace heddle::consensus_adapter::cometbft {

inline Bytes frame(const abci::Request& request) {
    Bytes out;
    const std::string message = request.SerializeAsString();
    append_length(message.size(), out);
    out.insert(out.end(), message.begin(), message.end());
    return out;
}
inline abci::Request echo_request(const std::string& text) {
    abci::Request request;
    request.mutable_echo()->set_message(text);
    return request;
}
inline abci::Request flush_request() {
    abci::Request request;
    request.mutable_flush();
    return request;
}

class AbciClient {
public:
    explicit AbciClient(const std::string& text) {
        const ListenAddress address = parse_listen_address(text).value();
        if (address.is_unix)
            socket_.connect(boost::asio::local::stream_protocol::endpoint{address.place});
        else
            socket_.connect(boost::asio::ip::tcp::endpoint{
                boost::asio::ip::make_address(address.place), address.port});
        // What is sent in pieces is to arrive in pieces, and at once.
        if (!address.is_unix) socket_.set_option(boost::asio::ip::tcp::no_delay(true));
    }

    /// false: the server has closed the connection.
    bool send(BytesView bytes) {
        boost::system::error_code error;
        boost::asio::write(socket_, boost::asio::buffer(bytes.data(), bytes.size()), error);
        return !error;
    }
    bool send(const abci::Request& request) { return send(frame(request)); }

    /// A message. nullopt: the connection was closed.
    std::optional<Bytes> receive_bytes() {
        while (true) {
            const auto message = reader_.next();
            if (!message.has_value()) return std::nullopt;
            if (message->has_value()) return Bytes{(*message)->begin(), (*message)->end()};
            const auto room = reader_.room();
            boost::system::error_code error;
            const std::size_t count =
                socket_.read_some(boost::asio::buffer(room.data(), room.size()), error);
            if (error) return std::nullopt;
            reader_.received(count);
        }
    }
    std::optional<abci::Response> receive() {
        const std::optional<Bytes> message = receive_bytes();
        if (!message.has_value()) return std::nullopt;
        abci::Response response;
        EXPECT_TRUE(response.ParseFromArray(message->data(), static_cast<int>(message->size())));
        return response;
    }
    /// One request and its answer.
    std::optional<abci::Response> call(const abci::Request& request) {
        if (!send(request)) return std::nullopt;
        return receive();
    }
    /// Returns once the first byte of an answer has come, and leaves it where it is.
    void wait_for_answer() {
        char byte = 0;
        EXPECT_EQ(::recv(socket_.native_handle(), &byte, 1, MSG_PEEK), 1);
    }
    /// No more requests will come.
    void end() { ::shutdown(socket_.native_handle(), SHUT_WR); }

private:
    boost::asio::io_context context_;
    boost::asio::generic::stream_protocol::socket socket_{context_};
    FrameReader reader_{std::size_t{1} << 30};
};

}  // namespace heddle::consensus_adapter::cometbft
