// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How long clients may take to send a header and a body.
#include <string>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>

#include "rpc/transport/server.hpp"
#include "wire_clients.hpp"

namespace heddle::node::rpc {
namespace {

using std::chrono::milliseconds;

const std::string kEchoA = call_text("test_echo", R"(["a"])");
const std::string kAnswerA = result_text(R"("a")");

TEST(ServerLimits, close_a_client_that_does_not_finish_its_header) {
    TestClock clock;
    const WireServer server({.idle_timeout = std::chrono::hours(1),
                             .header_timeout = milliseconds(100),
                             .now = TestClock::now});
    HttpClient silent(server.port());
    HttpClient in_header(server.port());
    HttpClient later(server.port());
    EXPECT_EQ(later.post(kEchoA).body, kAnswerA);

    in_header.send("POST / HTTP/1.1\r\nHost: local");
    later.send("POST / HTTP/1.1\r\nHost: local");

    EXPECT_TRUE(server.times_out(clock, 3));
    silent.wait_for_end();
    in_header.wait_for_end();
    later.wait_for_end();
}

TEST(ServerLimits, close_a_client_whose_body_comes_too_slowly) {
    const WireServer server({.header_timeout = milliseconds(100)});
    HttpClient client(server.port());

    // Less than 16 KiB a second: the whole would take more than read_timeout allows.
    EXPECT_ANY_THROW({
        client.send(
            "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            "Content-Length: 1000000\r\n\r\n");
        while (true) {
            client.send("x");
            std::this_thread::sleep_for(milliseconds(5));
        }
    });
    EXPECT_EQ(server.server.counters().timed_out, 1u);
}

TEST(ServerLimits, give_a_body_that_comes_fast_enough_its_time) {
    constexpr std::size_t kPart = 25'000;
    TestClock clock;
    const WireServer server({.io_threads = 1,
                             .idle_timeout = milliseconds(250),
                             .header_timeout = milliseconds(100),
                             .now = TestClock::now});
    HttpClient idle(server.port());  // who is late is looked for when this one has been found
    EXPECT_EQ(idle.post(kEchoA).body, kAnswerA);
    HttpClient client(server.port());
    const std::string call = call_text("test_echo", R"([")" + std::string(200'000, 'a') + R"("])");
    const std::string text = post_text(call);

    // Each part buys 1.5 seconds and takes a twenty-fifth of one.
    std::size_t sent = 0;
    for (; sent + kPart < text.size(); sent += kPart) {
        client.send(std::string_view(text).substr(sent, kPart));
        const std::size_t body = sent + kPart - (text.size() - call.size());
        server.wait_until([&](const auto& counters) {
            return counters.buffered_bytes >= body || counters.timed_out != 0;
        });
        clock.pass(milliseconds(40));
    }
    idle.wait_for_end();
    client.send(std::string_view(text).substr(sent));

    EXPECT_EQ(client.receive().status, 200u);
    EXPECT_EQ(server.server.counters().timed_out, 1u);
}

}  // namespace
}  // namespace heddle::node::rpc
