// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Nodes that take few questions at once, or few in a second.
#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "follow/rpc_caller.hpp"
#include "follow/rpc_origin.hpp"
#include "hostile_server.hpp"

namespace heddle::node::follow {
namespace {

using consensus_adapter::follow::FollowFault;
using test::HostileServer;
using test::http_answer;
using test::rpc_answer;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Peer = HostileServer::Peer;

/// Nothing waits for its end but a test that fails.
constexpr auto kPatience = 1h;

Bytes encoded_block() {
    Block block;
    block.header.number = 9;
    Bytes encoded;
    encode_block(block, encoded);
    return encoded;
}

/// Answers single questions, and says `refusal` to several.
class OneAtATime : public testing::TestWithParam<std::string> {};

// Neither of its first questions could be asked, so such a node could not be followed.
TEST_P(OneAtATime, is_asked_one_by_one) {
    std::atomic<int> refused = 0;
    HostileServer server([&](Peer& peer, const std::string& body) {
        const auto asks = [&](const char* what) { return body.find(what) != std::string::npos; };
        if (body.starts_with('[')) {
            ++refused;
            return peer.send(GetParam());
        }
        if (asks("eth_chainId")) return peer.send(rpc_answer(R"("0x539")"));
        if (asks("web3_clientVersion")) return peer.send(rpc_answer(R"("single/1")"));
        if (asks("rpc_modules")) return peer.send(rpc_answer("{}"));
        const std::string hash = to_string(Hash{}) + "\"";
        return peer.send(
            rpc_answer(R"({"number":"0x9","hash":")" + hash + R"(,"parentHash":")" + hash + "}"));
    });
    RpcOrigin origin(server.endpoint(), {.timeout = kPatience}, {});

    const auto identity = origin.identify();
    ASSERT_TRUE(identity.has_value()) << identity.error().sentence;
    EXPECT_EQ(identity->chain_id, 1337u);
    EXPECT_EQ(identity->client, "single/1");
    for (int i = 0; i < 2; ++i) {
        const auto head = origin.head();
        ASSERT_TRUE(head.has_value()) << head.error().sentence;
        EXPECT_EQ(head->newest.number, 9u);
        EXPECT_EQ(head->finalized, 9u);
    }
    EXPECT_EQ(refused, 2) << "four, two, and not once more";
}

INSTANTIATE_TEST_SUITE_P(
    Nodes, OneAtATime,
    testing::Values(
        http_answer(R"({"id":null,"error":{"code":-32600,"message":"one at a time"}})"),
        // go-ethereum with --rpc.batch-request-limit
        http_answer(
            R"([{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"batch too large"}}])"),
        http_answer(R"({"id":null,"error":{"code":-32005,"message":"too many requests"}})"),
        http_answer("", "413 Content Too Large")));

TEST(RpcCaller, takes_a_list_for_a_refusal_of_all_where_it_is_short_and_has_no_answer) {
    const auto fault_of = [](const std::string& list) {
        HostileServer server([&](Peer& peer, const std::string&) {
            return peer.send(http_answer("[" + list + "]"));
        });
        RpcCaller caller(server.endpoint(), {.timeout = kPatience}, {});
        const std::vector<Question> questions(3, {"eth_x", "[]"});
        const auto answers = caller.call_all(questions);
        return answers.has_value() ? std::nullopt : std::optional{answers.error().fault};
    };
    const std::string no = R"("error":{"code":-32000,"message":"no"}})";
    const std::string first = R"({"id":1,)" + no;
    const std::string second = R"({"id":2,)" + no;
    EXPECT_EQ(fault_of(first + "," + second + R"(,{"id":3,)" + no), std::nullopt);
    EXPECT_EQ(fault_of(first + "," + second), FollowFault::too_large);
    EXPECT_EQ(fault_of(first + R"(,{"id":2,"result":"0x1"})"), FollowFault::misunderstood);
}

// A rebuilt block is a second question, where the first one was one too many.
TEST(RpcOrigin, does_not_ask_for_a_block_in_another_way_where_it_was_too_fast) {
    const std::string limit = R"({"code":-32005,"message":"rate limit"})";
    for (const std::string& refusal : {http_answer("", "429 Too Many Requests"),
                                       http_answer(R"({"id":1,"error":)" + limit + "}")}) {
        std::atomic<int> asked = 0;
        HostileServer server([&](Peer& peer, const std::string&) {
            ++asked;
            return peer.send(refusal);
        });
        RpcOrigin origin(server.endpoint(), {.timeout = kPatience}, {});
        const auto blocks = origin.blocks(9, 1, {});
        ASSERT_FALSE(blocks.has_value());
        EXPECT_EQ(blocks.error().fault, FollowFault::too_fast);
        EXPECT_EQ(asked, 1);
    }
}

// It was taken for a node that knows no finality, whose blocks are taken by their depth.
TEST(RpcOrigin, does_not_know_what_is_final_where_it_was_too_fast) {
    const std::string hash = to_string(Hash{}) + "\"";
    HostileServer server([&](Peer& peer, const std::string&) {
        return peer.send(http_answer(
            R"([{"id":1,"result":{"number":"0x9","hash":")" + hash + R"(,"parentHash":")" + hash +
            R"(}},{"id":2,"error":{"code":-32005,"message":"rate limit"}}])"));
    });
    RpcOrigin origin(server.endpoint(), {.timeout = kPatience}, {});
    const auto head = origin.head();
    ASSERT_FALSE(head.has_value());
    EXPECT_EQ(head.error().fault, FollowFault::too_fast);
}

TEST(RpcOrigin, tells_for_how_long_it_is_to_be_left_alone) {
    const auto rest_of = [](const std::string& field) {
        HostileServer server([&](Peer& peer, const std::string&) {
            return peer.send("HTTP/1.1 429 Too Many Requests\r\n" + field +
                             "Content-Length: 0\r\n\r\n");
        });
        RpcOrigin origin(server.endpoint(), {.timeout = kPatience}, {});
        const auto blocks = origin.blocks(9, 1, {});
        EXPECT_FALSE(blocks.has_value());
        return blocks.has_value() ? -1ms : blocks.error().rest;
    };
    EXPECT_EQ(rest_of(""), 0ms);
    EXPECT_EQ(rest_of("Retry-After: 7\r\n"), 7s);
    EXPECT_EQ(rest_of("Retry-After: 4000000000\r\n"), 3'600s);
    EXPECT_EQ(rest_of("Retry-After: -1\r\n"), 0ms);
    EXPECT_EQ(rest_of("Retry-After: 99999999999999999999\r\n"), 0ms);
    EXPECT_EQ(rest_of("Retry-After: Fri, 31 Dec 1999 23:59:59 GMT\r\n"), 0ms);
    EXPECT_EQ(rest_of("Retry-After: 31 Dec 1999 23:59:59 GMT\r\n"), 0ms);
}

// Before, it was asked again at once, for half, and so on.
TEST(RpcOrigin, pauses_before_it_asks_again_where_it_was_too_fast) {
    const auto pause_after = [](const std::string& refusal) {
        std::vector<Clock::time_point> asked;
        HostileServer server([&](Peer& peer, const std::string& body) {
            asked.push_back(Clock::now());
            if (body.starts_with('[')) return peer.send(refusal);
            return peer.send(rpc_answer('"' + to_hex(encoded_block()) + '"'));
        });
        RpcOrigin origin(server.endpoint(), {.timeout = kPatience}, {});
        EXPECT_TRUE(origin.blocks(9, 16, {}).has_value());
        EXPECT_TRUE(origin.blocks(9, 16, {}).has_value());
        EXPECT_EQ(asked.size(), 3u) << "one, two, one again";
        return asked.back() - asked[asked.size() - 2];
    };
    EXPECT_GE(
        pause_after(http_answer(R"({"id":null,"error":{"code":-32005,"message":"rate limit"}})")),
        150ms);
    // For as long as it is asked to.
    EXPECT_GE(pause_after("HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\n"
                          "Content-Length: 0\r\n\r\n"),
              900ms);
}

}  // namespace
}  // namespace heddle::node::follow
