// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "follow/rpc_origin.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <types/expected.hpp>

#include "follow/rpc_block.hpp"
#include "program/error.hpp"

namespace heddle::node::follow {
namespace {

using consensus_adapter::follow::ChainIdentity;
using consensus_adapter::follow::FollowError;
using consensus_adapter::follow::FollowFault;
using consensus_adapter::follow::OriginHead;

/// Of a good answer: large enough that round trips do not count, small enough that several are
/// nothing beside the window.
constexpr std::size_t kGoodAnswerBytes = std::size_t{2} << 20;
/// So that an origin which takes no more at once refuses few questions.
constexpr std::size_t kAnswersBeforeMore = 100;
/// Without announcements.
constexpr std::chrono::milliseconds kPolling{500};
/// After a refusal of what came too fast.
constexpr std::chrono::milliseconds kCalm{200};
constexpr std::chrono::milliseconds kLongestRest = std::chrono::seconds{30};
/// go-ethereum's, for what does not fit into an answer.
constexpr std::int64_t kResponseTooLarge = -32'003;

void wait(const std::stop_token& stop, std::chrono::milliseconds duration) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock{mutex};
    (void)never.wait_for(lock, stop, duration, [] { return false; });
}

/// What nodes say that have no finalized block, or do not know the word: null, a code of its own
/// (-39001), or words. Anything else may pass.
bool knows_no_finality(const Refusal& refusal) {
    constexpr std::int64_t kUnknownBlock = -39'001;
    constexpr std::int64_t kMethodNotFound = -32'601;
    constexpr std::int64_t kInvalidParams = -32'602;
    for (const std::int64_t code : {kUnknownBlock, kMethodNotFound, kInvalidParams})
        if (refusal.code == code) return true;
    return std::ranges::any_of(
        std::array{"finalized", "not found", "nknown", "upported", "exist"},
        [&](std::string_view word) { return refusal.message.find(word) != std::string::npos; });
}

bool is_too_large(const Refusal& refusal) {
    return refusal.code == kResponseTooLarge ||
           refusal.message.find("too large") != std::string::npos ||
           refusal.message.find("too big") != std::string::npos;
}

}  // namespace

RpcOrigin::RpcOrigin(Endpoint endpoint, ConnectionLimits limits, std::stop_token stop)
    : caller_(std::move(endpoint), limits, stop), stop_(std::move(stop)) {}

FollowError RpcOrigin::wrong_block(std::uint64_t number, std::string_view what) const {
    return caller_.error(FollowFault::wrong_block, fmt::format("block {}: {}", number, what));
}

std::expected<ChainIdentity, FollowError> RpcOrigin::identify() try {
    const std::array<Question, 4> questions{{{"eth_chainId", "[]"},
                                             {"eth_getBlockByNumber", R"(["0x0",false])"},
                                             {"web3_clientVersion", "[]"},
                                             {"rpc_modules", "[]"}}};
    ChainIdentity identity;
    std::optional<FollowError> wrong;
    const auto take = [&](std::size_t i, const Answer& answer) {
        const bool is_needed = i < 2;
        if (!answer.has_value() || (is_needed && answer->is_null())) {
            if (is_needed && !wrong.has_value())
                wrong = answer.has_value()
                            ? caller_.error(FollowFault::absent, "it has no genesis block")
                            : caller_.refusal(questions[i].method, answer.error());
            return;
        }
        if (i == 0) identity.chain_id = answer->uint64();
        if (i == 1) identity.genesis = answer->at("hash").hash();
        if (i == 2 && answer->is_string())
            identity.client = in_a_line(answer->string().substr(0, 100));
        if (i == 3)
            identity.has_streams = caller_.connection().endpoint().is_websocket &&
                                   answer->is_object() && answer->find("heddle").has_value();
    };
    HEDDLE_CHECK(caller_.call_some(questions, together_, take));
    if (wrong.has_value()) return std::unexpected(*std::move(wrong));
    HEDDLE_CHECK(subscribe());
    return identity;
} catch (const InputError& problem) {
    return std::unexpected(caller_.error(FollowFault::misunderstood, problem.what()));
}

