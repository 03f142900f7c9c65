// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A node that seals blocks while clients try to stop it. Each attack ends with an answer or a
// clear error to every request; meanwhile a well-behaved client is served, blocks go on, and
// memory stays within bounds; afterwards the node is as it was before.
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attacked_node.hpp"

namespace heddle::test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string repeat(std::string_view text, std::size_t count) {
    std::string result;
    result.reserve(text.size() * count);
    for (std::size_t i = 0; i < count; ++i)
        result += text;
    return result;
}

constexpr std::size_t kLargestRequest = std::size_t{5} << 20;  // rpc.max_request_kilobytes

/// Every request is answered by a response that says what is wrong, or by a result.
/// @param from  Number of the client, as Connection has it.
void expect_answers(const AttackedNode& node, const std::vector<std::string>& bodies,
                    std::uint8_t from = 1) {
    for (const std::string& body : bodies) {
        Connection connection{node.port(), from};
        EXPECT_TRUE(connection.send(post_request(body)));
        const std::string response = connection.receive_response();
        EXPECT_THAT(response, AnyOf(StartsWith("HTTP/1.1 200"), StartsWith("HTTP/1.1 413")))
            << body.substr(0, 200);
        if (!body.empty() && response.starts_with("HTTP/1.1 200"))
            EXPECT_THAT(body_of(response), AnyOf(HasSubstr(R"("error")"), HasSubstr(R"("result")")))
                << body.substr(0, 200);
    }
}

TEST(HostileInput, malformed_json_is_answered_with_errors) {
    AttackedNode node;
    const std::string call =
        rpc_body("eth_getBalance", R"(["0x00","latest",{"a":[1,2.5e3,null]}])");
    std::vector<std::string> bodies;
    for (std::size_t size = 0; size < call.size(); ++size)
        bodies.push_back(call.substr(0, size));
    const std::string zero(1, '\0');
    for (const std::string text :
         {"{", "[", "]", "nul", "\"", "{}", "[{}]", "[[]]", "[1,2]", "1e999999", "-", "\xff\xfe",
          "\"\\ud800\"", "{\"jsonrpc\":\"2.0\"}", "{\"id\":{},\"method\":[]}",
          "{\"method\":\"eth_chainId\",\"params\":\"0x\"}",
          "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"eth_chainId\"}"})
        bodies.push_back(text);
    bodies.push_back(zero + call);
    bodies.push_back(call + zero + call);
    expect_answers(node, bodies);
    node.wait_for_blocks(1);
    node.expect_unharmed();
}

