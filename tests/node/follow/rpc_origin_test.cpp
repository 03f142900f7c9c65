// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Questions to nodes that are slow, broken or lie: what is made of their answers, and when they are
// given up.
#include "follow/rpc_origin.hpp"

#include <atomic>
#include <chrono>
#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hostile_server.hpp"
#include "rpc/envelope/arguments.hpp"

namespace heddle::node::follow {
namespace {

using consensus_adapter::follow::FollowFault;
using test::HostileServer;
using test::http_answer;
using test::PoliteServer;
using test::rpc_answer;
using testing::AllOf;
using testing::HasSubstr;
using namespace std::chrono_literals;
using Peer = HostileServer::Peer;

/// Nothing waits for its end but a test that fails: on a machine that is busy, or stood still, an
/// answer takes as long as it takes.
constexpr std::chrono::milliseconds kPatience = 1h;
constexpr ConnectionLimits kLimits{.timeout = kPatience, .max_answer_bytes = 64 * 1024};
/// For origins that do not answer in any time.
constexpr ConnectionLimits kImpatient{.timeout = 400ms, .max_answer_bytes = 64 * 1024};

/// What asking for a hash comes to.
std::expected<std::optional<Hash>, consensus_adapter::follow::FollowError> ask(
    const HostileServer& server, const ConnectionLimits& limits = kLimits) {
    return RpcOrigin(server.endpoint(), limits, {}).hash_of(7);
}

void expect_fault(const HostileServer& server, FollowFault fault, const std::string& text) {
    const auto answer = ask(server, fault == FollowFault::timed_out ? kImpatient : kLimits);
    ASSERT_FALSE(answer.has_value());
    EXPECT_EQ(answer.error().fault, fault) << answer.error().sentence;
    EXPECT_THAT(answer.error().sentence, AllOf(HasSubstr(text), HasSubstr("http://127.0.0.1:")));
}

HostileServer says(std::string bytes, bool stays = true) {
    return HostileServer([bytes = std::move(bytes), stays](Peer& peer, const std::string&) {
        return peer.send(bytes) && stays;
    });
}

TEST(RpcOrigin, names_an_origin_where_nobody_listens) {
    Endpoint nowhere;
    {
        HostileServer server([](Peer&, const std::string&) { return false; });
        nowhere = server.endpoint();
    }
    RpcOrigin origin(nowhere, kLimits, {});
    const auto answer = origin.identify();
    ASSERT_FALSE(answer.has_value());
    EXPECT_EQ(answer.error().fault, FollowFault::unreachable);
    EXPECT_THAT(answer.error().sentence, HasSubstr(nowhere.name() + " cannot be reached"));
}

TEST(RpcOrigin, gives_up_on_an_origin_that_says_nothing) {
    HostileServer server([](Peer& peer, const std::string&) {
        peer.wait_for_end();
        return false;
    });
    expect_fault(server, FollowFault::timed_out, "did not answer within 400 ms");
}

TEST(RpcOrigin, gives_up_on_an_origin_that_drips) {
    HostileServer server([](Peer& peer, const std::string&) {
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n");
        while (peer.send(" "))
            std::this_thread::sleep_for(5ms);
        return false;
    });
    expect_fault(server, FollowFault::timed_out, "did not answer within 400 ms");
}

TEST(RpcOrigin, gives_up_on_an_answer_without_end) {
    HostileServer server([](Peer& peer, const std::string&) {
        peer.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
        while (peer.send(std::string(4'096, '7'))) {
        }
        return false;
    });
    expect_fault(server, FollowFault::too_large, "above");
}

TEST(RpcOrigin, gives_up_on_an_answer_that_says_it_is_huge) {
    HostileServer server = says("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n");
    expect_fault(server, FollowFault::too_large, "above");
}

// Head of a chunk - never ends - it was kept, whatever its size, as nothing of the body.
TEST(RpcOrigin, gives_up_on_chunks_whose_heads_never_end) {
    for (const char* begin : {"1;a=", "000", "1\r\n7\r\n0\r\nLong: "}) {
        HostileServer server([begin](Peer& peer, const std::string&) {
            peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            peer.send(begin);
            while (peer.send(std::string(4'096, '0'))) {
            }
            return false;
        });
        expect_fault(server, FollowFault::misunderstood, "more than 64 KiB around its chunks");
    }
}

TEST(RpcOrigin, parses_no_answer_of_many_tiny_values) {
    for (const std::string value : {"0,", "{},", "[[]],"}) {
        std::string list = "[";
        while (list.size() < 100'000)
            list += value;
        const HostileServer server = says(rpc_answer(list + "0]"));
        RpcOrigin origin(server.endpoint(), {.timeout = kPatience}, {});
        const auto answer = origin.hash_of(7);
        ASSERT_FALSE(answer.has_value());
        EXPECT_EQ(answer.error().fault, FollowFault::misunderstood);
        EXPECT_THAT(answer.error().sentence, HasSubstr("answer: it has more values than its 100"));
    }
}

TEST(RpcOrigin, notices_an_answer_that_is_cut_off) {
    const std::string whole = rpc_answer("null");
    for (std::size_t size = 0; size < whole.size(); size += 7) {
        HostileServer server = says(whole.substr(0, size), false);
        const auto answer = ask(server);
        ASSERT_FALSE(answer.has_value()) << size;
        EXPECT_EQ(answer.error().fault, FollowFault::unreachable) << answer.error().sentence;
    }
}

TEST(RpcOrigin, names_what_is_no_answer) {
    for (const char* nonsense :
         {"", "hello", "{", "[]", "[[[[[[", "7", "null", R"({"jsonrpc":"2.0","id":1})",
          R"({"id":1,"result":7})", R"({"id":1,"result":{"hash":"0x12"}})",
          R"({"id":1,"result":{"hash":null}})", R"({"id":1,"result":{}})", R"({"id":1,"error":7})"})
        expect_fault(says(http_answer(nonsense)), FollowFault::misunderstood, "");
    expect_fault(says("SSH-2.0-OpenSSH\r\n\r\n"), FollowFault::misunderstood, "HTTP");
}

TEST(RpcOrigin, says_what_the_origin_refuses_with) {
    expect_fault(says(http_answer("go away", "503 Service Unavailable")), FollowFault::refused,
                 "HTTP status 503: go away");
    expect_fault(says(http_answer(R"({"id":1,"error":{"code":-5,"message":"not today"}})")),
                 FollowFault::refused, "not today (-5)");
}

TEST(RpcOrigin, names_where_it_is_sent_and_does_not_go_there) {
    const auto moved = [](const std::string& location) {
        return says(http_answer("elsewhere", "308 Permanent Redirect\r\nLocation: " + location));
    };
    HostileServer server = moved("https://example.org:8545/v3/key?key=key");
    expect_fault(server, FollowFault::refused,
                 "HTTP status 308: it leads to https://example.org:8545, which has");
    EXPECT_EQ(ask(server).error().sentence.find("key"), std::string::npos);
    expect_fault(moved("https://example.org"), FollowFault::refused, "to https://example.org,");
    expect_fault(moved("//example.org?a"), FollowFault::refused, "to //example.org,");
    expect_fault(moved("/v3/"), FollowFault::refused, "308: it leads to another path, which");
    expect_fault(says(http_answer("", "302 Found")), FollowFault::refused, "HTTP status 302: ");
}

TEST(RpcOrigin, ends_at_once_when_it_is_told_to) {
    std::promise<void> asked;
    HostileServer server([&](Peer& peer, const std::string&) {
        asked.set_value();
        peer.wait_for_end();
        return false;
    });
    std::stop_source stop;
    RpcOrigin origin(server.endpoint(), kLimits, stop.get_token());
    std::jthread other([&] {
        asked.get_future().wait();
        stop.request_stop();
    });
    const auto answer = origin.hash_of(7);
    ASSERT_FALSE(answer.has_value());
    EXPECT_EQ(answer.error().fault, FollowFault::stopped);
}

TEST(RpcOrigin, goes_on_over_a_new_connection_where_the_old_one_was_closed) {
    HostileServer server = says(rpc_answer("null"), false);
    RpcOrigin origin(server.endpoint(), kLimits, {});
    for (int i = 1; i <= 3; ++i) {
        const auto answer = origin.hash_of(7);
        ASSERT_TRUE(answer.has_value()) << answer.error().sentence;
        EXPECT_FALSE(answer->has_value());
        server.wait_for_closed(i);
    }
    EXPECT_EQ(server.connections(), 3);
}

// Batches.

TEST(RpcOrigin, compares_answers_of_a_batch_with_its_questions) {
    const auto batch = [](const std::string& answers) { return says(http_answer(answers)); };
    const auto item = [](int id) {
        return R"({"id":)" + std::to_string(id) + R"(,"result":null})";
    };
    for (const std::string& wrong :
         {"[" + item(1) + "]", "[" + item(1) + "," + item(1) + "]",
          "[" + item(1) + "," + item(3) + "]", "[" + item(0) + "," + item(1) + "]",
          "[" + item(1) + "," + item(2) + "," + item(2) + "]", item(1)}) {
        const HostileServer server = batch(wrong);
        RpcOrigin origin(server.endpoint(), kLimits, {});
        const auto head = origin.head();  // asks two questions
        ASSERT_FALSE(head.has_value()) << wrong;
        EXPECT_EQ(head.error().fault, FollowFault::misunderstood) << wrong;
    }
}

TEST(RpcOrigin, takes_answers_in_any_order_and_does_without_finality) {
    const HostileServer server = says(http_answer(
        R"([{"id":2,"error":{"code":-39001,"message":"unknown block"}},)"
        R"({"id":1,"result":{"number":"0x9","hash":"0x)" +
        std::string(64, '1') + R"(","parentHash":"0x)" + std::string(64, '2') + R"("}}])"));
    RpcOrigin origin(server.endpoint(), kLimits, {});
    const auto head = origin.head();
    ASSERT_TRUE(head.has_value()) << head.error().sentence;
    EXPECT_EQ(head->newest.number, 9u);
    EXPECT_FALSE(head->finalized.has_value());
}

// A busy node refuses one question of several; that says nothing of whether it knows finality.
TEST(RpcOrigin, tells_an_error_that_may_pass_from_an_origin_without_finality) {
    const auto head_where = [](const std::string& answer) {
        const HostileServer server = says(http_answer(
            R"([{"id":2,)" + answer + R"(},{"id":1,"result":{"number":"0x9","hash":"0x)" +
            std::string(64, '1') + R"(","parentHash":"0x)" + std::string(64, '2') + R"("}}])"));
        RpcOrigin origin(server.endpoint(), kLimits, {});
        return origin.head().value();
    };
    for (const char* answer : {R"("error":{"code":-32000,"message":"internal"})",
                               R"("error":{"code":-32603,"message":"request timed out"})"})
        EXPECT_NE(head_where(answer).finality_refusal, "") << answer;
    for (const char* answer :
         {R"("result":null)", R"("error":{"code":-39001,"message":"unknown block"})",
          R"("error":{"code":-32000,"message":"finalized block not found"})",
          R"("error":{"code":-32602,"message":"invalid argument 0"})"})
        EXPECT_EQ(head_where(answer).finality_refusal, "") << answer;
}

TEST(RpcOrigin, calls_no_block_final_that_the_origin_does_not_have) {
    const HostileServer server = says(http_answer(
        R"([{"id":2,"result":{"number":"0xffffffffffffffff"}},)"
        R"({"id":1,"result":{"number":"0x9","hash":"0x)" +
        std::string(64, '1') + R"(","parentHash":"0x)" + std::string(64, '2') + R"("}}])"));
    RpcOrigin origin(server.endpoint(), kLimits, {});
    const auto head = origin.head();
    ASSERT_TRUE(head.has_value()) << head.error().sentence;
    EXPECT_EQ(head->finalized, 9u);
}