std::expected<OriginHead, FollowError> RpcOrigin::head() try {
    (void)caller_.take_news();  // it is what is asked for now
    const std::array<Question, 2> questions{{{"eth_getBlockByNumber", R"(["latest",false])"},
                                             {"eth_getBlockByNumber", R"(["finalized",false])"}}};
    OriginHead head;
    std::optional<FollowError> wrong;
    const auto take = [&](std::size_t i, const Answer& answer) {
        // Nor is a block final that it does not have: behind its address may be several nodes.
        if (i == 1) {
            if (!answer.has_value() && is_too_fast(answer.error()))
                wrong = caller_.refusal(questions[i].method, answer.error());
            else if (!answer.has_value() && !knows_no_finality(answer.error()))
                head.finality_refusal = caller_.refusal("finalized", answer.error()).sentence;
            else if (answer.has_value() && answer->is_object())
                head.finalized = std::min(answer->at("number").uint64(), head.newest.number);
        } else if (!answer.has_value()) {
            wrong = caller_.refusal(questions[i].method, answer.error());
        } else if (answer->is_null()) {
            wrong = caller_.error(FollowFault::absent, "it has no newest block");
        } else {
            head.newest = {answer->at("number").uint64(), answer->at("hash").hash()};
            head.parent = answer->at("parentHash").hash();
        }
    };
    HEDDLE_CHECK(caller_.call_some(questions, together_, take));
    if (wrong.has_value()) return std::unexpected(*std::move(wrong));
    return head;
} catch (const InputError& problem) {
    return std::unexpected(caller_.error(FollowFault::misunderstood, problem.what()));
}

std::expected<std::optional<Hash>, FollowError> RpcOrigin::hash_of(std::uint64_t number) try {
    HEDDLE_TRY(
        const JsonView json,
        caller_.call({"eth_getBlockByNumber", fmt::format("[{},false]", quoted_quantity(number))}));
    if (json.is_null()) return std::nullopt;
    return json.at("hash").hash();
} catch (const InputError& problem) {
    return std::unexpected(caller_.error(FollowFault::misunderstood, problem.what()));
}

std::expected<RpcOrigin::Blocks, FollowError> RpcOrigin::blocks(std::uint64_t first,
                                                                std::size_t count,
                                                                const GasBound& bound) {
    bound_ = bound;
    std::size_t wanted = std::min(count, batch_);
    for (;;) {
        auto blocks = blocks_somehow(first, wanted);
        if (blocks.has_value()) {
            const std::size_t each = answer_bytes_ / wanted + 1;
            const std::size_t most = stays_for_ == 0 ? 2 * wanted : wanted;
            stays_for_ -= std::min<std::size_t>(stays_for_, 1);
            batch_ = std::clamp<std::size_t>(kGoodAnswerBytes / each, 1, most);
            return blocks;
        }
        const FollowFault fault = blocks.error().fault;
        if ((fault != FollowFault::too_large && fault != FollowFault::too_fast) || wanted == 1)
            return blocks;
        if (fault == FollowFault::too_fast && !pause(blocks.error().rest)) return blocks;
        wanted /= 2;
        batch_ = wanted;
        stays_for_ = kAnswersBeforeMore;
    }
}

std::expected<RpcOrigin::Blocks, FollowError> RpcOrigin::blocks_somehow(std::uint64_t first,
                                                                        std::size_t count) {
    if (!gives_raw_blocks_) return rebuilt_blocks(first, count);
    auto raw = raw_blocks(first, count);
    if (raw.has_value() || raw.error().fault != FollowFault::refused) return raw;
    auto rebuilt = rebuilt_blocks(first, count);
    if (rebuilt.has_value()) gives_raw_blocks_ = false;
    return rebuilt;
}

std::expected<std::vector<Answer>, FollowError> RpcOrigin::ask_for(std::string_view method,
                                                                   std::string_view rest,
                                                                   std::uint64_t first,
                                                                   std::size_t count) {
    std::vector<Question> questions;
    questions.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        questions.push_back({method, fmt::format("[{}{}]", quoted_quantity(first + i), rest)});
    HEDDLE_TRY(std::vector<Answer> answers, caller_.call_all(questions, &answer_bytes_));
    for (std::size_t i = 0; i < count; ++i) {
        if (answers[i].has_value()) continue;
        if (is_too_large(answers[i].error()))
            return std::unexpected(
                caller_.error(FollowFault::too_large,
                              fmt::format("block {} does not fit into its answers", first + i)));
        return std::unexpected(caller_.refusal(method, answers[i].error()));
    }
    return answers;
}

