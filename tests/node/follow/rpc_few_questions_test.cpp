// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Nodes that take few questions at once, or few in a second.
#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "follow/rpc_origin.hpp"
#include "hostile_server.hpp"

namespace heddle::node::follow {
namespace {

using test::HostileServer;
using test::http_answer;
using test::rpc_answer;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Peer = HostileServer::Peer;

constexpr auto kSoon = 20s;

Bytes encoded_block() {
    Block block;
    block.header.number = 9;
    Bytes encoded;
    encode_block(block, encoded);
    return encoded;
}

// Neither of its first questions could be asked, so such a node could not be followed.
TEST(RpcOrigin, asks_one_by_one_where_the_origin_takes_no_questions_together) {
    std::atomic<int> refused = 0;
    HostileServer server([&](Peer& peer, const std::string& body) {
        const auto asks = [&](const char* what) { return body.find(what) != std::string::npos; };
        if (body.starts_with('[')) {
            ++refused;
            return peer.send(
                http_answer(R"({"id":null,"error":{"code":-32600,"message":"one at a time"}})"));
        }
        if (asks("eth_chainId")) return peer.send(rpc_answer(R"("0x539")"));
        if (asks("web3_clientVersion")) return peer.send(rpc_answer(R"("single/1")"));
        if (asks("rpc_modules")) return peer.send(rpc_answer("{}"));
        const std::string hash = to_string(Hash{}) + "\"";
        return peer.send(
            rpc_answer(R"({"number":"0x9","hash":")" + hash + R"(,"parentHash":")" + hash + "}"));
    });
    RpcOrigin origin(server.endpoint(), {.timeout = kSoon}, {});

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

// Before, it was asked again at once, for half, and so on.
TEST(RpcOrigin, pauses_before_it_asks_again_where_it_was_too_fast) {
    std::vector<Clock::time_point> asked;
    HostileServer server([&](Peer& peer, const std::string& body) {
        asked.push_back(Clock::now());
        if (!body.starts_with('['))
            return peer.send(rpc_answer('"' + to_hex(encoded_block()) + '"'));
        return peer.send(
            http_answer(R"({"id":null,"error":{"code":-32005,"message":"rate limit"}})"));
    });
    RpcOrigin origin(server.endpoint(), {.timeout = kSoon}, {});
    ASSERT_TRUE(origin.blocks(9, 16, {}).has_value());
    ASSERT_TRUE(origin.blocks(9, 16, {}).has_value());
    ASSERT_EQ(asked.size(), 3u) << "one, two, one again";
    EXPECT_GE(asked[2] - asked[1], 150ms);
}

}  // namespace
}  // namespace heddle::node::follow