TEST(HostileInput, deep_and_wide_json_is_answered_with_errors) {
    AttackedNode node;
    const auto params = [](const std::string& text) { return rpc_body("eth_call", text); };
    std::vector<std::string> bodies{
        repeat("[", 5'000'000),
        repeat(R"({"a":)", 1'000'000),
        repeat("[", 400'000) + repeat("]", 400'000),
        params(repeat("[", 2'000'000)),
        params(repeat("[", 200) + repeat("]", 200)),
        params(repeat(R"([{"a":)", 500'000) + "1" + repeat("}]", 500'000)),
        params("[" + repeat("1,", 2'500'000) + "1]"),
        params("[{" + repeat(R"("to":"0x",)", 400'000) + R"("to":"0x"}])"),
        params("[" + repeat("[],", 1'600'000) + "[]]"),
        params("[" + repeat("{},", 1'600'000) + "{}]"),
        params(R"([{"data":"0x)" + repeat("00", 2'500'000) + R"("},"latest"])"),
        params(R"([{"gas":"0x)" + repeat("f", 5'000'000) + R"("},"latest"])"),
        params("[" + repeat("9", 5'000'000) + "]"),
        params("[\"" + repeat(R"(\u0000)", 800'000) + "\"]"),
        rpc_body(repeat("a", 5'000'000)),
        R"({"jsonrpc":"2.0","method":"eth_chainId","id":")" + repeat("i", 5'000'000) + "\"}",
        R"({"jsonrpc":"2.0","method":"eth_chainId","id":)" + repeat("1", 5'000'000) + "}",
        rpc_body("eth_getLogs",
                 R"([{"address":[)" +
                     repeat(R"("0x0000000000000000000000000000000000000001",)", 100'000) +
                     R"("0x0000000000000000000000000000000000000001"],"fromBlock":"0x0"}])"),
        rpc_body("eth_feeHistory", R"(["0x400","latest",[)" + repeat("1,", 2'000'000) + "1]]"),
        rpc_body("eth_getStorageAt", R"(["0x0000000000000000000000000000000000000001","0x)" +
                                         repeat("1", 4'000'000) + R"(","latest"])"),
    };
    // Each has an address of its own: those of one address have half of what messages may take
    // together, and the fourth is refused while three do not read their answers, which have the
    // whole id in them.
    std::vector<std::thread> clients;
    for (std::uint8_t from = 1; from <= 4; ++from)
        clients.emplace_back([&, from] { expect_answers(node, bodies, from); });
    for (std::thread& client : clients)
        client.join();
    node.expect_unharmed();
}

TEST(HostileInput, batches_are_limited) {
    AttackedNode node;
    const auto batch = [](std::string_view body, std::size_t count) {
        std::string text = "[" + repeat(std::string{body} + ",", count);
        text.back() = ']';
        return text;
    };
    const std::string endless = call_of(kEndlessLoop);
    Connection connection{node.port()};
    const auto ask = [&](const std::string& body) {
        EXPECT_TRUE(connection.send(post_request(body)));
        return body_of(connection.receive_response());
    };
    const std::string whole = ask(batch(rpc_body("eth_chainId"), 1'000));
    EXPECT_EQ(count_of(whole, R"("result":"0x539")"), 1'000U);
    EXPECT_THAT(ask(batch(rpc_body("eth_chainId"), 1'001)), HasSubstr("batch too large"));
    EXPECT_THAT(ask(batch(rpc_body("eth_chainId"), 60'000)), HasSubstr("too many values"));
    EXPECT_THAT(ask(batch("1", 2'000'000)), HasSubstr("too many values"));
    // Time and size are those of the whole batch.
    EXPECT_THAT(ask(batch(endless, 1'000)), HasSubstr(R"("error")"));
    const std::string code = R"([{"data":"0x615dc05ff3"},"latest"])";  // returns 24,000 bytes
    EXPECT_THAT(ask(batch(rpc_body("eth_call", code), 1'000)), HasSubstr("response too large"));
    node.expect_unharmed();
}

TEST(HostileInput, bodies_beyond_the_limit_are_refused) {
    AttackedNode node;
    const std::string head =
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    const auto answer = [&](const std::string& bytes) {
        Connection connection{node.port()};
        connection.send(bytes);
        connection.finish_sending();
        return connection.receive_rest();
    };
    EXPECT_THAT(answer(head + "Content-Length: 5242881\r\n\r\n"), StartsWith("HTTP/1.1 413"));
    EXPECT_THAT(answer(head + "Content-Length: 9223372036854775807\r\n\r\n"),
                StartsWith("HTTP/1.1 413"));
    EXPECT_THAT(answer(head + "Content-Length: -1\r\n\r\n"), StartsWith("HTTP/1.1 400"));
    EXPECT_THAT(answer(post_request(repeat(" ", 2 * kLargestRequest))), StartsWith("HTTP/1.1 413"));
    const std::string chunk = "10000\r\n" + repeat(" ", 0x10000) + "\r\n";
    EXPECT_THAT(answer(head + "Transfer-Encoding: chunked\r\n\r\n" + repeat(chunk, 200)),
                StartsWith("HTTP/1.1 413"));
    EXPECT_THAT(answer("GET / HTTP/1.1\r\n" + repeat("X-Long: 0123456789\r\n", 10'000)),
                StartsWith("HTTP/1.1 431"));
    EXPECT_THAT(answer(repeat("\x16\x03\x01", 10'000)), StartsWith("HTTP/1.1 400"));
    // As large as may be.
    const std::string largest = repeat(" ", kLargestRequest - rpc_body("eth_chainId").size());
    Connection connection{node.port()};
    EXPECT_TRUE(connection.send(post_request(largest + rpc_body("eth_chainId"))));
    EXPECT_THAT(connection.receive_response(), HasSubstr("0x539"));
    node.expect_unharmed();
}

/// More than all 4,096 that are allowed. None sends a whole request.
TEST(HostileInput, thousands_of_slow_clients_cost_little) {
    AttackedNode node{
        {"--set", "rpc.read_timeout=4s", "--set", "rpc.max_connections_per_address=0"}};
    std::vector<Connection> connections = open_many(node.port(), 4'500);
    ASSERT_EQ(connections.size(), 4'500U);
    const std::string large = post_request(repeat(" ", kLargestRequest));
    std::size_t sent = 0;
    for (std::size_t i = 0; i < connections.size(); ++i) {
        // Some dribble, some promise much and send a part, one just below what is free of charge.
        const std::size_t size = i % 3 == 0 ? 20 : i % 3 == 1 ? 60'000 : 400'000;
        sent += connections[i].send_at_once(std::string_view{large}.substr(0, size));
    }
    std::cout << "sent " << (sent >> 20) << " MiB of unfinished requests\n" << std::flush;
    node.wait_for_blocks(4);
    for (Connection& connection : connections)
        connection.send_at_once("x");
    // Each is closed by the node, most with a reason.
    std::size_t reasons = 0;
    for (Connection& connection : connections)
        if (connection.receive_rest().starts_with("HTTP/1.1 ")) ++reasons;
    EXPECT_GT(reasons, 300U);
    node.expect_unharmed();
}

/// Each field of four bytes takes twenty times as much in memory. None sends a whole request.
TEST(HostileInput, headers_of_thousands_of_clients_cost_little) {
    AttackedNode node{{"--set", "rpc.max_connections_per_address=0"}};
    std::vector<Connection> connections = open_many(node.port(), 3'000);
    const std::string request = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n" +
                                repeat("a:\r\n", 3'900) + "\r\n";
    for (Connection& connection : connections)
        connection.send_at_once(request);
    node.wait_for_blocks(2);
    std::size_t refused = 0;
    for (Connection& connection : connections)
        if (connection.receive_rest().starts_with("HTTP/1.1 431")) ++refused;
    EXPECT_EQ(refused, connections.size());
    node.expect_unharmed();
}

/// The number that /metrics has under this name.
std::uint64_t metric(const AttackedNode& node, const std::string& name) {
    Connection connection{node.port(), 250};
    connection.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const std::string page = connection.receive_response();
    const auto line = page.find("\n" + name + " ");
    return line == std::string::npos ? 0 : std::stoull(page.substr(line + name.size() + 2));
}

TEST(HostileInput, sockets_of_one_address_lock_nobody_out) {
    AttackedNode node{{"--set", "rpc.header_timeout=60s", "--set", "rpc.read_timeout=60s", "--set",
                       "rpc.max_connections=600", "--set", "rpc.max_connections_per_address=200"}};
    std::vector<Connection> connections = open_many(node.port(), 4'500);
    const std::string part = post_request(rpc_body("eth_blockNumber")).substr(0, 40);
    for (Connection& connection : connections)
        (void)connection.send_at_once(part);
    const auto is_answered = [&](std::uint8_t from) {
        Connection connection{node.port(), from};
        connection.send(post_request(rpc_body("eth_chainId")));
        return connection.receive_response().find("0x539") != std::string::npos;
    };
    for (std::uint8_t from = 2; from <= 100; ++from)
        EXPECT_TRUE(is_answered(from)) << "another address";
    EXPECT_LE(metric(node, "heddle_rpc_connections"), 210U) << "of all 4,500 these are open";
    EXPECT_GE(metric(node, "heddle_rpc_refused_connections_total") +
                  metric(node, "heddle_rpc_given_up_connections_total"),
              4'000U);
    node.wait_for_blocks(3);  // until they have waited for a second
    EXPECT_TRUE(is_answered(1)) << "the same address";
    EXPECT_GE(metric(node, "heddle_rpc_given_up_connections_total"), 1U);
    connections.clear();
    node.expect_unharmed();
}

TEST(HostileInput, answers_that_nobody_reads_are_bounded) {
    AttackedNode node{{"--memory", "512"}};
    // Of one block four megabytes, of all three an error after eight.
    std::string hash;
    for (int i = 0; i < 3; ++i)
        hash = node.execute(kManyLogs, 7'500'000);
    const std::string block =
        text_member(node.ask("eth_getTransactionReceipt", "[\"" + hash + "\"]"), "blockHash");
    const std::string one = rpc_body("eth_getLogs", R"([{"blockHash":")" + block + R"("}])");
    const std::string all = rpc_body("eth_getLogs", R"([{"fromBlock":"0x0"}])");
    EXPECT_GT(node.ask_body(one).size(), 3'000'000U);
    EXPECT_THAT(node.ask_body(all), HasSubstr("exceeds max results"));
    std::vector<Connection> connections = open_many(node.port(), 300);
    for (Connection& connection : connections)
        connection.send(post_request(all) + post_request(one) + post_request(all));
    node.wait_for_blocks(8);
    connections.clear();
    node.expect_unharmed();
}

TEST(HostileInput, idle_connections_keep_no_buffers) {
    AttackedNode node{{"--set", "rpc.max_connections_per_address=0"}};
    std::vector<Connection> connections = open_many(node.port(), 3'000);
    // Request and answer of 50,000 bytes each, then silence.
    const std::string code = R"([{"data":"0x615dc05ff3)" + repeat("00", 24'000) + R"("},"latest"])";
    // Not more at once than the server lets wait for its threads together, however slow they are.
    constexpr std::size_t kAtOnce = 500;
    for (std::size_t first = 0; first < connections.size(); first += kAtOnce) {
        const std::span some = std::span{connections}.subspan(first, kAtOnce);
        for (Connection& connection : some)
            EXPECT_TRUE(connection.send(post_request(rpc_body("eth_call", code))));
        for (Connection& connection : some)
            EXPECT_THAT(connection.receive_response(), StartsWith("HTTP/1.1 200"));
    }
    node.wait_for_blocks(2);
    node.expect_unharmed();
}

TEST(HostileInput, logs_of_the_whole_chain_are_limited) {
    AttackedNode node;
    node.fill_blocks_with_logs(6, 16'700'000);
    const std::string everything = R"([{"fromBlock":"0x0","toBlock":"latest"}])";
    EXPECT_THAT(node.ask("eth_getLogs", everything), HasSubstr(R"("error")"));
    const std::string topics =
        R"([{"fromBlock":"earliest","toBlock":"pending","topics":[[null,"0x)" + repeat("0", 64) +
        R"("]]}])";
    node.attack(8,
                {rpc_body("eth_getLogs", everything), rpc_body("eth_getLogs", topics),
                 rpc_body("eth_newFilter", everything), rpc_body("eth_getFilterLogs", R"(["0x1"])"),
                 rpc_body("eth_getBlockReceipts", R"(["latest"])"),
                 rpc_body("eth_getBlockReceipts", R"(["0x1"])")});
    node.expect_unharmed();
}

TEST(HostileInput, endless_calls_end) {
    AttackedNode node;
    EXPECT_THAT(node.ask_body(call_of(kEndlessLoop)), HasSubstr("out of gas"));
    std::vector<std::string> bodies;
    for (const std::string_view code :
         {kEndlessLoop, kEndlessMemory, kEndlessRecursion, kEndlessKeccak, kManyCalls}) {
        bodies.push_back(call_of(code));
        bodies.push_back(call_of(code, "eth_estimateGas"));
        bodies.push_back(call_of(code, "eth_createAccessList"));
        bodies.push_back(call_of(code, "debug_traceCall"));
    }
    bodies.push_back(simulation_of(kEndlessMemory, 200));
    bodies.push_back(simulation_of(kManyLogs, 200));
    node.attack(4, bodies);
    node.expect_unharmed();
}

TEST(HostileInput, code_without_end_keeps_no_reads_and_no_transactions) {
    AttackedNode node{{"--set", "rpc.call_gas=0", "--set", "rpc.call_timeout=8s"}};
    std::vector<Connection> attackers;
    for (int i = 0; i < 20; ++i) {
        attackers.emplace_back(node.port());
        attackers.back().send(post_request(call_of(kEndlessKeccak)));
    }
    while (metric(node, "heddle_rpc_queued_requests") < 18)  // two are executed
        std::this_thread::sleep_for(std::chrono::milliseconds{10});

    // What reads much, what is sent, and a large batch are answered while all of them wait or run.
    EXPECT_THAT(node.ask("eth_getLogs", R"([{"fromBlock":"0x0"}])"), HasSubstr(R"("result":[])"));
    (void)node.execute("00", 100'000);
    const std::string small = rpc_body("eth_chainId");
    EXPECT_EQ(count_of(node.ask_body("[" + repeat(small + ",", 99) + small + "]"), "0x539"), 100U);
    EXPECT_EQ(metric(node, "heddle_rpc_queued_requests"), 18U) << "all while these waited";

    for (Connection& attacker : attackers)
        EXPECT_THAT(attacker.receive_response(), HasSubstr("request timed out"));
    node.expect_unharmed();
}

TEST(HostileInput, traces_of_the_largest_transactions_are_limited) {
    AttackedNode node;
    std::vector<std::string> bodies;
    std::string block;
    for (const std::string_view code : {kEndlessLoop, kEndlessMemory, kLoopWithMemory,
                                        kEndlessRecursion, kManyCalls, kManyLogs}) {
        const std::string hash = node.execute(code, 16'700'000);
        const std::string receipt = node.ask("eth_getTransactionReceipt", "[\"" + hash + "\"]");
        EXPECT_GT(std::stoull(text_member(receipt, "gasUsed"), nullptr, 16), 12'000'000U);
        block = text_member(receipt, "blockNumber");
        for (const std::string_view options :
             {R"({})", R"({"enableMemory":true,"enableReturnData":true})",
              R"({"disableStack":true,"disableStorage":true})",
              R"({"tracer":"callTracer","tracerConfig":{"withLog":true}})",
              R"({"tracer":"flatCallTracer"})",
              R"({"tracer":"prestateTracer","tracerConfig":{"diffMode":true}})"})
            bodies.push_back(rpc_body("debug_traceTransaction",
                                      "[\"" + hash + "\"," + std::string{options} + "]"));
    }
    bodies.push_back(rpc_body("debug_traceBlockByNumber", "[\"" + block + "\"]"));
    bodies.push_back(
        rpc_body("debug_traceBlockByNumber", "[\"" + block + R"(",{"tracer":"callTracer"}])"));
    EXPECT_THAT(node.ask_body(bodies.front()), HasSubstr(R"("error")"));
    node.attack(4, bodies);
    node.expect_unharmed();
}

TEST(HostileInput, websockets_that_break_the_rules_are_closed) {
    AttackedNode node;
    const std::string first{'\x81'};
    const std::string mask(4, '\0');
    const std::string endless = std::string{"\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff", 10} + mask;
    const std::string unmasked = first + "\x05hello";
    const std::string fragment = std::string{"\x00\xfe\xff\xff", 4} + mask + repeat("[", 0xffff);
    for (const std::string& bytes :
         {endless, unmasked, first + "\x80\x80", std::string{"\x8f\x80", 2} + mask,
          std::string{"\x01\x81", 2} + mask + "[" + repeat(fragment, 200)}) {
        Connection connection{node.port()};
        ASSERT_TRUE(open_websocket(connection));
        connection.send(bytes);
        connection.finish_sending();
        (void)connection.receive_rest();
    }
    node.expect_unharmed();
}

TEST(HostileInput, websockets_that_do_not_read_are_bounded) {
    AttackedNode node;
    (void)node.execute(kManyLogs, 7'500'000);
    const std::string request = websocket_text(rpc_body("eth_getLogs", R"([{"fromBlock":"0x0"}])"));
    std::vector<Connection> connections = open_many(node.port(), 50);
    for (Connection& connection : connections) {
        ASSERT_TRUE(open_websocket(connection));
        connection.send(repeat(request, 20));
    }
    node.wait_for_blocks(8);
    EXPECT_THAT(http_get(node.port(), "/metrics"), Not(HasSubstr("\nheddle_rpc_cut_off_total 0")));
    connections.clear();
    node.expect_unharmed();
}

TEST(HostileInput, subscribers_that_do_not_read_are_cut_off) {
    AttackedNode node;
    std::vector<Connection> connections = open_many(node.port(), 100);
    const std::string subscribe = websocket_text(rpc_body("eth_subscribe", R"(["logs",{}])"));
    for (Connection& connection : connections) {
        ASSERT_TRUE(open_websocket(connection));
        connection.send(repeat(subscribe, 20));
    }
    node.fill_blocks_with_logs(2, 16'700'000);
    node.wait_for_blocks(4);
    EXPECT_THAT(http_get(node.port(), "/metrics"), Not(HasSubstr("\nheddle_rpc_cut_off_total 0")));
    connections.clear();
    node.expect_unharmed();
}

}  // namespace
}  // namespace heddle::test
