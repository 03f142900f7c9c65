// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "load/http_client.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_node.hpp"
#include "load/rpc_client.hpp"
#include "program/error.hpp"

namespace heddle::node::load {
namespace {

using testing::HasSubstr;

std::string error_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

TEST(Endpoint, has_host_port_and_path) {
    const Endpoint plain = parse_endpoint("http://localhost:8545");
    EXPECT_EQ(plain.host, "localhost");
    EXPECT_EQ(plain.port, 8545);
    EXPECT_EQ(plain.path, "/");

    const Endpoint with_path = parse_endpoint("http://10.0.0.1/rpc/v1");
    EXPECT_EQ(with_path.host, "10.0.0.1");
    EXPECT_EQ(with_path.port, 80);
    EXPECT_EQ(with_path.path, "/rpc/v1");

    const Endpoint ipv6 = parse_endpoint("http://[::1]:99");
    EXPECT_EQ(ipv6.host, "::1");
    EXPECT_EQ(ipv6.port, 99);
}

TEST(Endpoint, other_texts_are_refused) {
    for (const char* url : {"", "localhost:8545", "https://localhost", "http://", "http://:1",
                            "http://a:", "http://a:0", "http://a:65536", "http://a:1x"})
        EXPECT_THAT(error_of([&] { (void)parse_endpoint(url); }), HasSubstr("expected an address"))
            << url;
}

TEST(HttpClient, an_absent_server_is_named) {
    // Port 1 belongs to tcpmux, which nobody runs.
    EXPECT_THAT(error_of([] { const HttpClient client({"127.0.0.1", 1, "/"}, 1); }),
                HasSubstr("http://127.0.0.1:1: cannot connect"));
}

TEST(HttpClient, several_connections_wait_for_their_own_answers) {
    FakeNode node;
    node.on("double", [](const rpc::Call& call, JsonWriter& out) {
        out.number(2 * call.params.at(0).uint64());
    });
    node.start();
    HttpClient client{node.endpoint(), 3};
    std::vector<std::string> answers(3);

    for (std::size_t i = 0; i < 3; ++i)
        client.send(i, make_call(i, "double", "[" + std::to_string(i) + "]"),
                    [&answers, i](std::string_view body) { answers[i] = body; });
    client.run();

    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_THAT(answers[i], HasSubstr("\"result\":" + std::to_string(2 * i)));
}

TEST(HttpClient, what_was_closed_while_nothing_was_asked_is_connected_again) {
    using std::chrono::milliseconds;
    FakeNode node;
    node.on("name", [](const rpc::Call&, JsonWriter& out) { out.number(7); });
    rpc::ServerOptions impatient;
    impatient.idle_timeout = impatient.header_timeout = milliseconds(20);
    node.start(impatient);
    HttpClient client{node.endpoint(), 1};
    std::vector<std::string> answers;

    const auto ask = [&] {
        client.send(0, make_call(1, "name", "[]"),
                    [&](std::string_view body) { answers.emplace_back(body); });
    };
    client.after(milliseconds(1'500), ask);  // of a connection that was never used
    client.after(milliseconds(3'000), ask);  // and of one that was
    client.run();

    EXPECT_THAT(answers, testing::ElementsAre(HasSubstr("7"), HasSubstr("7")));
}

TEST(HttpClient, connections_go_round_the_servers_and_the_last_one_is_the_first_server_s) {
    std::vector<FakeNode> nodes(2);
    std::vector<Endpoint> endpoints;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        nodes[i].on("name", [i](const rpc::Call&, JsonWriter& out) { out.number(i); });
        nodes[i].start();
        endpoints.push_back(nodes[i].endpoint());
    }
    HttpClient client{endpoints, 3};
    std::vector<std::string> answers(3);

    for (std::size_t i = 0; i < 3; ++i)
        client.send(i, make_call(i, "name", "[]"),
                    [&answers, i](std::string_view body) { answers[i] = body; });
    client.run();

    EXPECT_THAT(answers[0], HasSubstr("\"result\":0"));
    EXPECT_THAT(answers[1], HasSubstr("\"result\":1"));
    EXPECT_THAT(answers[2], HasSubstr("\"result\":0"));
}

TEST(RpcClient, asks_in_batches_and_gets_every_result) {
    FakeNode node;
    node.on("double", [](const rpc::Call& call, JsonWriter& out) {
        out.number(2 * call.params.at(0).uint64());
    });
    node.start();
    RpcClient rpc{node.endpoint()};
    std::vector<std::string> params;
    params.reserve(250);
    for (int i = 0; i < 250; ++i)
        params.push_back("[" + std::to_string(i) + "]");
    std::vector<std::uint64_t> results(params.size());

    rpc.call_all("double", params, [&](std::size_t index, const JsonView& result) {
        results[index] = result.uint64();
    });

    for (std::size_t i = 0; i < results.size(); ++i)
        EXPECT_EQ(results[i], 2 * i);
    EXPECT_EQ(rpc.call("double", "[21]").uint64(), 42U);
}

// From the definition of the limit in `rpc::ResponderLimits`: of each, and of a batch of them.
TEST(RpcClient, asks_again_for_what_an_answer_had_no_room_for) {
    constexpr std::size_t kLimit = 1'000;
    FakeNode node;
    node.on("repeat", [](const rpc::Call& call, JsonWriter& out) {
        out.string(std::string(call.params.at(0).uint64(), 'x'));
    });
    node.limit_answers(kLimit);
    node.start();
    RpcClient rpc{node.endpoint()};
    const std::vector<std::size_t> lengths{10, 600, 600, 600, 2'000, 10, 600, 2'000};
    std::vector<std::string> params;
    for (const std::size_t length : lengths)
        params.push_back("[" + std::to_string(length) + "]");
    std::vector<std::size_t> results(params.size());
    const auto take = [&](std::size_t index, const JsonView& result) {
        EXPECT_EQ(results[index], 0U) << "is answered once";
        results[index] = result.string().size();
    };

    EXPECT_THAT(rpc.call_each("repeat", params, take), testing::ElementsAre(4, 7));

    EXPECT_THAT(results, testing::ElementsAre(10, 600, 600, 600, 0, 10, 600, 0));
    EXPECT_EQ(error_of([&] { rpc.call_all("repeat", std::span{params}.last(1), take); }),
              "repeat: the node answered: response too large");
}

TEST(RpcClient, an_error_of_the_node_is_told) {
    FakeNode node;
    node.on("fail", [](const rpc::Call&, JsonWriter&) {
        throw rpc::RpcError(rpc::Code::server_error, "out of luck");
    });
    node.start();
    RpcClient rpc{node.endpoint()};

    EXPECT_EQ(error_of([&] { (void)rpc.call("fail", "[]"); }),
              "fail: the node answered: out of luck");
    const std::vector<std::string> params{"[]", "[]"};
    EXPECT_EQ(error_of([&] { rpc.call_all("fail", params, [](std::size_t, const JsonView&) {}); }),
              "fail: the node answered: out of luck");
}

}  // namespace
}  // namespace heddle::node::load
