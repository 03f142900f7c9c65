// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// JSON-RPC calls of another node: questions in batches, answers in the order of the questions,
// notifications noted on the way.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <consensus_adapter/follow/origin.hpp>

#include "follow/rpc_connection.hpp"
#include "formats/json.hpp"

namespace heddle::node::follow {

/// One call; `params` is the JSON of the array, brackets included.
struct Question {
    std::string_view method;
    std::string params;
};

/// What the other node refused a call with.
struct Refusal {
    std::int64_t code = 0;
    std::string message;
    std::string data;  // JSON text; empty: there is none
};
/// Providers refuse what comes too fast so, and some of them what is too much at once.
[[nodiscard]] bool is_too_fast(const Refusal& refusal) noexcept;
/// The message of another node's error for a line on a terminal or in a log: printable ASCII, cut
/// where it is long. A node may say anything.
[[nodiscard]] std::string in_a_line(std::string_view message);
/// The `code` of an error; 0: a number that none has. Errors: InputError.
[[nodiscard]] std::int64_t error_code(const JsonView& code);
/// Parses what another node said. A value of two bytes takes fifty when it is parsed, so that the
/// bytes of an answer would bound no memory: a text above 64 KiB must have twelve for each value.
/// Blocks, receipts, logs and proofs have thirty and more.
/// Errors: InputError.
[[nodiscard]] JsonView parse_message(JsonParser& parser, std::string_view text, std::string name);
/// A result, valid until the next call.
using Answer = std::expected<JsonView, Refusal>;

/// Thread safety: one caller at a time.
class RpcCaller {
public:
    using FollowError = consensus_adapter::follow::FollowError;

    RpcCaller(Endpoint endpoint, ConnectionLimits limits, std::stop_token stop);

    /// @return one answer for each question; `size`, in bytes, of all of it, where it is wanted.
    /// Errors: those of RpcConnection; misunderstood; where all of several questions are refused
    /// together too_large, or too_fast. An answer may be a refusal, too.
    [[nodiscard]] std::expected<std::vector<Answer>, FollowError> call_all(
        std::span<const Question> questions, std::size_t* size = nullptr);
    using Take = std::function<void(std::size_t index, const Answer&)>;
    /// The same of questions that need not go together: `most`, at least 1, are asked at once, and
    /// it becomes less where so many are refused. `take` has each answer as it comes.
    [[nodiscard]] std::expected<void, FollowError> call_some(std::span<const Question> questions,
                                                             std::size_t& most, const Take& take);
    /// The same of one question. Errors: also refused, too_fast.
    [[nodiscard]] std::expected<JsonView, FollowError> call(const Question& question);

    /// As RpcConnection::set_timeout().
    void set_timeout(std::chrono::milliseconds timeout) noexcept {
        connection_.set_timeout(timeout);
    }

    /// As RpcConnection::set_passed_by().
    void set_passed_by(std::string_view names) { connection_.set_passed_by(names); }

    /// Whether a notification has come since the last time.
    [[nodiscard]] bool take_news() noexcept;
    /// Until one comes, at most so long. WebSocket only. Errors: as call_all().
    [[nodiscard]] std::expected<void, FollowError> wait_for_news(std::chrono::milliseconds longest);

    [[nodiscard]] const RpcConnection& connection() const noexcept { return connection_; }
    /// An error that names the other node.
    [[nodiscard]] FollowError error(consensus_adapter::follow::FollowFault fault,
                                    std::string_view what) const;
    /// The same of what it refused: refused, or too_fast.
    [[nodiscard]] FollowError refusal(std::string_view method, const Refusal& refusal) const;

private:
    [[nodiscard]] std::expected<JsonView, FollowError> exchange(const std::string& question,
                                                                std::size_t& size);
    /// Errors: InputError.
    [[nodiscard]] JsonView parse(std::string_view text);

    RpcConnection connection_;
    JsonParser parser_;
    bool has_news_ = false;
};

}  // namespace heddle::node::follow