std::expected<RpcOrigin::Blocks, FollowError> RpcOrigin::raw_blocks(std::uint64_t first,
                                                                    std::size_t count) try {
    HEDDLE_TRY(const std::vector<Answer> answers, ask_for("debug_getRawBlock", "", first, count));
    Blocks blocks;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t number = first + i;
        const Bytes encoded = answers[i]->is_null() ? Bytes{} : answers[i]->bytes();
        if (encoded.empty())
            return std::unexpected(
                caller_.error(FollowFault::absent, fmt::format("it has no block {}", number)));
        auto block = consensus_adapter::decode_paid_block(encoded, bound_);
        if (!block.has_value()) return std::unexpected(wrong_block(number, block.error()));
        const Hash hash = header_hash(block->header);
        if (block->header.number != number)
            return std::unexpected(
                wrong_block(number, fmt::format("it gives block {}", block->header.number)));
        blocks.push_back(make_fetched_block(*std::move(block), hash, encoded.size()));
    }
    return blocks;
} catch (const InputError& problem) {
    return std::unexpected(wrong_block(first, problem.what()));
}

std::expected<RpcOrigin::Blocks, FollowError> RpcOrigin::rebuilt_blocks(std::uint64_t first,
                                                                        std::size_t count) {
    HEDDLE_TRY(const std::vector<Answer> answers,
               ask_for("eth_getBlockByNumber", ",true", first, count));
    const std::size_t answer_bytes = answer_bytes_;
    // All of them before anything else is asked: answers are valid until then.
    std::vector<RebuiltBlock> rebuilt;
    for (std::size_t i = 0; i < count; ++i) {
        if (answers[i]->is_null())
            return std::unexpected(
                caller_.error(FollowFault::absent, fmt::format("it has no block {}", first + i)));
        try {
            rebuilt.push_back(rebuild_block(*answers[i]));
        } catch (const InputError& problem) {
            return std::unexpected(wrong_block(first + i, problem.what()));
        }
        if (const std::uint64_t number = rebuilt.back().block.header.number; number != first + i)
            return std::unexpected(
                wrong_block(first + i, fmt::format("it gives block {}", number)));
    }
    Blocks blocks;
    for (RebuiltBlock& block : rebuilt) {
        HEDDLE_TRY(block.block.ommers, ommers(block.block.header.number, block.ommers));
        Bytes encoded;
        encode_block(block.block, encoded);
        blocks.push_back(make_fetched_block(std::move(block.block), block.hash, encoded.size()));
    }
    answer_bytes_ = answer_bytes;
    return blocks;
}

std::expected<std::vector<BlockHeader>, FollowError> RpcOrigin::ommers(
    std::uint64_t number, const std::vector<Hash>& hashes) try {
    std::vector<BlockHeader> headers;
    constexpr std::size_t kMostOmmers = 2;  // YP 11.1
    if (hashes.size() > kMostOmmers)
        return std::unexpected(
            wrong_block(number, fmt::format("it is said to have {} ommers", hashes.size())));
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        HEDDLE_TRY(
            const JsonView json,
            caller_.call({"eth_getUncleByBlockNumberAndIndex",
                          fmt::format("[{},{}]", quoted_quantity(number), quoted_quantity(i))}));
        if (json.is_null())
            return std::unexpected(
                caller_.error(FollowFault::absent,
                              fmt::format("it does not have ommer {} of block {}", i, number)));
        headers.push_back(rebuild_ommer(json, hashes[i]));
    }
    return headers;
} catch (const InputError& problem) {
    return std::unexpected(wrong_block(number, problem.what()));
}

std::expected<void, FollowError> RpcOrigin::subscribe() {
    const RpcConnection& connection = caller_.connection();
    if (!connection.endpoint().is_websocket || !announces_heads_ ||
        (connection.is_open() && subscribed_connection_ == connection.connections()))
        return {};
    const auto subscribed = caller_.call({"eth_subscribe", R"(["newHeads"])"});
    if (!subscribed.has_value()) {
        if (subscribed.error().fault != FollowFault::refused)
            return std::unexpected(subscribed.error());
        announces_heads_ = false;  // it is asked for them
        return {};
    }
    subscribed_connection_ = connection.connections();
    return {};
}

std::expected<void, FollowError> RpcOrigin::wait_for_head(std::chrono::milliseconds longest) {
    if (caller_.take_news()) return {};
    const std::optional<std::uint64_t> before = subscribed_connection_;
    HEDDLE_CHECK(subscribe());
    // A head may have come before it was asked for announcements.
    if (subscribed_connection_ != before) return {};
    if (caller_.connection().endpoint().is_websocket && announces_heads_) {
        HEDDLE_CHECK(caller_.wait_for_news(longest));
        (void)caller_.take_news();
        return {};
    }
    wait(stop_, std::min(longest, kPolling));
    return {};
}

bool RpcOrigin::pause(std::chrono::milliseconds rest) const {
    wait(stop_, std::max(kCalm, std::min(rest, kLongestRest)));
    return !stop_.stop_requested();
}

}  // namespace heddle::node::follow
