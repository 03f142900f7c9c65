// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What an HTTP client gets, over real sockets.
#include "rpc/transport/server.hpp"

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jwt_tokens.hpp"
#include "program/error.hpp"
#include "wire_clients.hpp"

namespace heddle::node::rpc {
namespace {

using testing::HasSubstr;

const std::string kEchoA = call_text("test_echo", R"(["a"])");

template <typename Action>
std::string error_of(Action&& action) {
    try {
        action();
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

TEST(Server, answers_a_call) {
    const WireServer server;
    HttpClient client(server.port());

    const HttpResponse response = client.post(kEchoA);

    EXPECT_EQ(response.status, 200u);
    EXPECT_EQ(response.header("content-type"), "application/json");
    EXPECT_EQ(response.body, result_text(R"("a")"));
}

TEST(Server, answers_many_calls_of_a_connection_one_after_another) {
    const WireServer server;
    HttpClient client(server.port());

    for (int i = 0; i < 200; ++i) {
        const std::string text = '"' + std::to_string(i) + '"';
        const char* method = i % 3 == 0 ? "test_echoHeavy" : "test_echo";
        EXPECT_EQ(client.post(call_text(method, "[" + text + "]")).body, result_text(text));
    }
    EXPECT_EQ(server.server.counters().accepted, 1u);
    EXPECT_EQ(server.server.counters().requests, 200u);
}

TEST(Server, answers_requests_that_come_in_one_piece_in_their_order) {
    const WireServer server;
    HttpClient client(server.port());
    std::string text;
    for (int i = 0; i < 100; ++i)
        text += post_text(call_text(i % 2 == 0 ? "test_echo" : "test_echoHeavy",
                                    "[\"" + std::to_string(i) + "\"]"));

    client.send(text);

    for (int i = 0; i < 100; ++i)
        EXPECT_EQ(client.receive().body, result_text('"' + std::to_string(i) + '"'));
}

TEST(Server, answers_a_request_that_comes_byte_by_byte) {
    const WireServer server;
    HttpClient client(server.port());

    for (const char c : post_text(kEchoA))
        client.send({&c, 1});

    EXPECT_EQ(client.receive().body, result_text(R"("a")"));
}

TEST(Server, answers_a_request_in_chunks) {
    const WireServer server;
    HttpClient client(server.port());
    const std::string head = kEchoA.substr(0, 16);
    const std::string rest = kEchoA.substr(16);

    client.send(
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\n\r\n" +
        fmt::format("{:x}\r\n{}\r\n{:x}\r\n{}\r\n0\r\n\r\n", head.size(), head, rest.size(), rest));

    EXPECT_EQ(client.receive().body, result_text(R"("a")"));
}

TEST(Server, answers_a_batch_and_tells_nothing_to_a_notification) {
    const WireServer server;
    HttpClient client(server.port());

    EXPECT_EQ(client.post("[" + kEchoA + "," + kEchoA + "]").body,
              "[" + result_text(R"("a")") + "," + result_text(R"("a")") + "]");
    const HttpResponse silence = client.post(R"({"jsonrpc":"2.0","method":"test_nothing"})");
    EXPECT_EQ(silence.status, 200u);
    EXPECT_EQ(silence.body, "");
    EXPECT_EQ(client.post("").body, "");
}

TEST(Server, answers_malformed_and_deeply_nested_json_with_an_error) {
    const WireServer server;
    HttpClient client(server.port());

    EXPECT_THAT(client.post("{").body, HasSubstr(R"("code":-32700)"));
    EXPECT_THAT(client.post(std::string(1 << 20, '[')).body, HasSubstr("nested too deeply"));
    EXPECT_EQ(client.post(kEchoA).body, result_text(R"("a")"));
}

TEST(Server, sends_large_responses) {
    const WireServer server;
    HttpClient client(server.port());

    const HttpResponse response = client.post(call_text("test_bytes", "[20000000]"));

    EXPECT_EQ(response.body.size(), 20'000'000 + result_text(R"("")").size());
    EXPECT_EQ(client.post(kEchoA).body, result_text(R"("a")"));
}

TEST(Server, refuses_a_body_that_is_too_large) {
    const WireServer server({.max_request_bytes = 1'000});
    HttpClient announced(server.port());
    HttpClient chunked(server.port());
    HttpClient allowed(server.port());

    EXPECT_EQ(announced.post(std::string(1'001, ' ')).status, 413u);
    announced.wait_for_end();
    chunked.send(
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\n\r\n800\r\n" +
        std::string(0x800, ' '));
    EXPECT_EQ(chunked.receive().status, 413u);
    chunked.wait_for_end();
    EXPECT_EQ(allowed.post(kEchoA + std::string(1'000 - kEchoA.size(), ' ')).status, 200u);
}

TEST(Server, says_so_before_a_large_body_is_sent) {
    const WireServer server({.max_request_bytes = 1'000});
    const auto head = [](std::size_t length, const std::string& version = "1.1") {
        return "POST / HTTP/" + version +
               "\r\nHost: localhost\r\nContent-Type: application/json\r\n"
               "Expect: 100-continue\r\nContent-Length: " +
               std::to_string(length) + "\r\n\r\n";
    };
    HttpClient large(server.port());
    HttpClient small(server.port());
    HttpClient old(server.port());  // knows no such responses (RFC 9110, 10.1.1)
    old.send(head(kEchoA.size(), "1.0"));

    large.send(head(5'000));
    EXPECT_EQ(large.receive().status, 413u);
    small.send(head(kEchoA.size()));
    EXPECT_EQ(small.receive(false).status, 100u);
    small.send(kEchoA);
    EXPECT_EQ(small.receive().body, result_text(R"("a")"));
    old.send(kEchoA);
    EXPECT_EQ(old.receive().body, result_text(R"("a")"));
}

TEST(Server, refuses_what_is_not_http) {
    const WireServer server;

    for (const std::string text :
         {"hello\r\n\r\n", "POST / HTTP/9.9\r\n\r\n", "\x16\x03\x01\x02\x01\x01\r\n\r\n",
          "POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
          "POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n"}) {
        HttpClient client(server.port());
        client.send(text);
        EXPECT_EQ(client.receive().status, 400u) << text;
        client.wait_for_end();
    }
    HttpClient client(server.port());
    client.send("GET / HTTP/1.1\r\nLong: " + std::string(20'000, 'x'));
    EXPECT_EQ(client.receive().status, 431u);
    EXPECT_EQ(server.server.counters().rejected_requests, 6u);
}

TEST(Server, refuses_other_content_and_other_methods) {
    const WireServer server;
    HttpClient client(server.port());

    client.send(
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
        "Content-Length: 2\r\n\r\n{}");
    EXPECT_EQ(client.receive().status, 415u);
    client.send("PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
    const HttpResponse response = client.receive();
    EXPECT_EQ(response.status, 405u);
    EXPECT_EQ(response.header("allow"), "GET, HEAD, POST, OPTIONS");
}

TEST(Server, keeps_to_what_the_client_says_of_the_connection) {
    const WireServer server;
    HttpClient closing(server.port());
    HttpClient old(server.port());

    EXPECT_EQ(closing.post(kEchoA, "Connection: close\r\n").header("connection"), "close");
    closing.wait_for_end();
    const std::string request =
        "POST / HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: " +
        std::to_string(kEchoA.size()) + "\r\n";
    old.send(request + "Connection: keep-alive\r\n\r\n" + kEchoA);
    EXPECT_EQ(old.receive().header("connection"), "keep-alive");
    old.send(request + "\r\n" + kEchoA);
    EXPECT_EQ(old.receive().body, result_text(R"("a")"));
    old.wait_for_end();
}

TEST(Server, serves_the_pages_that_it_is_given) {
    const WireServer server(
        {}, {{"/health", {[] { return Page{.content_type = "text/plain", .body = "ready"}; }}},
             {"/busy",
              {[] { return Page{.status = 503, .content_type = "text/plain", .body = "no"}; }}},
             {"/broken", {[]() -> Page { throw std::runtime_error("secret"); }}}});
    HttpClient client(server.port());

    const HttpResponse health = client.get("/health?verbose=1");
    EXPECT_EQ(health.status, 200u);
    EXPECT_EQ(health.header("content-type"), "text/plain");
    EXPECT_EQ(health.body, "ready");
    EXPECT_EQ(client.get("/busy").status, 503u);
    EXPECT_EQ(client.get("/").status, 404u);
    const HttpResponse broken = client.get("/broken");
    EXPECT_EQ(broken.status, 500u);
    EXPECT_EQ(broken.body, "internal error\n");
    client.send("HEAD /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(client.receive(false).header("content-length"), "5");
    EXPECT_EQ(client.get("/health").body, "ready");
}

TEST(Server, sends_a_page_again_only_to_who_has_another_copy) {
    const WireServer server({}, {{"/", {[] {
                                      return Page{.content_type = "text/html",
                                                  .body = "<p>",
                                                  .headers = "X-Policy: strict\r\n",
                                                  .etag = "\"a1\""};
                                  }}}});
    HttpClient client(server.port());
    const auto get = [&](const std::string& more, const std::string& method = "GET") {
        client.send(method + " / HTTP/1.1\r\nHost: localhost\r\n" + more + "\r\n");
        return client.receive(method == "GET" && more.find("a1") == std::string::npos);
    };

    const HttpResponse first = get("");
    EXPECT_EQ(first.header("etag"), "\"a1\"");
    EXPECT_EQ(first.header("cache-control"), "no-cache");
    EXPECT_EQ(first.header("x-policy"), "strict");
    EXPECT_EQ(first.body, "<p>");
    EXPECT_EQ(get("", "HEAD").header("x-policy"), "strict");
    EXPECT_EQ(get("If-None-Match: \"b2\"\r\n").body, "<p>");
    const HttpResponse again = get("If-None-Match: W/\"a1\", \"b2\"\r\n");
    EXPECT_EQ(again.status, 304u);
    EXPECT_EQ(again.header("x-policy"), "strict");
    EXPECT_EQ(again.body, "");
    EXPECT_EQ(get("").body, "<p>");
}

TEST(Server, lets_pages_of_allowed_origins_read) {
    const WireServer server({.allowed_origins = {"https://wallet.example"}});
    HttpClient client(server.port());
    const auto preflight = [&](const std::string& origin) {
        client.send("OPTIONS / HTTP/1.1\r\nHost: localhost\r\nOrigin: " + origin +
                    "\r\nAccess-Control-Request-Method: POST\r\n"
                    "Access-Control-Request-Headers: content-type\r\n\r\n");
        return client.receive();
    };

    const HttpResponse allowed = preflight("https://wallet.example");
    EXPECT_EQ(allowed.status, 204u);
    EXPECT_EQ(allowed.header("access-control-allow-origin"), "https://wallet.example");
    EXPECT_EQ(allowed.header("access-control-allow-headers"), "content-type");
    EXPECT_THAT(allowed.header("access-control-allow-methods"), HasSubstr("POST"));
    EXPECT_EQ(allowed.header("vary"), "Origin");
    EXPECT_EQ(client.post(kEchoA, "Origin: https://wallet.example\r\n")
                  .header("access-control-allow-origin"),
              "https://wallet.example");
    EXPECT_EQ(preflight("https://evil.example").header("access-control-allow-origin"), "");
    EXPECT_EQ(preflight("https://evil.example").header("access-control-allow-methods"), "");
    EXPECT_EQ(client.post(kEchoA, "Origin: https://evil.example\r\n")
                  .header("access-control-allow-origin"),
              "");
}

TEST(Server, lets_pages_of_this_machine_read_where_it_may) {
    const std::string page = "http://localhost:5173";
    const auto allowed_to = [&](const WireServer& server, const std::string& origin) {
        return HttpClient(server.port())
            .post(kEchoA, "Origin: " + origin + "\r\n")
            .header("access-control-allow-origin");
    };
    const WireServer open({.allows_local_pages = true});
    EXPECT_EQ(allowed_to(open, page), page);
    EXPECT_EQ(allowed_to(open, "http://127.0.0.1:80"), "http://127.0.0.1:80");
    EXPECT_EQ(allowed_to(open, "https://evil.example"), "");
    EXPECT_EQ(allowed_to(open, "null"), "");
    HttpClient client(open.port());
    client.send("OPTIONS / HTTP/1.1\r\nHost: localhost\r\nOrigin: " + page +
                "\r\nAccess-Control-Request-Method: POST\r\n\r\n");
    EXPECT_THAT(client.receive().header("access-control-allow-methods"), HasSubstr("POST"));

    const WireServer closed;
    EXPECT_EQ(allowed_to(closed, page), "");
}

TEST(Server, refuses_requests_for_another_host) {
    const WireServer server({}, {{"/health", {[] { return Page{}; }}}});
    HttpClient client(server.port());
    const auto status_of = [&](const std::string& host) {
        client.send("GET /health HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
        return client.receive().status;
    };

    EXPECT_EQ(status_of("localhost:8545"), 200u);
    EXPECT_EQ(status_of("127.0.0.1"), 200u);
    EXPECT_EQ(status_of("evil.example"), 403u);
}

TEST(Server, answers_authenticated_methods_with_a_valid_token_only) {
    const Bytes secret(32, 7);
    const WireServer server({.jwt_secret = secret});
    HttpClient client(server.port());
    const auto now = std::chrono::duration_cast<std::chrono::seconds>(
                         std::chrono::system_clock::now().time_since_epoch())
                         .count();
    const auto ask_with = [&](const std::string& token) {
        return client.post(call_text("test_admin"), "Authorization: Bearer " + token + "\r\n");
    };
    const std::string valid = make_token(R"({"iat":)" + std::to_string(now) + "}", secret);
    const std::string stale = make_token(R"({"iat":)" + std::to_string(now - 3'600) + "}", secret);
    const std::string foreign = make_token(R"({"iat":)" + std::to_string(now) + "}", Bytes(32, 8));

    EXPECT_THAT(client.post(call_text("test_admin")).body, HasSubstr("does not exist"));
    EXPECT_EQ(ask_with(valid).body, result_text(R"("admin")"));
    EXPECT_EQ(ask_with(stale).status, 401u);
    EXPECT_EQ(ask_with(stale).body, "stale token\n");
    EXPECT_EQ(ask_with(foreign).body, "signature is invalid\n");
    EXPECT_THAT(client.post(call_text("test_admin")).body, HasSubstr("does not exist"));
}

TEST(Server, ignores_tokens_when_it_has_no_secret) {
    const WireServer server;
    HttpClient client(server.port());

    EXPECT_THAT(client.post(call_text("test_admin"), "Authorization: Bearer a.b.c\r\n").body,
                HasSubstr("does not exist"));
}

TEST(Server, says_in_one_sentence_why_it_cannot_listen) {
    const WireServer first;
    const auto error_for = [&first](ServerOptions options) {
        return error_of([&] { Server(first.responder, std::move(options)).start(); });
    };
    const std::string port = std::to_string(first.port());

    EXPECT_EQ(error_for({.port = first.port()}),
              "cannot listen on 127.0.0.1:" + port +
                  ": the address is in use; stop what listens there or choose another port with "
                  "--rpc-port");
    EXPECT_THAT(error_for({.address = "localhost"}), HasSubstr("'localhost' is not an IP address"));
    EXPECT_THAT(error_for({.address = "192.0.2.1"}), HasSubstr("this machine has no such address"));
    EXPECT_THAT(error_for({.jwt_secret = Bytes(31)}), HasSubstr("31 bytes"));
    EXPECT_THAT(error_for({.io_threads = 0}), HasSubstr("at least one thread"));
}

TEST(Server, can_take_its_port_again_at_once) {
    WireMethods methods;
    const Responder responder(methods.table);
    std::uint16_t port = 0;

    for (int i = 0; i < 3; ++i) {
        Server server(responder, {.port = port});
        server.start();
        port = server.port();
        EXPECT_EQ(HttpClient(port).post(kEchoA).body, result_text(R"("a")"));
        server.stop();
    }
}

TEST(Server, answers_many_clients_at_once) {
    constexpr int kClients = 8;
    constexpr int kCalls = 200;
    const WireServer server({.io_threads = 3});
    std::vector<std::thread> threads;
    std::vector<int> answered(kClients);

    for (int i = 0; i < kClients; ++i)
        threads.emplace_back([&, i] {
            HttpClient client(server.port());
            for (int j = 0; j < kCalls; ++j) {
                const std::string text = '"' + std::to_string(i * kCalls + j) + '"';
                const char* method = j % 4 == 0 ? "test_echoHeavy" : "test_echo";
                const auto body = client.post(call_text(method, "[" + text + "]")).body;
                answered[static_cast<std::size_t>(i)] += body == result_text(text);
            }
        });
    for (std::thread& thread : threads)
        thread.join();

    EXPECT_THAT(answered, testing::Each(kCalls));
}

TEST(Server, calls_that_are_ready_at_once_are_done_together) {
    WireServer server({.io_threads = 1});
    HttpClient holding(server.port());
    std::vector<HttpClient> clients;
    for (int i = 0; i < 5; ++i) {
        clients.emplace_back(server.port());
        EXPECT_EQ(clients.back().post(kEchoA).status, 200u);
    }
    holding.send(post_text(call_text("test_hold")));
    server.methods.gate.wait_for_arrivals(1);
    for (std::size_t i = 0; i < clients.size(); ++i)
        clients[i].send(
            post_text(call_text("test_once", i == 3 ? "[]" : "[\"" + std::to_string(i) + "\"]")));

    server.methods.gate.open();

    EXPECT_EQ(holding.receive().body, result_text(R"("held")"));
    for (std::size_t i = 0; i < clients.size(); ++i) {
        const std::string body = clients[i].receive().body;
        if (i == 3)
            EXPECT_THAT(body, HasSubstr("missing value for required argument 0"));
        else
            EXPECT_EQ(body, result_text('"' + std::to_string(i) + '"'));
    }
    EXPECT_THAT(server.methods.once.groups(), testing::ElementsAre(4));
}

TEST(Server, a_call_that_is_alone_waits_for_nobody) {
    WireServer server({.io_threads = 1});
    HttpClient client(server.port());

    for (int i = 0; i < 20; ++i) {
        const std::string text = '"' + std::to_string(i) + '"';
        EXPECT_EQ(client.post(call_text("test_once", "[" + text + "]")).body, result_text(text));
    }

    EXPECT_THAT(server.methods.once.groups(), testing::Each(1u));
}

TEST(Server, a_client_that_left_does_not_keep_others_from_sharing) {
    WireServer server({.io_threads = 1});
    HttpClient holding(server.port());
    auto leaving = std::make_unique<HttpClient>(server.port());
    HttpClient staying(server.port());
    EXPECT_EQ(leaving->post(kEchoA).status, 200u);
    EXPECT_EQ(staying.post(kEchoA).status, 200u);
    holding.send(post_text(call_text("test_hold")));
    server.methods.gate.wait_for_arrivals(1);
    leaving->send(post_text(call_text("test_once", R"(["a"])")));
    staying.send(post_text(call_text("test_once", R"(["b"])")));
    leaving.reset();

    server.methods.gate.open();

    EXPECT_EQ(staying.receive().body, result_text(R"("b")"));
}

TEST(Server, many_clients_share_work_and_each_gets_its_answer) {
    constexpr int kClients = 8;
    constexpr int kCalls = 100;
    WireServer server({.io_threads = 2});
    std::vector<std::thread> threads;
    std::vector<int> answered(kClients);

    for (int i = 0; i < kClients; ++i)
        threads.emplace_back([&, i] {
            HttpClient client(server.port());
            for (int j = 0; j < kCalls; ++j) {
                const std::string text = '"' + std::to_string(i * kCalls + j) + '"';
                const auto body = client.post(call_text("test_once", "[" + text + "]")).body;
                answered[static_cast<std::size_t>(i)] += body == result_text(text);
            }
        });
    for (std::thread& thread : threads)
        thread.join();

    EXPECT_THAT(answered, testing::Each(kCalls));
}

}  // namespace
}  // namespace heddle::node::rpc
