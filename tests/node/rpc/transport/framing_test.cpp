// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Requests that two readers might understand in two ways.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rpc/transport/server.hpp"
#include "wire_clients.hpp"

namespace heddle::node::rpc {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::string_view kHost = "Host: localhost\r\n";
constexpr std::string_view kJson = "Content-Type: application/json\r\n";

class Framing : public testing::Test {
protected:
    [[nodiscard]] std::string answers(const std::string& text) const {
        HttpClient client(server_.port());
        client.send(text);
        return client.receive_all();
    }
    /// A POST with these fields, and what comes behind its head.
    [[nodiscard]] std::string answers_to(const std::string& fields, const std::string& rest,
                                         const std::string& version = "1.1") const {
        return answers("POST / HTTP/" + version + "\r\n" + std::string{kHost} + std::string{kJson} +
                       fields + "\r\n" + rest);
    }

    const WireServer server_{{}, {{"/health", {[] { return Page{.body = "ready"}; }}}}};
    const std::string hidden_ = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
};

TEST_F(Framing, a_body_whose_end_cannot_be_told_is_no_further_request) {
    const std::string length = "Content-Length: " + std::to_string(hidden_.size()) + "\r\n";
    for (const std::string encoding :
         {"chunked, identity", "gzip, chunked", "identity", "xchunked"}) {
        for (const std::string& more : {std::string{}, length}) {
            const std::string answer =
                answers_to("Transfer-Encoding: " + encoding + "\r\n" + more, hidden_);
            EXPECT_THAT(answer, Not(HasSubstr("ready"))) << encoding << more;
            EXPECT_THAT(answer, Not(HasSubstr("HTTP/1.1 200"))) << encoding << more;
        }
    }
    EXPECT_THAT(answers_to("Transfer-Encoding: chunked, identity\r\n", hidden_),
                StartsWith("HTTP/1.1 501"));
    EXPECT_THAT(answers_to("Transfer-Encoding: chunked\r\nConnection: keep-alive\r\n",
                           "0\r\n\r\n" + hidden_, "1.0"),
                Not(HasSubstr("ready")));
    EXPECT_THAT(answers_to("Transfer-Encoding: Chunked\r\nConnection: close\r\n", "0\r\n\r\n"),
                StartsWith("HTTP/1.1 200"));
}

TEST_F(Framing, a_request_for_two_hosts_is_refused) {
    const std::string answer =
        answers("GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n" + hidden_);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 400"));
    EXPECT_THAT(answer, Not(HasSubstr("ready")));
}

TEST_F(Framing, only_clients_of_http_1_0_may_name_no_host) {
    EXPECT_THAT(answers("GET /health HTTP/1.1\r\n\r\n" + hidden_), StartsWith("HTTP/1.1 400"));
    EXPECT_THAT(answers("GET http://localhost/health HTTP/1.1\r\n\r\n"),
                StartsWith("HTTP/1.1 400"));
    EXPECT_THAT(answers("GET /health HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n"),
                HasSubstr("ready"));
    EXPECT_THAT(answers("GET /health HTTP/1.0\r\n\r\n"), HasSubstr("ready"));
}

TEST_F(Framing, the_host_of_a_whole_url_counts) {
    HttpClient client(server_.port());
    const auto get = [&client](const std::string& url) {
        client.send("GET " + url + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
        return client.receive();
    };
    EXPECT_EQ(get("http://localhost:8545/health?x").body, "ready");
    EXPECT_EQ(get("http://evil.example/health").status, 403u);
    EXPECT_EQ(get("http://localhost").status, 404u);
    EXPECT_EQ(get("/health").body, "ready");
}

}  // namespace
}  // namespace heddle::node::rpc
