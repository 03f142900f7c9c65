// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls that last a block (Method::lasts_a_block) and reads that may be long (Weight::reading), and
// on which thread they are done.
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rpc/transport/server.hpp"
#include "wire_clients.hpp"

namespace heddle::node::rpc {
namespace {

using testing::HasSubstr;

const std::string kThread = call_text("test_thread", "[]");
const std::string kThreadOfBlock = call_text("test_threadOfBlock", "[]");

ServerOptions one_io_thread() {
    ServerOptions options;
    options.io_threads = 1;
    return options;
}

TEST(ServerBlockCalls, does_what_lasts_a_block_on_the_thread_of_a_connection_that_is_alone) {
    const WireServer server(one_io_thread());
    HttpClient client(server.port());
    const std::string own = client.post(kThread).body;

    EXPECT_EQ(client.post(kThreadOfBlock).body, own);
    EXPECT_EQ(client.post(kThreadOfBlock).body, own);
    // In a batch there may be more than a block's work.
    EXPECT_NE(client.post("[" + kThreadOfBlock + "]").body, "[" + own + "]");
}

TEST(ServerBlockCalls, hands_it_to_a_worker_where_others_would_wait) {
    const WireServer server(one_io_thread());
    HttpClient client(server.port());
    {
        HttpClient other(server.port());
        const std::string own = other.post(kThread).body;
        EXPECT_EQ(client.post(kThread).body, own);
        EXPECT_NE(client.post(kThreadOfBlock).body, own);
        EXPECT_NE(other.post(kThreadOfBlock).body, own);
    }
    const std::string own = client.post(kThread).body;
    // The other one is gone, as soon as the server has seen it go.
    while (client.post(kThreadOfBlock).body != own)
        std::this_thread::yield();
}

TEST(ServerBlockCalls, counts_the_gas_of_what_it_does_itself) {
    ServerOptions options = one_io_thread();
    options.gas_per_second = 1;  // a million gas are eleven days
    const WireServer server(options);
    HttpClient client(server.port());
    const std::string own = client.post(kThread).body;

    EXPECT_EQ(client.post(kThreadOfBlock).body, own);
    EXPECT_THAT(client.post(kThreadOfBlock).body, HasSubstr("gas rate exceeded"));
}

TEST(ServerReads, are_left_to_a_worker_where_they_turn_out_to_be_long) {
    WireServer server({.worker_threads = 1});
    HttpClient occupying(server.port());
    occupying.send(post_text(call_text("test_wait")));
    server.methods.gate.wait_for_arrivals(1);
    const std::string text(1'000'000, 'x');

    HttpClient http(server.port());
    WebSocketClient websocket(server.port());
    http.send(post_text(call_text("test_read", "[1000000]")));
    websocket.send(call_text("test_read", "[1000000]"));
    server.wait_until([](const auto& counters) { return counters.queued_requests == 2; });
    // What is short waits for no worker.
    EXPECT_EQ(HttpClient(server.port()).post(call_text("test_read", "[3]")).body,
              result_text(R"("xxx")"));
    websocket.send(call_text("test_read", "[2]"));
    EXPECT_EQ(websocket.receive(), result_text(R"("xx")"));

    server.methods.gate.open();
    EXPECT_EQ(http.receive().body, result_text('"' + text + '"'));
    EXPECT_EQ(websocket.receive(), result_text('"' + text + '"'));
}

}  // namespace
}  // namespace heddle::node::rpc