TEST(RpcOrigin, tells_the_name_of_its_software_in_a_line) {
    const std::string hash = R"("0x)" + std::string(64, '1') + '"';
    const HostileServer server =
        says(http_answer(R"([{"id":1,"result":"0x7"},{"id":2,"result":{"hash":)" + hash +
                         R"(}},{"id":3,"result":"a\u001b[2Jb\nc"},{"id":4,"result":{}}])"));
    RpcOrigin origin(server.endpoint(), kLimits, {});
    const auto identity = origin.identify();
    ASSERT_TRUE(identity.has_value()) << identity.error().sentence;
    EXPECT_EQ(identity->client, "a?[2Jb?c");
}

Bytes encoded_block(std::uint64_t number, std::size_t extra = 0) {
    Block block;
    block.header.number = number;
    block.header.extra_data.resize(extra);
    Bytes encoded;
    encode_block(block, encoded);
    return encoded;
}

std::uint64_t asked_number(const rpc::Call& call) {
    return std::stoull(std::string{call.params.at(0).string()}, nullptr, 16);
}

TEST(RpcOrigin, asks_for_more_at_once_as_long_as_answers_are_small) {
    PoliteServer server;
    server.on("debug_getRawBlock", [](const rpc::Call& call, JsonWriter& out) {
        out.hex(encoded_block(asked_number(call)));
    });
    server.start();
    RpcOrigin origin(server.endpoint(false), {.timeout = kPatience}, {});
    std::uint64_t next = 1;
    std::vector<std::size_t> sizes;
    while (next <= 60) {
        const auto blocks = origin.blocks(next, 16, {});
        ASSERT_TRUE(blocks.has_value()) << blocks.error().sentence;
        for (const auto& fetched : *blocks) {
            EXPECT_EQ(fetched.block.start.header.number, next++);
            EXPECT_EQ(fetched.hash, header_hash(fetched.block.start.header));
            EXPECT_EQ(fetched.block.start.encoded_size_bytes, encoded_block(next - 1).size());
        }
        sizes.push_back(blocks->size());
    }
    EXPECT_THAT(sizes, testing::ElementsAre(1, 2, 4, 8, 16, 16, 16));
}

