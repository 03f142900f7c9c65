// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "follow/stream_origin.hpp"

#include <utility>

#include <fmt/format.h>
#include <types/expected.hpp>

#include "follow/rpc_block.hpp"
#include "follow/rpc_caller.hpp"
#include "program/error.hpp"

namespace heddle::node::follow {
namespace {

using consensus_adapter::follow::FetchedBlock;
using consensus_adapter::follow::FollowError;
using consensus_adapter::follow::FollowFault;
using std::chrono::milliseconds;

constexpr milliseconds kAtOnce{0};
constexpr std::int64_t kMethodNotFound = -32'601;
/// Messages without a block between two with one: answers to acknowledgements.
constexpr std::size_t kMaxOthers = 10'000;
/// Of messages, beyond which no further block is added to those that are given together.
constexpr std::size_t kGoodBytes = std::size_t{2} << 20;

}  // namespace

StreamOrigin::StreamOrigin(const Endpoint& endpoint, ConnectionLimits limits,
                           const std::stop_token& stop)
    : rpc_(endpoint, limits, stop), connection_(endpoint, limits, stop), limits_(limits) {}

FollowError StreamOrigin::error(FollowFault fault, std::string_view what) const {
    return {fault, fmt::format("{}: {}", connection_.endpoint().name(), what.substr(0, 300))};
}

std::expected<std::vector<FetchedBlock>, FollowError> StreamOrigin::blocks(
    std::uint64_t first, std::size_t count, const consensus_adapter::GasBound& bound) {
    if (!has_streams_) return rpc_.blocks(first, count, bound);
    bound_ = bound;
    const bool may_be_stale = !id_.empty();
    auto blocks = streamed(first, count);
    // A connection that nobody has read from for minutes may have been closed: then once more.
    if (may_be_stale && !blocks.has_value() && blocks.error().fault == FollowFault::unreachable) {
        id_.clear();
        blocks = streamed(first, count);
    }
    if (!blocks.has_value()) {
        connection_.close();  // the next stream begins with a connection of its own
        id_.clear();
    }
    if (!has_streams_) return rpc_.blocks(first, count, bound);
    return blocks;
}

std::expected<std::vector<FetchedBlock>, FollowError> StreamOrigin::streamed(std::uint64_t first,
                                                                             std::size_t count) {
    if (id_.empty() || next_ != first) {
        HEDDLE_TRY(const bool has_begun, subscribe(first));
        if (!has_begun) return std::vector<FetchedBlock>{};
    } else {
        HEDDLE_CHECK(acknowledge());
    }
    std::vector<FetchedBlock> blocks;
    received_bytes_ = 0;
    while (blocks.size() < count && received_bytes_ < kGoodBytes) {
        // The first is waited for; those behind it are taken if they are there.
        HEDDLE_TRY(auto block, receive(blocks.empty() ? limits_.timeout : kAtOnce));
        if (!block.has_value()) break;
        blocks.push_back(*std::move(block));
    }
    if (blocks.empty())
        return std::unexpected(error(
            FollowFault::timed_out,
            fmt::format("block {} did not come within {} ms", first, limits_.timeout.count())));
    return blocks;
}

std::expected<bool, FollowError> StreamOrigin::subscribe(std::uint64_t first) try {
    // Resuming, the origin is told what it should have; else each block tells what it is on.
    const bool resumes = next_ == first && next_ != 0;
    connection_.close();
    const std::string parent =
        resumes ? fmt::format(R"(,"parentHash":"{}")", to_string(last_hash_)) : "";
    HEDDLE_TRY(const std::string text,
               connection_.ask(
                   fmt::format(R"({{"jsonrpc":"2.0","id":0,"method":"heddle_subscribe","params":)"
                               R"(["blocks",{{"fromBlock":{}{}}}]}})",
                               quoted_quantity(first), parent)));
    const JsonView answer = parse_message(parser_, text, "answer");
    if (const auto refusal = answer.find("error")) {
        const auto code = refusal->find("code");
        if (code.has_value() && error_code(*code) == kMethodNotFound) {
            has_streams_ = false;
            return false;
        }
        return std::unexpected(
            error(FollowFault::refused,
                  fmt::format("heddle_subscribe: {}", in_a_line(refusal->at("message").string()))));
    }
    id_ = std::string{answer.at("result").string()};
    next_ = first;
    acknowledged_ = first - 1;
    return true;
} catch (const InputError& problem) {
    return std::unexpected(error(FollowFault::misunderstood, problem.what()));
}

std::expected<void, FollowError> StreamOrigin::acknowledge() {
    if (acknowledged_ + 1 == next_) return {};
    acknowledged_ = next_ - 1;
    return connection_.send(fmt::format(
        R"({{"jsonrpc":"2.0","id":{},"method":"heddle_acknowledge","params":["{}",{}]}})",
        acknowledged_, id_, quoted_quantity(acknowledged_)));
}

std::expected<std::optional<FetchedBlock>, FollowError> StreamOrigin::receive(
    milliseconds longest) try {
    for (std::size_t i = 0; i < kMaxOthers; ++i) {
        HEDDLE_TRY(const std::optional<std::string> message, connection_.wait(longest));
        if (!message.has_value()) return std::nullopt;
        received_bytes_ += message->size();
        HEDDLE_TRY(std::optional<FetchedBlock> block, read(*message));
        if (block.has_value()) return block;
    }
    return std::unexpected(error(FollowFault::misunderstood, "messages and no block"));
} catch (const InputError& problem) {
    return std::unexpected(error(FollowFault::misunderstood, problem.what()));
}

std::expected<std::optional<FetchedBlock>, FollowError> StreamOrigin::read(
    const std::string& message) {
    const JsonView json = parse_message(parser_, message, "message");
    const auto wrong = [this](std::string_view what) {
        return std::unexpected(
            error(FollowFault::wrong_block, fmt::format("block {}: {}", next_, what)));
    };
    if (const auto result = json.find("result")) {
        if (result->is_boolean() && result->boolean()) return std::nullopt;
        return std::unexpected(error(FollowFault::refused, "it does not know its stream any more"));
    }
    if (const auto refusal = json.find("error"))
        return std::unexpected(
            error(FollowFault::refused, in_a_line(refusal->at("message").string())));
    const JsonView parameters = json.at("params");
    if (parameters.at("subscription").string() != id_)
        return std::unexpected(error(FollowFault::misunderstood, "a block of another stream"));
    if (const auto ended = parameters.find("error"))
        return std::unexpected(error(
            FollowFault::refused,
            fmt::format("it has ended its stream: {}", in_a_line(ended->at("message").string()))));
    auto fetched = read_streamed_block(parameters.at("result"), bound_);
    if (!fetched.has_value()) return wrong(fetched.error());
    if (const std::uint64_t number = fetched->block.start.header.number; number != next_)
        return wrong(fmt::format("block {} came", number));
    ++next_;
    last_hash_ = fetched->hash;
    return *std::move(fetched);
}

}  // namespace heddle::node::follow
