// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A server that speaks TLS on loopback, with certificates that a test makes up.
#pragma once

#include <openssl/ssl.h>
#include <sys/socket.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>

#include "follow/endpoint.hpp"

namespace heddle::node::follow::test {

/// A certificate with its key, both in PEM.
struct Certificate {
    std::string text;
    std::string key;
};

/// What a certificate says.
struct CertificateOptions {
    std::string name;     // of whom: a subject, where it is an authority
    std::string hosts{};  // as OpenSSL writes them: `DNS:localhost,IP:127.0.0.1`
    long begins = -3600;  // seconds from now
    long ends = 3600;
    bool is_authority = false;
};

/// @param issuer  Who signs it; null: it signs itself.
[[nodiscard]] Certificate make_certificate(const CertificateOptions& options,
                                           const Certificate* issuer);

/// Each connection has a thread, which ends with it.
class TlsServer {
public:
    using Stream = boost::asio::ssl::stream<boost::asio::ip::tcp::socket>;
    /// What is done with a connection once it is encrypted; exceptions end it.
    using Serve = std::function<void(Stream&)>;

    TlsServer(const Certificate& certificate, Serve serve);
    ~TlsServer();
    TlsServer(const TlsServer&) = delete;
    TlsServer& operator=(const TlsServer&) = delete;
    TlsServer(TlsServer&&) = delete;
    TlsServer& operator=(TlsServer&&) = delete;

    /// Before the first connection.
    [[nodiscard]] boost::asio::ssl::context& context() { return tls_; }
    [[nodiscard]] Endpoint endpoint(const std::string& host, const std::string& ca_file) const;
    /// The name that the last client has said it looks for (SNI); empty: none.
    [[nodiscard]] std::string told_name() const;

private:
    void accept();
    void serve(Stream& stream);

    const Serve serve_;
    boost::asio::io_context context_;
    boost::asio::ssl::context tls_{boost::asio::ssl::context::tls_server};
    boost::asio::ip::tcp::acceptor acceptor_;
    mutable std::mutex mutex_;
    std::string told_name_;                         // guarded by mutex_, as what follows
    std::vector<std::shared_ptr<Stream>> streams_;  // with their threads
    std::vector<std::jthread> threads_;
    std::thread thread_;
};

}  // namespace heddle::node::follow::test
