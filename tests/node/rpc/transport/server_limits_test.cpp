// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What clients cannot do to a server, and how it stops.
#include "rpc/transport/server.hpp"

#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire_clients.hpp"

namespace heddle::node::rpc {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

const std::string kEchoA = call_text("test_echo", R"(["a"])");
const std::string kAnswerA = result_text(R"("a")");

TEST(ServerLimits, refuse_connections_beyond_the_most) {
    const WireServer server({.max_connections = 3});
    std::vector<HttpClient> clients;
    for (int i = 0; i < 3; ++i) {
        clients.emplace_back(server.port());
        EXPECT_EQ(clients.back().post(kEchoA).status, 200u);
    }

    HttpClient refused(server.port());
    EXPECT_THAT(refused.receive_all(), HasSubstr("503"));
    clients.pop_back();
    server.wait_until([](const auto& counters) { return counters.connections == 2; });
    EXPECT_EQ(HttpClient(server.port()).post(kEchoA).status, 200u);
    EXPECT_EQ(server.server.counters().refused, 1u);
}

// Extension of a chunk - never ends - it was kept, whatever its size, as nothing of the body.
TEST(ServerLimits, keep_no_more_around_chunks_than_of_a_header) {
    const WireServer server;
    for (const std::string begin : {"1;a=", "000", "1\r\n \r\n0\r\nLong: "}) {
        HttpClient client(server.port());
        client.send("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" +
                    begin + std::string(40'000, '0'));
        EXPECT_EQ(client.receive().status, 431u) << begin;
    }
}

// Each field takes twenty times as much as it was sent for, and none of it was counted: thousands
// of headers that never end came to a gigabyte.
TEST(ServerLimits, keep_no_more_fields_than_a_header_may_have) {
    const WireServer server;
    const auto fields = [](std::size_t count) {
        std::string text;
        for (std::size_t i = 0; i < count; ++i)
            text += "a:\r\n";
        return text;
    };
    HttpClient usual(server.port());
    EXPECT_EQ(usual.post(kEchoA, fields(100)).body, kAnswerA);
    HttpClient client(server.port());
    client.send("POST / HTTP/1.1\r\nHost: localhost\r\n" + fields(140));
    EXPECT_EQ(client.receive().status, 431u);
}

TEST(ServerLimits, count_headers_as_memory) {
    const WireServer server({.max_buffered_bytes = 30'000});
    HttpClient holding(server.port());
    HttpClient refused(server.port());
    HttpClient small(server.port());
    const std::string part =
        "POST / HTTP/1.1\r\nHost: localhost\r\nLong: " + std::string(12'000, 'a');

    holding.send(part);
    server.wait_until([](const auto& counters) { return counters.buffered_bytes > 11'000; });
    refused.send(part);
    EXPECT_EQ(refused.receive().status, 503u);
    EXPECT_EQ(small.post(kEchoA).body, kAnswerA);
    holding.send("\r\nContent-Type: application/json\r\nContent-Length: " +
                 std::to_string(kEchoA.size()) + "\r\n\r\n" + std::string(kEchoA));
    EXPECT_EQ(holding.receive().body, kAnswerA);
    server.wait_until([](const auto& counters) { return counters.buffered_bytes == 0; });
    small.send("POST /" + std::string(12'000, 'a') +
               " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n");
    server.wait_until([](const auto& counters) { return counters.buffered_bytes > 11'000; });
}

TEST(ServerLimits, serve_thousands_of_connections) {
    constexpr std::size_t kConnections = 3'000;
    const WireServer server({.max_connections = kConnections, .patience = std::chrono::hours(1)});
    std::vector<HttpClient> clients;
    for (std::size_t i = 0; i < kConnections; ++i)
        clients.emplace_back(server.port());

    for (HttpClient& client : clients)
        client.send(post_text(kEchoA));
    for (HttpClient& client : clients)
        ASSERT_EQ(client.receive().body, kAnswerA);

    EXPECT_EQ(server.server.counters().connections, kConnections);
    HttpClient refused(server.port());
    EXPECT_THAT(refused.receive_all(), HasSubstr("503"));
    clients.clear();
    server.wait_until([](const auto& counters) { return counters.connections == 0; });
}

TEST(ServerLimits, answer_while_another_holds_as_many_silent_sockets_as_it_can) {
    WireServer server({.max_connections = 64,
                       .max_connections_per_client = 32,
                       .patience = milliseconds(50),
                       .header_timeout = std::chrono::hours(1)});
    std::vector<HttpClient> silent;
    for (int i = 0; i < 200; ++i) {
        silent.emplace_back(server.port());
        if (i < 16) silent.back().send("POST / HTTP/1.1\r\nHost: local");
    }
    server.wait_until(
        [](const auto& counters) { return counters.accepted + counters.refused == 200; });
    EXPECT_EQ(server.server.counters().connections, 32u) << "of one address";

    // From the same address even: those that have waited longest make room. Refused it is only for
    // as long as all of them are young.
    const auto is_answered = [&] {
        try {
            return HttpClient(server.port()).post(kEchoA).body == kAnswerA;
        } catch (const std::exception&) {
            return false;
        }
    };
    for (int answers = 0; answers < 100;)
        if (is_answered()) ++answers;
    EXPECT_LE(server.server.counters().connections, 32u);
    EXPECT_GE(server.server.counters().given_up, 1u);
}

TEST(ServerLimits, let_no_executing_call_keep_reads) {
    WireServer server({.worker_threads = 1, .execution_threads = 1, .max_queued_requests = 8});
    std::vector<HttpClient> attackers;
    for (int i = 0; i < 40; ++i) {
        attackers.emplace_back(server.port());
        attackers.back().send(post_text(call_text("test_execute")));
    }
    server.methods.gate.wait_for_arrivals(1);
    server.wait_until([](const auto& counters) { return counters.refused_requests >= 30; });

    HttpClient client(server.port());
    EXPECT_EQ(client.post(kEchoA).body, kAnswerA);
    EXPECT_EQ(client.post(call_text("test_echoHeavy", R"(["a"])")).body, kAnswerA)
        << "the calls that read much have threads of their own";
    std::string batch = "[" + kEchoA;
    for (int i = 0; i < 40; ++i)
        batch += "," + kEchoA;
    EXPECT_THAT(client.post(batch + "]").body, testing::StartsWith("[" + kAnswerA + ","));
    EXPECT_EQ(server.methods.gate.arrivals(), 1u) << "one executes at a time";
    server.methods.gate.open();
}

TEST(ServerLimits, count_a_batch_with_an_executing_call_as_executing) {
    WireServer server({.worker_threads = 1, .execution_threads = 1});
    HttpClient attacker(server.port());
    attacker.send(post_text("[" + kEchoA + "," + call_text("test_execute") + "," +
                            call_text("test_echoHeavy", R"(["a"])") + "]"));
    server.methods.gate.wait_for_arrivals(1);

    HttpClient client(server.port());
    EXPECT_EQ(client.post(call_text("test_echoHeavy", R"(["a"])")).body, kAnswerA);
    server.methods.gate.open();
    EXPECT_THAT(attacker.receive().body, HasSubstr("executed"));
}

TEST(ServerLimits, refuse_what_executes_to_a_client_that_has_used_its_gas) {
    WireServer server({.gas_per_second = 1});  // a million gas are eleven days
    server.methods.gate.open();
    HttpClient client(server.port());
    EXPECT_EQ(client.post(call_text("test_execute")).body, result_text(R"("executed")"));

    HttpClient other(server.port());  // another connection has no more
    EXPECT_THAT(other.post(call_text("test_execute")).body,
                HasSubstr("gas rate exceeded: at most 1 gas a second for one client"));
    EXPECT_EQ(other.post(kEchoA).body, kAnswerA);
    EXPECT_EQ(server.server.counters().refused_requests, 1u);
}

TEST(ServerLimits, know_callers_on_this_machine) {
    const WireServer server;
    EXPECT_EQ(HttpClient(server.port()).post(call_text("test_isLoopback")).body,
              result_text("true"));
    WebSocketClient client(server.port());
    client.send(call_text("test_isLoopback"));
    EXPECT_EQ(client.receive(), result_text("true"));
}

TEST(ServerLimits, close_a_client_that_does_not_finish_its_request) {
    const WireServer server({.read_timeout = milliseconds(100)});
    HttpClient silent(server.port());
    HttpClient in_header(server.port());
    HttpClient in_body(server.port());

    in_header.send("POST / HTTP/1.1\r\nHost: local");
    in_body.send(post_text(kEchoA).substr(0, 120));

    silent.wait_for_end();
    in_header.wait_for_end();
    in_body.wait_for_end();
    EXPECT_EQ(server.server.counters().timed_out, 3u);
}

TEST(ServerLimits, close_a_client_that_only_drips) {
    const WireServer server({.read_timeout = milliseconds(100)});
    HttpClient client(server.port());

    // Every byte is progress, but the request as a whole has its time.
    EXPECT_ANY_THROW({
        client.send("POST / HTTP/1.1\r\nHost: ");
        while (true) {
            client.send("x");
            std::this_thread::sleep_for(milliseconds(5));
        }
    });
    EXPECT_EQ(server.server.counters().timed_out, 1u);
}

TEST(ServerLimits, close_a_client_that_has_nothing_more_to_ask) {
    const WireServer server({.idle_timeout = milliseconds(100)});
    HttpClient client(server.port());

    EXPECT_EQ(client.post(kEchoA).body, kAnswerA);

    client.wait_for_end();
    EXPECT_EQ(server.server.counters().timed_out, 1u);
}

TEST(ServerLimits, close_a_client_that_does_not_read_its_response) {
    const WireServer server({.write_timeout = milliseconds(200)});
    HttpClient client(server.port());

    client.send(post_text(call_text("test_bytes", "[20000000]")));

    server.wait_until([](const auto& counters) { return counters.timed_out == 1; });
    server.wait_until([](const auto& counters) { return counters.buffered_bytes == 0; });
    EXPECT_EQ(HttpClient(server.port()).post(kEchoA).body, kAnswerA);
}

TEST(ServerLimits, do_not_count_the_time_of_a_call_as_idle) {
    TestClock clock;
    WireServer server({.io_threads = 1,
                       .idle_timeout = milliseconds(60),
                       .read_timeout = milliseconds(60),
                       .write_timeout = milliseconds(60),
                       .now = TestClock::now});
    HttpClient idle(server.port());
    HttpClient client(server.port());

    client.send(post_text(call_text("test_wait")));
    server.methods.gate.wait_for_arrivals(1);
    EXPECT_TRUE(server.times_out(clock, 1));
    idle.wait_for_end();
    server.methods.gate.open();

    EXPECT_EQ(client.receive().body, result_text(R"("waited")"));
}

TEST(ServerLimits, refuse_heavy_calls_when_all_workers_and_the_queue_are_taken) {
    WireServer server({.worker_threads = 1, .max_queued_requests = 1});
    HttpClient running(server.port());
    HttpClient queued(server.port());
    HttpClient refused(server.port());
    running.send(post_text(call_text("test_wait")));
    server.methods.gate.wait_for_arrivals(1);
    queued.send(post_text(call_text("test_wait")));
    server.wait_until([](const auto& counters) { return counters.queued_requests == 1; });

    EXPECT_EQ(refused.post(call_text("test_wait")).body,
              R"({"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"server is busy"}})");
    EXPECT_EQ(refused.post(kEchoA).body, kAnswerA);

    server.methods.gate.open();
    EXPECT_EQ(running.receive().body, result_text(R"("waited")"));
    EXPECT_EQ(queued.receive().body, result_text(R"("waited")"));
    EXPECT_EQ(server.server.counters().refused_requests, 1u);
}

TEST(ServerLimits, end_calls_that_wait_for_a_worker_for_too_long) {
    WireServer server({.worker_threads = 1, .call_timeout = milliseconds(50)});
    HttpClient running(server.port());
    HttpClient queued(server.port());
    running.send(post_text(call_text("test_wait")));
    server.methods.gate.wait_for_arrivals(1);

    queued.send(post_text(call_text("test_wait")));
    server.wait_until([](const auto& counters) { return counters.queued_requests == 1; });
    std::this_thread::sleep_for(milliseconds(100));
    server.methods.gate.open();

    EXPECT_THAT(queued.receive().body, HasSubstr("request timed out"));
    EXPECT_EQ(server.methods.gate.arrivals(), 1u);
}

TEST(ServerLimits, answer_light_calls_while_all_workers_are_taken) {
    WireServer server({.io_threads = 1, .worker_threads = 2});
    HttpClient first(server.port());
    HttpClient second(server.port());
    first.send(post_text(call_text("test_wait")));
    second.send(post_text(call_text("test_wait")));
    server.methods.gate.wait_for_arrivals(2);

    HttpClient light(server.port());
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(light.post(kEchoA).body, kAnswerA);
    server.methods.gate.open();
}

TEST(ServerLimits, answer_heavy_calls_while_others_only_wait) {
    WireServer server({.worker_threads = 1});
    HttpClient sleeping(server.port());
    WebSocketClient also_sleeping(server.port());
    sleeping.send(post_text(call_text("test_sleep")));
    also_sleeping.send(call_text("test_sleep"));
    server.methods.gate.wait_for_arrivals(2);

    HttpClient heavy(server.port());
    EXPECT_EQ(heavy.post(call_text("test_echoHeavy", R"(["a"])")).body, kAnswerA);
    server.methods.gate.open();
    EXPECT_EQ(sleeping.receive().body, result_text(R"("slept")"));
    EXPECT_EQ(also_sleeping.receive(), result_text(R"("slept")"));
}

TEST(ServerLimits, count_waiting_in_a_batch_as_work) {
    WireServer server({.worker_threads = 1, .max_queued_requests = 1});
    HttpClient first(server.port());
    HttpClient second(server.port());
    first.send(post_text("[" + call_text("test_sleep") + "]"));
    server.methods.gate.wait_for_arrivals(1);
    second.send(post_text("[" + call_text("test_sleep") + "]"));
    server.wait_until([](const auto& counters) { return counters.queued_requests == 1; });

    HttpClient heavy(server.port());
    EXPECT_THAT(heavy.post(call_text("test_echoHeavy", R"(["a"])")).body,
                HasSubstr("server is busy"));
    server.methods.gate.open();
}

TEST(ServerLimits, bound_the_memory_of_all_large_requests_together) {
    // All come from one address, which may have half of it.
    const WireServer server({.max_buffered_bytes = 2 << 20});
    HttpClient holding(server.port());
    HttpClient refused(server.port());
    HttpClient small(server.port());
    const std::string large = kEchoA + std::string(800'000, ' ');
    const std::string text = post_text(large);

    holding.send(std::string_view(text).substr(0, text.size() - 1));
    server.wait_until([](const auto& counters) { return counters.buffered_bytes > 750'000; });
    EXPECT_EQ(refused.post(large).status, 503u);
    EXPECT_EQ(small.post(kEchoA).body, kAnswerA);
    holding.send(" ");
    EXPECT_EQ(holding.receive().body, kAnswerA);

    server.wait_until([](const auto& counters) { return counters.buffered_bytes == 0; });
    EXPECT_EQ(holding.post(large).body, kAnswerA);
}

TEST(ServerLimits, bound_the_memory_of_large_responses) {
    const WireServer server({.max_buffered_bytes = 1 << 20});
    HttpClient client(server.port());

    EXPECT_THAT(client.post(call_text("test_bytes", "[2000000]")).body,
                HasSubstr("server is busy"));
    EXPECT_EQ(client.post(call_text("test_bytes", "[500000]")).body.size(),
              500'000 + result_text(R"("")").size());
    EXPECT_EQ(client.post(kEchoA).body, kAnswerA);
}

TEST(ServerLimits, survive_clients_that_leave_at_any_moment) {
    WireServer server({.worker_threads = 1});
    const std::string text = post_text(call_text("test_wait"));
    for (std::size_t size = 0; size < text.size(); size += 7)
        HttpClient(server.port()).send(std::string_view(text).substr(0, size));
    HttpClient(server.port()).send(text);
    server.methods.gate.wait_for_arrivals(1);
    server.methods.gate.open();

    EXPECT_EQ(HttpClient(server.port()).post(kEchoA).body, kAnswerA);
    server.wait_until([](const auto& counters) { return counters.connections == 0; });
}

TEST(ServerStop, answers_what_is_being_answered) {
    WireServer server;
    HttpClient busy(server.port());
    HttpClient idle(server.port());
    HttpClient half(server.port());
    EXPECT_EQ(idle.post(kEchoA).body, kAnswerA);
    half.send("POST / HTTP/1.1\r\n");
    busy.send(post_text(call_text("test_wait")));
    server.methods.gate.wait_for_arrivals(1);

    std::thread stopping([&] { server.server.stop(); });
    idle.wait_for_end();
    half.wait_for_end();
    server.methods.gate.open();

    const HttpResponse response = busy.receive();
    EXPECT_EQ(response.body, result_text(R"("waited")"));
    EXPECT_EQ(response.header("connection"), "close");
    stopping.join();
    EXPECT_ANY_THROW(HttpClient(server.port()));
}

TEST(ServerStop, closes_clients_that_keep_it_waiting) {
    WireServer server({.drain_timeout = milliseconds(50)});
    HttpClient client(server.port());
    client.send(post_text(call_text("test_wait")));
    server.methods.gate.wait_for_arrivals(1);

    std::thread stopping([&] { server.server.stop(); });
    client.wait_for_end();
    server.methods.gate.open();
    stopping.join();

    EXPECT_EQ(server.server.counters().queued_requests, 0u);
}

TEST(ServerStop, drops_calls_that_no_worker_has_begun) {
    WireServer server({.worker_threads = 1, .drain_timeout = milliseconds(50)});
    std::vector<HttpClient> clients;
    for (int i = 0; i < 5; ++i) {
        clients.emplace_back(server.port());
        clients.back().send(post_text(call_text("test_wait")));
    }
    server.wait_until([](const auto& counters) { return counters.queued_requests == 4; });
    server.methods.gate.wait_for_arrivals(1);

    std::thread stopping([&] { server.server.stop(); });
    for (HttpClient& client : clients)
        client.wait_for_end();
    // Stopping has dropped the queue once the one that runs is all it waits for.
    server.wait_until([](const auto& counters) { return counters.queued_requests == 0; });
    server.methods.gate.open();
    stopping.join();

    EXPECT_EQ(server.methods.gate.arrivals(), 1u);
}

TEST(ServerStop, may_come_twice_and_from_several_threads) {
    WireServer server;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] { server.server.stop(); });
    for (std::thread& thread : threads)
        thread.join();
    server.server.stop();

    EXPECT_ANY_THROW(HttpClient(server.port()));
}

TEST(ServerStop, is_safe_while_clients_hammer) {
    WireServer server({.io_threads = 2, .drain_timeout = milliseconds(500)});
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([port = server.port(), i] {
            try {
                while (true) {
                    HttpClient client(port);
                    for (int j = 0; j < 20; ++j)
                        (void)client.post(
                            call_text(i % 2 == 0 ? "test_echo" : "test_echoHeavy", R"(["a"])"));
                }
            } catch (const std::exception&) {
                return;  // the server is gone
            }
        });
    server.wait_until([](const auto& counters) { return counters.requests > 500; });

    server.server.stop();
    for (std::thread& thread : threads)
        thread.join();

    EXPECT_EQ(server.server.counters().connections, 0u);
}

}  // namespace
}  // namespace heddle::node::rpc
