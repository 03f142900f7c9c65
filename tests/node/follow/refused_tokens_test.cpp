// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What is told of a token that the other side does not take.
#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "follow/rpc_origin.hpp"
#include "hostile_server.hpp"

namespace heddle::node::follow {
namespace {

using test::HostileServer;
using test::http_answer;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// By a server that refuses with these words.
std::string told(const std::string& words, bool is_websocket) {
    const HostileServer server{[&](HostileServer::Peer& peer, const std::string&) {
        return peer.send(http_answer(words + "\n", "401 Unauthorized"));
    }};
    Endpoint endpoint = server.endpoint();
    endpoint.is_websocket = is_websocket;
    const ConnectionLimits limits{.timeout = std::chrono::minutes{1}, .max_answer_bytes = 1 << 16};
    const auto answer = RpcOrigin(endpoint, limits, {}).hash_of(7);
    return answer.has_value() ? "" : answer.error().sentence;
}

// Members of a replicated chain whose clocks differ were asked for the address of an HTTP port.
TEST(RefusedTokens, are_told_of_with_what_to_do) {
    for (const bool is_websocket : {false, true}) {
        for (const std::string late : {"stale token", "future token"})
            EXPECT_THAT(told(late, is_websocket),
                        AllOf(HasSubstr("HTTP status 401: " + late + "; the clocks of the two"),
                              Not(HasSubstr("address"))));
        EXPECT_THAT(told("signature is invalid", is_websocket),
                    HasSubstr("; both need the same secret"));
        EXPECT_THAT(told("missing token", is_websocket),
                    HasSubstr("HTTP status 401: missing token"));
    }
}

}  // namespace
}  // namespace heddle::node::follow
