// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "follow/transaction_relay.hpp"

#include <utility>

#include <fmt/format.h>

namespace heddle::node::follow {
namespace {

constexpr int kServerError = -32'000;
constexpr int kTimedOut = -32'002;

}  // namespace

TransactionRelay::TransactionRelay(Endpoint endpoint, ConnectionLimits limits)
    : endpoint_(std::move(endpoint)), limits_(limits) {}

TransactionRelay::~TransactionRelay() {
    stop();
}

std::unique_ptr<RpcCaller> TransactionRelay::take(std::chrono::steady_clock::time_point deadline) {
    std::unique_lock lock{mutex_};
    const bool is_there = given_back_.wait_until(lock, stop_.get_token(), deadline, [this] {
        return !free_.empty() || in_use_ < kConnections;
    });
    if (!is_there) return nullptr;
    ++in_use_;
    if (free_.empty()) return std::make_unique<RpcCaller>(endpoint_, limits_, stop_.get_token());
    std::unique_ptr<RpcCaller> caller = std::move(free_.back());
    free_.pop_back();
    return caller;
}

void TransactionRelay::give_back(std::unique_ptr<RpcCaller> caller) {
    {
        const std::scoped_lock lock{mutex_};
        --in_use_;
        free_.push_back(std::move(caller));
    }
    given_back_.notify_one();
}

std::expected<Hash, SendError> TransactionRelay::send(
    BytesView encoded, std::chrono::steady_clock::time_point deadline) {
    std::unique_ptr<RpcCaller> caller = take(deadline);
    if (!caller)
        return std::unexpected(
            SendError{kTimedOut, "the node that this one follows is too busy", {}});
    const Question question{"eth_sendRawTransaction", fmt::format("[\"{}\"]", to_hex(encoded))};
    std::expected<Hash, SendError> result;
    if (const auto answers = caller->call_all({&question, 1}); !answers.has_value()) {
        result = std::unexpected(
            SendError{kServerError,
                      fmt::format("the node that this one follows could not be asked: {}",
                                  answers.error().sentence),
                      {}});
    } else if (const Answer& answer = answers->front(); !answer.has_value()) {
        const Refusal& refusal = answer.error();
        result = std::unexpected(
            SendError{static_cast<int>(refusal.code), refusal.message, refusal.data});
    } else {
        const auto hash =
            answer->is_string() ? hash_from_hex(answer->string()) : std::optional<Hash>{};
        if (hash.has_value())
            result = *hash;
        else
            result = std::unexpected(SendError{
                kServerError, "the node that this one follows answered without a hash", {}});
    }
    give_back(std::move(caller));
    return result;
}

}  // namespace heddle::node::follow
