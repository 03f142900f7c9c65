// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/transport/server.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jwt_tokens.hpp"
#include "wire_clients.hpp"

namespace heddle::node::rpc {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

const std::string kEchoA = call_text("test_echo", R"(["a"])");
const std::string kAnswerA = result_text(R"("a")");
constexpr unsigned kGoingAway = 1001;
constexpr unsigned kTooBig = 1009;

TEST(WebSocket, answers_calls_and_batches) {
    const WireServer server;
    WebSocketClient client(server.port());

    for (int i = 0; i < 100; ++i) {
        client.send(kEchoA);
        EXPECT_EQ(client.receive(), kAnswerA);
    }
    client.send("[" + kEchoA + "," + kEchoA + "]");
    EXPECT_EQ(client.receive(), "[" + kAnswerA + "," + kAnswerA + "]");
    client.send("{");
    EXPECT_THAT(client.receive(), HasSubstr("parse error"));
    client.send("");
    EXPECT_THAT(client.receive(), HasSubstr("parse error"));
    client.close();
    server.wait_until([](const auto& counters) { return counters.websockets == 0; });
}

TEST(WebSocket, answers_a_message_in_several_frames) {
    const WireServer server;
    WebSocketClient client(server.port());

    client.send_part(kEchoA.substr(0, 10));
    client.send_part(kEchoA.substr(10, 10));
    client.send(kEchoA.substr(20));

    EXPECT_EQ(client.receive(), kAnswerA);
}

TEST(WebSocket, answers_other_calls_while_a_heavy_one_runs) {
    WireServer server;
    WebSocketClient client(server.port());

    client.send(call_text("test_wait"));
    server.methods.gate.wait_for_arrivals(1);
    client.send(kEchoA);
    EXPECT_EQ(client.receive(), kAnswerA);
    server.methods.gate.open();

    EXPECT_EQ(client.receive(), result_text(R"("waited")"));
}

TEST(WebSocket, answers_all_of_many_messages_sent_at_once) {
    const WireServer server({.worker_threads = 2});
    WebSocketClient client(server.port());

    for (int i = 0; i < 300; ++i)
        client.send(i % 2 == 0 ? call_text("test_echoHeavy", R"(["a"])") : kEchoA);

    for (int i = 0; i < 300; ++i)
        EXPECT_EQ(client.receive(), kAnswerA);
}

TEST(WebSocket, sends_and_accepts_large_messages) {
    const WireServer server;
    WebSocketClient client(server.port());
    const std::string text(2'000'000, 'y');

    client.send(call_text("test_echo", "[\"" + text + "\"]"));
    EXPECT_EQ(client.receive(), result_text('"' + text + '"'));
    client.send(call_text("test_bytes", "[20000000]"));
    EXPECT_EQ(client.receive().size(), 20'000'000 + result_text(R"("")").size());
}

TEST(WebSocket, names_a_subscription_before_it_notifies) {
    const WireServer server;
    WebSocketClient client(server.port());

    client.send(call_text("test_subscribe"));

    EXPECT_EQ(client.receive(), result_text(R"("subscribed")"));
    EXPECT_EQ(client.receive(), R"("first notification")");
}

TEST(WebSocket, names_a_subscription_before_it_notifies_in_a_heavy_batch) {
    const WireServer server;
    WebSocketClient client(server.port());

    for (int i = 0; i < 50; ++i) {
        client.send("[" + call_text("test_subscribe") + "," +
                    call_text("test_echoHeavy", R"(["a"])") + "]");
        EXPECT_EQ(client.receive(), "[" + result_text(R"("subscribed")") + "," + kAnswerA + "]");
        EXPECT_EQ(client.receive(), R"("first notification")");
    }
}

TEST(WebSocket, delivers_notifications_of_other_threads_in_their_order) {
    constexpr int kCount = 2'000;
    WireServer server;
    WebSocketClient client(server.port());
    client.send(call_text("test_subscribe"));
    (void)client.receive();
    (void)client.receive();

    std::thread notifying([session = server.methods.subscribers.first()] {
        for (int i = 0; i < kCount; ++i)
            EXPECT_TRUE(session->send(std::to_string(i)));
    });

    for (int i = 0; i < kCount; ++i)
        EXPECT_EQ(client.receive(), std::to_string(i));
    notifying.join();
}

TEST(WebSocket, tells_a_session_that_its_client_left) {
    WireServer server;
    {
        WebSocketClient polite(server.port());
        polite.send(call_text("test_subscribe"));
        (void)polite.receive();
        polite.close();
    }
    server.methods.subscribers.wait_for_closed(1);
    {
        WebSocketClient rude(server.port());
        rude.send(call_text("test_subscribe"));
        (void)rude.receive();
    }
    server.methods.subscribers.wait_for_closed(2);

    EXPECT_FALSE(server.methods.subscribers.first()->send("1"));
    bool is_told = false;
    server.methods.subscribers.first()->on_close([&is_told] { is_told = true; });
    EXPECT_TRUE(is_told);
}

TEST(WebSocket, cuts_off_a_client_that_does_not_read_its_notifications) {
    WireServer server({.max_send_queue_bytes = 1 << 20});
    WebSocketClient client(server.port());
    client.send(call_text("test_subscribe"));
    (void)client.receive();
    const auto session = server.methods.subscribers.first();
    const std::string message(10'000, 'n');

    while (session->send(message)) {
    }

    server.methods.subscribers.wait_for_closed(1);
    const ServerCounters counters = server.server.counters();
    EXPECT_EQ(counters.cut_off, 1u);
    EXPECT_EQ(counters.buffered_bytes, 0u);
}

TEST(WebSocket, cuts_off_clients_for_which_there_is_no_memory) {
    WireServer server({.max_buffered_bytes = 1 << 20});
    WebSocketClient client(server.port());
    client.send(call_text("test_subscribe"));
    (void)client.receive();
    const auto session = server.methods.subscribers.first();

    while (session->send(std::string(10'000, 'n'))) {
    }

    server.methods.subscribers.wait_for_closed(1);
    EXPECT_EQ(HttpClient(server.port()).post(kEchoA).body, kAnswerA);
}

TEST(WebSocket, does_not_read_on_from_a_client_that_does_not_read) {
    // Of every answer the client reads nothing until it has asked for far more than the queue
    // holds; its questions wait in its own buffers and in ours.
    const WireServer server({.max_send_queue_bytes = 8 << 20});
    WebSocketClient client(server.port());
    constexpr int kCalls = 60;

    std::thread asking([&] {
        for (int i = 0; i < kCalls; ++i)
            client.send(call_text("test_bytes", "[500000]"));
    });
    asking.join();
    for (int i = 0; i < kCalls; ++i)
        EXPECT_EQ(client.receive().size(), 500'000 + result_text(R"("")").size());

    EXPECT_EQ(server.server.counters().cut_off, 0u);
}

TEST(WebSocket, closes_a_client_that_stopped_reading) {
    const WireServer server({.write_timeout = milliseconds(100)});
    WebSocketClient client(server.port());

    client.send(call_text("test_bytes", "[20000000]"));

    server.wait_until([](const auto& counters) { return counters.websockets == 0; });
    EXPECT_EQ(server.server.counters().timed_out, 1u);
}

TEST(WebSocket, closes_a_client_that_does_not_finish_its_message) {
    const WireServer server({.read_timeout = milliseconds(100)});
    WebSocketClient client(server.port());

    client.send_part("{");

    client.wait_for_end();
    EXPECT_EQ(server.server.counters().timed_out, 1u);
}

TEST(WebSocket, closes_a_client_that_does_not_answer_pings) {
    const WireServer server({.idle_timeout = milliseconds(200)});
    WebSocketClient client(server.port());  // answers while it reads only

    server.wait_until([](const auto& counters) { return counters.websockets == 0; });
}

/// The longest time for which a thread that wanted to run for a moment did not.
class LongestPause {
public:
    [[nodiscard]] milliseconds so_far() const { return milliseconds(longest_ms_.load()); }

private:
    void watch(const std::stop_token& stop) {
        using Clock = std::chrono::steady_clock;
        for (auto last = Clock::now(); !stop.stop_requested();) {
            std::this_thread::sleep_for(milliseconds(1));
            const auto now = Clock::now();
            const auto passed = std::chrono::duration_cast<milliseconds>(now - last).count();
            longest_ms_ = std::max<std::int64_t>(longest_ms_, passed);
            last = now;
        }
    }

    std::atomic<std::int64_t> longest_ms_ = 0;
    std::jthread watcher_{[this](const std::stop_token& stop) { watch(stop); }};
};

/// What a client that does nothing but read is told after four idle timeouts; empty: its connection
/// was closed.
std::string told_after_pings(milliseconds idle_timeout) try {
    WireServer server({.idle_timeout = idle_timeout});
    WebSocketClient client(server.port());
    client.send(call_text("test_subscribe"));
    (void)client.receive();
    (void)client.receive();

    const std::jthread later([&, session = server.methods.subscribers.first()] {
        std::this_thread::sleep_for(4 * idle_timeout);
        (void)session->send("1");
    });
    return client.receive();
} catch (const std::exception&) {
    return {};
}

TEST(WebSocket, keeps_a_client_that_only_answers_pings) {
    constexpr milliseconds kIdle{200};
    // A process that does not run does not answer either: then it is tried again.
    for (;;) {
        const LongestPause pause;
        const std::string told = told_after_pings(kIdle);
        if (told.empty() && pause.so_far() > kIdle / 10) continue;
        EXPECT_EQ(told, "1");
        break;
    }
}

TEST(WebSocket, refuses_a_message_that_is_too_large) {
    const WireServer server({.max_request_bytes = 1'000});
    WebSocketClient client(server.port());

    client.send(kEchoA + std::string(1'000 - kEchoA.size(), ' '));
    EXPECT_EQ(client.receive(), kAnswerA);
    client.send(std::string(1'001, ' '));

    EXPECT_EQ(client.wait_for_end(), kTooBig);
}

TEST(WebSocket, is_refused_to_pages_of_other_origins) {
    const WireServer server;

    EXPECT_ANY_THROW(WebSocketClient(server.port(), "https://evil.example"));
    WebSocketClient client(server.port(), "http://localhost:3000");
    client.send(kEchoA);
    EXPECT_EQ(client.receive(), kAnswerA);
}

TEST(WebSocket, is_open_to_the_page_that_the_server_itself_shows) {
    const WireServer server;
    const std::string own = "127.0.0.1:" + std::to_string(server.port());
    const auto status_of = [&](const std::string& origin) {
        HttpClient client(server.port());
        client.send("GET / HTTP/1.1\r\nHost: " + own +
                    "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nOrigin: " + origin +
                    "\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
                    "Sec-WebSocket-Version: 13\r\n\r\n");
        return client.receive(false).status;
    };

    EXPECT_EQ(status_of("http://" + own), 101u);
    EXPECT_EQ(status_of("http://127.0.0.1:1"), 403u) << "another program's page";
    EXPECT_EQ(status_of("http://evil.example"), 403u);
}

TEST(WebSocket, authenticates_with_the_handshake) {
    const Bytes secret(32, 7);
    const WireServer server({.jwt_secret = secret});
    const auto now = std::chrono::duration_cast<std::chrono::seconds>(
        std::chrono::system_clock::now().time_since_epoch());
    const std::string claims = R"({"iat":)" + std::to_string(now.count()) + "}";

    WebSocketClient stranger(server.port());
    stranger.send(call_text("test_admin"));
    EXPECT_THAT(stranger.receive(), HasSubstr("does not exist"));
    WebSocketClient known(server.port(), "", make_token(claims, secret));
    known.send(call_text("test_admin"));
    EXPECT_EQ(known.receive(), result_text(R"("admin")"));
    EXPECT_ANY_THROW(WebSocketClient(server.port(), "", make_token(claims, Bytes(32, 8))));
}

TEST(WebSocket, refuses_heavy_calls_when_all_workers_and_the_queue_are_taken) {
    WireServer server({.worker_threads = 1, .max_queued_requests = 1});
    WebSocketClient client(server.port());
    client.send(call_text("test_wait"));
    server.methods.gate.wait_for_arrivals(1);
    client.send(call_text("test_wait"));
    server.wait_until([](const auto& counters) { return counters.queued_requests == 1; });

    client.send(call_text("test_wait"));
    EXPECT_THAT(client.receive(), HasSubstr("server is busy"));
    client.send("[" + call_text("test_wait") + "]");
    EXPECT_THAT(client.receive(), HasSubstr("server is busy"));
    client.send(call_text("test_subscribe"));
    EXPECT_EQ(client.receive(), result_text(R"("subscribed")"));
    EXPECT_EQ(client.receive(), R"("first notification")");

    server.methods.gate.open();
    EXPECT_EQ(client.receive(), result_text(R"("waited")"));
    EXPECT_EQ(client.receive(), result_text(R"("waited")"));
}

TEST(WebSocket, is_told_that_the_server_stops_after_its_answer) {
    WireServer server;
    WebSocketClient busy(server.port());
    WebSocketClient idle(server.port());
    idle.send(call_text("test_subscribe"));
    (void)idle.receive();
    busy.send(call_text("test_wait"));
    server.methods.gate.wait_for_arrivals(1);

    std::thread stopping([&] { server.server.stop(); });
    EXPECT_EQ(idle.wait_for_end(), kGoingAway);
    server.methods.gate.open();
    EXPECT_EQ(busy.receive(), result_text(R"("waited")"));
    EXPECT_EQ(busy.wait_for_end(), kGoingAway);
    stopping.join();

    EXPECT_FALSE(server.methods.subscribers.first()->send("1"));
}

TEST(WebSocket, leaves_sessions_harmless_after_the_server_is_gone) {
    WireMethods methods;
    const Responder responder(methods.table);
    auto server = std::make_unique<Server>(responder, ServerOptions{.port = 0});
    server->start();
    WebSocketClient client(server->port());
    client.send(call_text("test_subscribe"));
    (void)client.receive();

    std::thread reading([&] { client.wait_for_end(); });
    server.reset();
    reading.join();

    EXPECT_FALSE(methods.subscribers.first()->send("1"));
}

TEST(WebSocket, survives_notifications_while_clients_come_and_go) {
    WireServer server({.io_threads = 2});
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&server] {
            for (int j = 0; j < 20; ++j) {
                WebSocketClient client(server.port());
                client.send(call_text("test_subscribe"));
                EXPECT_EQ(client.receive(), result_text(R"("subscribed")"));
                const auto session = server.methods.subscribers.first();
                for (int k = 0; k < 20; ++k)
                    (void)session->send("1");
                if (j % 2 == 0) client.close();
            }
        });
    for (std::thread& thread : threads)
        thread.join();

    server.methods.subscribers.wait_for_closed(80);
    server.server.stop();
    EXPECT_EQ(server.server.counters().connections, 0u);
}

}  // namespace
}  // namespace heddle::node::rpc
