// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Clients of a server under test, over real sockets of this machine, and the server itself.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "rpc/transport/server.hpp"
#include "wire_methods.hpp"

namespace heddle::node::rpc {

struct HttpResponse {
    unsigned status = 0;
    std::map<std::string, std::string, std::less<>> headers;  // names in lower case
    std::string body{};

    /// Empty: it is not there.
    [[nodiscard]] std::string header(std::string_view name) const;
};

/// One connection, used by hand. Every failure of the connection throws.
class HttpClient {
public:
    /// @param from  The loopback address (127.0.0.0/8) that it comes from.
    explicit HttpClient(std::uint16_t port, const char* from = "127.0.0.1");
    ~HttpClient();
    HttpClient(HttpClient&&) noexcept;

    void send(std::string_view text);
    /// @param has_body  false: the answer to a HEAD.
    HttpResponse receive(bool has_body = true);
    /// From now on its machine takes no more than some 100 KB that it has not received itself.
    void read_little_ahead();
    /// POST of JSON.
    HttpResponse post(std::string_view body, std::string_view more_headers = {});
    HttpResponse get(std::string_view path);
    /// The server closed the connection; waits for it, and drops what comes before.
    void wait_for_end();
    /// What has come, 64 KiB at most; waits for some. Empty: it was the end.
    std::string receive_part();
    /// Waits for the end and gives all that comes before; a reset is an end as well.
    std::string receive_all();

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Text of a POST of JSON.
[[nodiscard]] std::string post_text(std::string_view body, std::string_view more_headers = {});

class WebSocketClient {
public:
    /// @param origin  Empty: none is sent. Throws when the handshake is refused.
    explicit WebSocketClient(std::uint16_t port, std::string_view origin = {},
                             std::string_view token = {});
    ~WebSocketClient();

    void send(std::string_view text);
    std::string receive();
    /// Sends one frame of a message that goes on.
    void send_part(std::string_view text);
    /// Says goodbye and waits for the answer.
    void close();
    /// Reads until the server ends the connection. @return the code of its close frame; 0: none.
    unsigned wait_for_end();

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Time that passes when a test says so, for ServerOptions::now: how busy the machine is has no
/// part in what comes too late.
/// Thread safety: any; there is one at a time.
class TestClock {
public:
    using Clock = std::chrono::steady_clock;

    TestClock() noexcept { passed_ = Clock::duration{}; }

    static Clock::time_point now() noexcept { return kBegin + passed_.load(); }
    void pass(Clock::duration time) noexcept { passed_ = passed_.load() + time; }

private:
    static constexpr Clock::time_point kBegin{std::chrono::hours{1}};
    static inline std::atomic<Clock::duration> passed_{};
};

/// A server of WireMethods on a port of its own, with short names for what tests do most.
class WireServer {
public:
    explicit WireServer(ServerOptions options = {}, Pages pages = {}, ResponderLimits limits = {});

    [[nodiscard]] std::uint16_t port() const { return server.port(); }
    /// Looks at the counters until they are as wanted.
    void wait_until(const std::function<bool(const ServerCounters&)>& is_wanted) const;
    /// Passes over `clock` by 10 ms at a time until so many clients have timed out. @return false:
    /// they had not after two minutes of it.
    [[nodiscard]] bool times_out(TestClock& clock, std::uint64_t clients) const;

    WireMethods methods;
    Responder responder;
    Server server;
};

/// Text of a call with id 1.
[[nodiscard]] std::string call_text(std::string_view method, std::string_view params = "[]");
/// Text of its response.
[[nodiscard]] std::string result_text(std::string_view result);

}  // namespace heddle::node::rpc
