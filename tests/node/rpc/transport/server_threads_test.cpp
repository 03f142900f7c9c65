// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Who has the threads of a server, and where there are too few.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <system_error>
#include <vector>

#include <gtest/gtest.h>

#include "few_threads.hpp"
#include "rpc/envelope/json_rpc.hpp"
#include "rpc/transport/server.hpp"
#include "wire_clients.hpp"

namespace heddle::node::rpc {
namespace {

TEST(Server, lets_nobody_have_all_threads) {
    for (const char* method : {"test_execute", "test_wait", "test_sleep"}) {
        WireServer server({.worker_threads = 2, .execution_threads = 2, .spare_threads = 1});
        std::vector<HttpClient> attackers;
        const std::size_t threads = std::string_view{method} == "test_sleep" ? 32 : 2;
        for (std::size_t i = 0; i < 40; ++i) {
            attackers.emplace_back(server.port());
            attackers.back().send(post_text(call_text(method)));
            server.methods.gate.wait_for_arrivals(std::min(i + 1, threads));
        }
        server.wait_until(
            [&](const auto& counters) { return counters.queued_requests == 40 - threads; });

        HttpClient client(server.port(), "127.0.0.2");
        client.send(post_text(call_text(method)));
        server.methods.gate.wait_for_arrivals(threads + 1);
        EXPECT_EQ(server.server.counters().queued_requests, 40 - threads)
            << method << ": all of the first address wait still";
        server.methods.gate.open();
        EXPECT_EQ(client.receive().status, 200u);
    }
}

// In a process of its own, which has room for a few stacks more. The end of the server was that of
// the process: it waited for threads that there were not.
TEST(Server, that_gets_too_few_threads_says_so_and_ends_those_that_it_has) {
    if (!test::can_have_few_threads()) GTEST_SKIP() << "sanitizers lay out terabytes";
    const auto start_too_many = [] {
        const MethodTable methods;
        const Responder responder{methods};
        ServerOptions options;
        options.io_threads = 64;
        auto server = std::make_unique<Server>(responder, options);
        test::have_few_threads();
        try {
            server->start();
        } catch (const std::system_error&) {
            server.reset();
            std::exit(7);
        }
        std::exit(1);
    };
    EXPECT_EXIT(start_too_many(), testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace heddle::node::rpc
