// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// One connection to another node's JSON-RPC, over HTTP or WebSocket: texts go out, texts come in,
// each in bounded time and of bounded size. What they say is rpc_origin.hpp's business.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include <consensus_adapter/follow/origin.hpp>

#include "follow/endpoint.hpp"

namespace heddle::node::follow {

/// Of what somebody else said, in a sentence of ours: its beginning, on one line.
[[nodiscard]] std::string quote(std::string_view text);

struct ConnectionLimits {
    /// From a question to the end of its answer, a new connection included.
    std::chrono::milliseconds timeout = std::chrono::seconds{20};
    std::size_t max_answer_bytes = std::size_t{32} << 20;
};

/// Made anew by the next call after an error. Where the host is a name, finding it is left to the
/// system and its time limits.
/// Thread safety: one caller at a time; a requested stop ends every call within a tenth of a
/// second.
class RpcConnection {
public:
    using FollowError = consensus_adapter::follow::FollowError;

    RpcConnection(Endpoint endpoint, ConnectionLimits limits, std::stop_token stop);
    ~RpcConnection();
    RpcConnection(const RpcConnection&) = delete;
    RpcConnection& operator=(const RpcConnection&) = delete;

    /// Sends a question and gives what comes back first: over HTTP its answer, over WebSocket
    /// perhaps a notification, after which receive() goes on.
    /// Errors: unreachable, timed_out, too_large (the answer, or by its HTTP status the question),
    /// too_fast (by its HTTP status), refused (another HTTP status), stopped.
    [[nodiscard]] std::expected<std::string, FollowError> ask(const std::string& question);
    /// Whether the last question of ask() may have had an effect: somebody was there to take it,
    /// and did not say that whoever asks may not.
    [[nodiscard]] bool may_have_acted() const noexcept;
    /// WebSocket only: sends without waiting for an answer.
    /// Errors: as ask(); also unreachable where there is no connection.
    [[nodiscard]] std::expected<void, FollowError> send(const std::string& text);
    /// WebSocket only: the next message within the time that ask() had.
    [[nodiscard]] std::expected<std::string, FollowError> receive();
    /// WebSocket only: the next message if it comes within `longest`. Errors: as ask(); also
    /// unreachable where there is no connection.
    [[nodiscard]] std::expected<std::optional<std::string>, FollowError> wait(
        std::chrono::milliseconds longest);

    /// From the next question on. Above zero.
    void set_timeout(std::chrono::milliseconds timeout) noexcept;

    /// From the next question on: by whom it came, which the header CDN-Loop says before
    /// Endpoint::loop_name. Over WebSocket a connection says it once, so another one is made.
    void set_passed_by(std::string_view names);

    /// How many were made so far: another one knows nothing of what was asked for over this one.
    [[nodiscard]] std::uint64_t connections() const noexcept;
    [[nodiscard]] bool is_open() const noexcept;
    /// So that the next call begins anew.
    void close();
    [[nodiscard]] const Endpoint& endpoint() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::node::follow