TEST(RpcOrigin, asks_for_less_at_once_where_answers_get_too_large) {
    PoliteServer server;
    std::atomic<std::size_t> size = 10;
    server.on("debug_getRawBlock", [&size](const rpc::Call& call, JsonWriter& out) {
        out.hex(encoded_block(asked_number(call), size));
    });
    server.start();
    RpcOrigin origin(server.endpoint(false), {.timeout = kPatience, .max_answer_bytes = 100'000},
                     {});
    std::uint64_t next = 1;
    while (next < 32) {
        const auto blocks = origin.blocks(next, 16, {});
        ASSERT_TRUE(blocks.has_value());
        next += blocks->size();
    }
    size = 20'000;  // two of them fit
    const auto blocks = origin.blocks(next, 16, {});
    ASSERT_TRUE(blocks.has_value()) << blocks.error().sentence;
    EXPECT_EQ(blocks->size(), 2u);
    size = 60'000;  // none
    const auto none = origin.blocks(next, 16, {});
    ASSERT_FALSE(none.has_value());
    EXPECT_EQ(none.error().fault, FollowFault::too_large);
}

TEST(RpcOrigin, asks_for_less_at_once_where_so_many_questions_are_refused) {
    std::atomic<int> refused = 0;
    HostileServer server([&](Peer& peer, const std::string& body) {
        if (!body.starts_with('['))
            return peer.send(rpc_answer('"' + to_hex(encoded_block(9)) + '"'));
        ++refused;
        return peer.send(
            http_answer(R"({"id":null,"error":{"code":-32600,"message":"one at a time"}})"));
    });
    RpcOrigin origin(server.endpoint(), {.timeout = kPatience}, {});
    for (int i = 0; i < 9; ++i) {
        const auto blocks = origin.blocks(9, 16, {});
        ASSERT_TRUE(blocks.has_value()) << blocks.error().sentence;
        EXPECT_EQ(blocks->size(), 1u);
    }
    EXPECT_EQ(refused, 1);
}

TEST(RpcOrigin, names_the_block_that_is_none) {
    const auto ask_for_block = [](const std::string& result) {
        const HostileServer server = says(rpc_answer(result));
        RpcOrigin origin(server.endpoint(), kLimits, {});
        const auto blocks = origin.blocks(7, 16, {});
        EXPECT_FALSE(blocks.has_value());
        return blocks.error();
    };
    EXPECT_EQ(ask_for_block("null").fault, FollowFault::absent);
    EXPECT_EQ(ask_for_block("\"0x\"").fault, FollowFault::absent);
    for (const std::string& wrong : {std::string{"\"0x1234\""}, std::string{"\"0xzz\""},
                                     "\"" + to_hex(encoded_block(8)) + "\"", std::string{"7"}}) {
        const auto error = ask_for_block(wrong);
        EXPECT_EQ(error.fault, FollowFault::wrong_block) << wrong;
        EXPECT_THAT(error.sentence, HasSubstr("block 7")) << wrong;
    }
}

// Announcements.

TEST(RpcOrigin, decodes_no_more_transactions_than_gas_pays_for) {
    Block block;
    block.header.number = 7;
    block.header.gas_limit = 60'000'000;
    Transaction tx;
    tx.r = tx.s = Uint256{1};
    block.transactions.assign(10'000, tx);
    Bytes encoded;
    encode_block(block, encoded);
    HostileServer server = says(rpc_answer('"' + to_hex(encoded) + '"'));
    RpcOrigin origin(server.endpoint(), {.timeout = kPatience}, {});
    const auto blocks = origin.blocks(7, 1, {6, 60'000'000});
    ASSERT_TRUE(blocks.has_value()) << blocks.error().sentence;
    EXPECT_EQ(blocks->front().block.transactions.size(), 10'000u);
    const auto refused = origin.blocks(7, 1, {6, 50'000'000});
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().fault, FollowFault::wrong_block);
    EXPECT_THAT(refused.error().sentence, HasSubstr("block 7: too many transactions: 10000"));
}

TEST(RpcOrigin, wakes_when_a_head_is_announced) {
    PoliteServer server;
    std::mutex mutex;
    std::shared_ptr<rpc::Session> session;
    std::atomic<int> subscriptions = 0;
    server.on("eth_subscribe", [&](const rpc::Call& call, JsonWriter& out) {
        const std::scoped_lock lock{mutex};
        session = call.session;
        ++subscriptions;
        out.string("0x1");
    });
    server.start();
    RpcOrigin origin(server.endpoint(true), {.timeout = kPatience}, {});
    ASSERT_TRUE(origin.wait_for_head(1h).has_value());  // subscribes, and lets look at once
    ASSERT_EQ(subscriptions, 1);
    std::atomic<bool> is_announced = false;
    std::jthread other([&] {
        std::this_thread::sleep_for(50ms);  // in which one that does not wait comes back
        const std::scoped_lock lock{mutex};
        is_announced = true;
        session->send(R"({"jsonrpc":"2.0","method":"eth_subscription","params":{}})");
    });
    ASSERT_TRUE(origin.wait_for_head(1h).has_value());
    EXPECT_TRUE(is_announced) << "it did not wait";
    other.join();
    const auto again = std::chrono::steady_clock::now();
    ASSERT_TRUE(origin.wait_for_head(50ms).has_value());
    EXPECT_GE(std::chrono::steady_clock::now() - again, 50ms) << "that was the only one";

    // A connection that is closed takes the subscription with it.
    {
        const std::scoped_lock lock{mutex};
        session.reset();
    }
    server.stop();
    EXPECT_FALSE(origin.wait_for_head(1h).has_value());
    server.start();
    EXPECT_TRUE(origin.wait_for_head(1h).has_value());
    EXPECT_EQ(subscriptions, 2);
    const std::scoped_lock lock{mutex};
    session.reset();
}

TEST(RpcOrigin, polls_where_heads_are_not_announced) {
    PoliteServer server;
    server.start();
    for (const bool is_websocket : {false, true}) {
        RpcOrigin origin(server.endpoint(is_websocket), {.timeout = kPatience}, {});
        ASSERT_TRUE(origin.wait_for_head(1h).has_value());
    }
}

TEST(RpcOrigin, answers_are_found_among_announcements) {
    PoliteServer server;
    server.on("eth_getBlockByNumber", [](const rpc::Call& call, JsonWriter& out) {
        for (int i = 0; i < 5; ++i)
            call.session->send(R"({"jsonrpc":"2.0","method":"eth_subscription","params":{}})");
        out.null();
    });
    server.start();
    RpcOrigin origin(server.endpoint(true), {.timeout = kPatience}, {});
    for (int i = 0; i < 10; ++i) {
        const auto answer = origin.hash_of(7);
        ASSERT_TRUE(answer.has_value()) << answer.error().sentence;
    }
}

TEST(RpcOrigin, says_so_when_the_port_speaks_no_websocket) {
    const HostileServer server([](Peer&, const std::string&) { return false; });
    Endpoint endpoint = server.endpoint();
    endpoint.is_websocket = true;
    RpcOrigin origin(endpoint, kLimits, {});
    const auto answer = origin.hash_of(7);
    ASSERT_FALSE(answer.has_value());
    EXPECT_THAT(answer.error().sentence, HasSubstr("ws://127.0.0.1:"));
}

TEST(Endpoints, are_read_as_operators_write_them) {
    const Endpoint plain = parse_endpoint("ws://localhost:8546", "follow.origin");
    EXPECT_TRUE(plain.is_websocket);
    EXPECT_EQ(plain.host, "localhost");
    EXPECT_EQ(plain.port, 8546);
    EXPECT_EQ(plain.path, "/");
    const Endpoint v6 = parse_endpoint("http://[::1]:80/key/secret", "follow.origin");
    EXPECT_EQ(v6.authority(), "[::1]:80");
    EXPECT_EQ(v6.path, "/key/secret");
    EXPECT_EQ(v6.name(), "http://[::1]:80") << "a key in the path is not shown";
    const Endpoint encrypted = parse_endpoint("https://example.org/key", "forking.url");
    EXPECT_TRUE(encrypted.is_encrypted);
    EXPECT_FALSE(encrypted.is_websocket);
    EXPECT_EQ(encrypted.host, "example.org");
    EXPECT_EQ(encrypted.port, 443);
    EXPECT_EQ(encrypted.path, "/key");
    EXPECT_EQ(parse_endpoint("wss://[::1]", "follow.origin").name(), "wss://[::1]:443");
    EXPECT_EQ(parse_endpoint("wss://[::1]:8546/a:b", "follow.origin").port, 8546);
    for (const char* wrong : {"",          "localhost:8545", "http://",        "http://h",
                              "http://h:", "http://h:0",     "http://h:65536", "http://h:1x",
                              "http://:1", "http://a:b:1",   "http://u@h:1",   "http://h:1/ x",
                              "ftp://h:1", "https://",       "https://:443",   "https://h:",
                              "wss://h:0", "wss://::1",      "https:/h",       "http://h\r\n:1"})
        EXPECT_THROW((void)parse_endpoint(wrong, "follow.origin"), std::runtime_error) << wrong;
}

}  // namespace
}  // namespace heddle::node::follow
