// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// HTTP/1.1 over several connections that stay open, one request at a time on each, all on one
// thread. It is made for speed of the load generator: requests are sent as they are given. It is no
// general client: no TLS, no redirects; connected anew is only what was closed while nothing was
// asked.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace heddle::node::load {

struct Endpoint {
    std::string host;
    std::uint16_t port = 80;
    std::string path = "/";
};

/// `http://host[:port][/path]`; a host in brackets is an IPv6 address.
/// Errors: InputError.
[[nodiscard]] Endpoint parse_endpoint(std::string_view url);

/// Errors: InputError out of the constructor and run(): the server cannot be reached, closed a
/// connection, or answered with another status than 200.
/// Thread safety: one thread.
class HttpClient {
public:
    /// What the server answered; valid during the call, in which send() may be called.
    using Done = std::function<void(std::string_view body)>;

    HttpClient(const Endpoint& endpoint, std::size_t connections);
    /// The connections go round the servers, of which there is at least one; the last connection is
    /// the first server's.
    HttpClient(std::span<const Endpoint> endpoints, std::size_t connections);
    ~HttpClient();
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    /// Posts `body`, which is copied. The connection must not be waiting for an answer.
    void send(std::size_t connection, std::string_view body, Done done);
    /// Calls `task` within run(), not before `delay` is over.
    void after(std::chrono::nanoseconds delay, std::function<void()> task);
    /// Until stop(), or until there is nothing to wait for.
    void run();
    void stop();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::node::load
