// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Pages that take their time, and those that nobody reads. What pages say in general:
// server_test.cpp.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rpc/transport/server.hpp"
#include "wire_clients.hpp"

namespace heddle::node::rpc {
namespace {

std::string get_text(const std::string& path) {
    return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
}

TEST(Pages, that_take_long_keep_nobody_else) {
    Gate gate;
    const WireServer server({.io_threads = 1, .worker_threads = 1, .execution_threads = 1},
                            {{"/long",
                              {[&gate] {
                                   gate.wait();
                                   return Page{.content_type = "text/plain", .body = "long"};
                               },
                               true}},
                             {"/health", {[] { return Page{.body = "ready"}; }}}});
    std::vector<HttpClient> watchers;
    for (int i = 0; i < 3; ++i) {
        watchers.emplace_back(server.port());
        watchers.back().send(get_text("/long"));
    }
    gate.wait_for_arrivals(1);

    HttpClient client(server.port());
    const std::string answer = result_text(R"("a")");
    EXPECT_EQ(client.get("/health").body, "ready");
    EXPECT_EQ(client.post(call_text("test_echo", R"(["a"])")).body, answer);
    EXPECT_EQ(client.post(call_text("test_echoHeavy", R"(["a"])")).body, answer);
    server.wait_until([](const auto& counters) { return counters.queued_requests == 2; });
    EXPECT_EQ(gate.arrivals(), 1u) << "one is made at a time";
    gate.open();
    for (HttpClient& watcher : watchers)
        EXPECT_EQ(watcher.receive().body, "long");
}

TEST(Pages, beyond_the_queue_of_those_that_take_long_are_refused) {
    Gate gate;
    const WireServer server({.max_queued_requests = 4}, {{"/long",
                                                          {[&gate] {
                                                               gate.wait();
                                                               return Page{.body = "long"};
                                                           },
                                                           true}}});
    HttpClient first(server.port());
    first.send(get_text("/long"));
    gate.wait_for_arrivals(1);
    std::vector<HttpClient> waiting;
    for (int i = 0; i < 2; ++i) {
        waiting.emplace_back(server.port());
        waiting.back().send(get_text("/long"));
    }
    server.wait_until([](const auto& counters) { return counters.queued_requests == 2; });

    HttpClient refused(server.port());
    EXPECT_EQ(refused.get("/long").status, 503u);
    gate.open();
    EXPECT_EQ(first.receive().body, "long");
    for (HttpClient& other : waiting)
        EXPECT_EQ(other.receive().body, "long");
    EXPECT_EQ(refused.get("/long").body, "long") << "the queue has room again";
}

TEST(Pages, that_nobody_reads_count_as_other_large_answers) {
    constexpr std::size_t kPage = std::size_t{8} << 20;  // more than sockets hold
    WireServer server({.max_buffered_bytes = 4 * kPage},
                      {{"/large", {[] { return Page{.body = std::string(kPage, 'x')}; }}},
                       {"/long", {[] { return Page{.body = std::string(kPage, 'y')}; }, true}}});
    std::vector<HttpClient> silent;
    for (const std::string path : {"/large", "/long"}) {
        silent.emplace_back(server.port());
        silent.back().send(get_text(path));
    }
    server.wait_until([](const auto& counters) { return counters.buffered_bytes >= 2 * kPage; });

    HttpClient client(server.port());
    EXPECT_EQ(client.get("/large").status, 503u);
    EXPECT_EQ(client.get("/long").status, 503u);
    EXPECT_EQ(server.server.counters().refused_requests, 2u);
    for (HttpClient& other : silent)
        EXPECT_EQ(other.receive().body.size(), kPage);
    server.wait_until([](const auto& counters) { return counters.buffered_bytes == 0; });
    EXPECT_EQ(client.get("/large").body.size(), kPage);
}

}  // namespace
}  // namespace heddle::node::rpc
