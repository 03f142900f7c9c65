// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a connection to another node, encrypted or not: what is above reads and writes them
// alike.
#pragma once

#include <optional>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/role.hpp>

namespace heddle::node::follow {

/// Boost's AsyncStream.
/// Thread safety: one thread at a time.
class SourceStream {
public:
    using Tcp = boost::asio::ip::tcp;
    // NOLINTNEXTLINE(readability-identifier-naming): Boost asks for it by this name.
    using executor_type = Tcp::socket::executor_type;
    using ErrorCode = boost::system::error_code;

    /// @param trust  Outlives it; null: nothing is encrypted.
    SourceStream(boost::asio::io_context& context, boost::asio::ssl::context* trust)
        : socket_(context) {
        if (trust != nullptr) tls_.emplace(socket_, *trust);
    }
    ~SourceStream() = default;
    SourceStream(const SourceStream&) = delete;
    SourceStream& operator=(const SourceStream&) = delete;
    SourceStream(SourceStream&&) = delete;  // tls_ points to socket_
    SourceStream& operator=(SourceStream&&) = delete;

    [[nodiscard]] executor_type get_executor() noexcept { return socket_.get_executor(); }
    [[nodiscard]] Tcp::socket& socket() noexcept { return socket_; }
    /// Null: nothing is encrypted.
    [[nodiscard]] SSL* tls() noexcept { return tls_ ? tls_->native_handle() : nullptr; }

    /// Once the socket is connected; with tls().
    template <typename Handler>
    void async_handshake(Handler&& handler) {
        tls_->async_handshake(boost::asio::ssl::stream_base::client,
                              std::forward<Handler>(handler));
    }
    template <typename Buffers, typename Handler>
    void async_read_some(const Buffers& buffers, Handler&& handler) {
        if (tls_)
            tls_->async_read_some(buffers, std::forward<Handler>(handler));
        else
            socket_.async_read_some(buffers, std::forward<Handler>(handler));
    }
    template <typename Buffers, typename Handler>
    void async_write_some(const Buffers& buffers, Handler&& handler) {
        if (tls_)
            tls_->async_write_some(buffers, std::forward<Handler>(handler));
        else
            socket_.async_write_some(buffers, std::forward<Handler>(handler));
    }
    /// Whoever waits is called with an error.
    void close() {
        ErrorCode ignored;
        (void)socket_.close(ignored);
    }

private:
    Tcp::socket socket_;
    std::optional<boost::asio::ssl::stream<Tcp::socket&>> tls_;
};

/// What Boost's WebSocket calls at the end of a connection: nothing that matters is on its way
/// then, so nobody waits for the other side.
template <typename Handler>
void async_teardown(boost::beast::role_type /*role*/, SourceStream& stream, Handler&& handler) {
    SourceStream::ErrorCode ignored;
    (void)stream.socket().shutdown(SourceStream::Tcp::socket::shutdown_both, ignored);
    boost::asio::post(stream.get_executor(), [handler = std::forward<Handler>(handler)]() mutable {
        handler(SourceStream::ErrorCode{});
    });
}
inline void beast_close_socket(SourceStream& stream) {
    stream.close();
}
inline void teardown(boost::beast::role_type /*role*/, SourceStream& stream,
                     SourceStream::ErrorCode& error) {
    (void)stream.socket().shutdown(SourceStream::Tcp::socket::shutdown_both, error);
}

}  // namespace heddle::node::follow
