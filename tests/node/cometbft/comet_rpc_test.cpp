// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/cometbft/comet_rpc.hpp>

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "announced_seed.hpp"
#include "fake_comet_server.hpp"

namespace heddle::test {
namespace {

using consensus_adapter::cometbft::BroadcastResult;
using consensus_adapter::cometbft::CometErrorCode;
using consensus_adapter::cometbft::CometRpc;
using testing::ElementsAre;
using testing::HasSubstr;
using Reply = FakeCometServer::Reply;

// Answers of CometBFT 0.38.26.
constexpr const char* kStatus =
    R"({"jsonrpc":"2.0","id":0,"result":{"node_info":{"protocol_version":{"p2p":"8","block":"11",)"
    R"("app":"1"},"id":"bdd6628aaf95902be4e32fa2365b67c7f8e6f6d5","listen_addr":)"
    R"("tcp://127.0.0.77:34331","network":"test-chain-3uWqnC","version":"0.38.26","channels":)"
    R"("40202122233038606100","moniker":"vm","other":{"tx_index":"on","rpc_address":)"
    R"("tcp://127.0.0.77:34330"}},"sync_info":{"latest_block_hash":)"
    R"("79E75CE003260FB04CE688F1C9C7726BE271198620CE13AC4CD735AB5B628E2F","latest_app_hash":)"
    R"("0000000000000000","latest_block_height":"3","latest_block_time":)"
    R"("2026-11-21T19:16:09.946424514Z","earliest_block_hash":)"
    R"("C7DEA18FDD34E6F73A3B7E19C6568C0EF031BF6363C4F92062C232D21D221E33","earliest_app_hash":)"
    R"("0000000000000000","earliest_block_height":"1","earliest_block_time":)"
    R"("2026-11-21T19:16:07.887924256Z","catching_up":false},"validator_info":{"address":)"
    R"("A28419D02B688735994FDAF8A30213256146310E","pub_key":{"type":"tendermint/PubKeyEd25519",)"
    R"("value":"TVYU86bGdpChGVOdLf599402WflKDszQMcHBNOBLOrA="},"voting_power":"10"}}})";
constexpr const char* kNetInfo =
    R"~({"jsonrpc":"2.0","id":0,"result":{"listening":true,"listeners":["Listener(@)"],)~"
    R"("n_peers":"3","peers":[]}})";
constexpr const char* kThreeCalls =
    R"([{"jsonrpc":"2.0","id":0,"result":{"code":0,"data":"","log":"","codespace":"","hash":)"
    R"("C22FEA5D7428E5CF47EF6354C97C9223C95D6DCDC3E0D2300FF79056B1FF3D85"}},{"jsonrpc":"2.0",)"
    R"("id":1,"error":{"code":-32603,"message":"Internal error","data":)"
    R"("tx already exists in cache"}},{"jsonrpc":"2.0","id":2,"result":{"code":2,"data":"",)"
    R"("log":"","codespace":"","hash":)"
    R"("2F05D4B689D270CAFB02285F35F44866F7DC8A2D368A3F9D1124373EEAB31FB1"}}])";
constexpr const char* kBatchTooLarge =
    R"({"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request","data":)"
    R"("batch request exceeds maximum (10) allowed number of requests"}})";
constexpr const char* kBodyTooLarge =
    R"({"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request","data":)"
    R"("error reading request body: http: request body too large"}})";
constexpr const char* kTimedOutSentence = " did not answer within 100 ms";

/// Where an answer may take as long as it wants.
constexpr std::chrono::minutes kPatience{10};

std::string error_answer(int id, const std::string& data) {
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
           R"(,"error":{"code":-32603,"message":"Internal error","data":")" + data + R"("}})";
}

std::size_t calls_of(const std::string& request) {
    std::size_t count = 0;
    for (auto at = request.find("\"id\""); at != std::string::npos;
         at = request.find("\"id\"", at + 1))
        ++count;
    return count;
}
/// What CometBFT answers when it takes all of them.
std::string all_accepted(const std::string& request) {
    const std::size_t calls = calls_of(request);
    std::string body;
    for (std::size_t i = 0; i < calls; ++i)
        body += (i == 0 ? "" : ",") + (R"({"jsonrpc":"2.0","id":)" + std::to_string(i)) +
                R"(,"result":{"code":0,"data":"","log":"","codespace":"","hash":"00"}})";
    return http_answer(calls == 1 ? body : "[" + body + "]");
}
Reply recorded_status(const std::string& request) {
    return {http_answer(request.find("net_info") != std::string::npos ? kNetInfo : kStatus)};
}

CometRpc client(const std::string& address, std::chrono::milliseconds timeout = kPatience) {
    auto rpc = CometRpc::create(address, timeout);
    EXPECT_TRUE(rpc.has_value()) << to_string(rpc.error());
    return *std::move(rpc);
}
std::string status_error(FakeCometServer& server, std::chrono::milliseconds timeout = kPatience) {
    const auto status = client(server.address(), timeout).status();
    return status.has_value() ? "an answer" : to_string(status.error());
}
std::string status_error_of(const std::string& bytes, bool closes = true) {
    FakeCometServer server{[&](const std::string&) { return Reply{bytes, closes}; }};
    return status_error(server);
}

std::vector<Bytes> transactions(std::size_t count, std::size_t size = 3) {
    return std::vector<Bytes>(count, Bytes(size, std::uint8_t{0xab}));
}

TEST(CometRpc, an_address_is_one_of_http_or_tcp_with_a_port) {
    for (const char* good : {"http://127.0.0.1:26657", "tcp://127.0.0.1:26657", "http://[::1]:1",
                             "http://validator-1:26657/"})
        EXPECT_TRUE(CometRpc::create(good).has_value()) << good;
    for (const char* bad : {"", "127.0.0.1:26657", "https://127.0.0.1:26657", "http://127.0.0.1",
                            "http://:1", "http://a:0", "http://a:65536", "http://a:1x",
                            "http://a b:1", "http://::1:1", "unix:///x"}) {
        const auto rpc = CometRpc::create(bad);
        ASSERT_FALSE(rpc.has_value()) << bad;
        EXPECT_EQ(rpc.error().code, CometErrorCode::bad_address);
        EXPECT_THAT(to_string(rpc.error()),
                    HasSubstr("expected CometBFT's RPC address, like http://"));
    }
}

TEST(CometRpc, status_is_what_cometbft_says_of_itself_and_its_peers) {
    FakeCometServer server{recorded_status};
    CometRpc rpc = client(server.address());

    const auto status = rpc.status();

    ASSERT_TRUE(status.has_value()) << to_string(status.error());
    EXPECT_EQ(status->network, "test-chain-3uWqnC");
    EXPECT_EQ(status->version, "0.38.26");
    EXPECT_EQ(status->moniker, "vm");
    EXPECT_EQ(status->latest_height, 3u);
    EXPECT_EQ(status->earliest_height, 1u);
    EXPECT_FALSE(status->is_catching_up);
    EXPECT_EQ(status->voting_power, 10);
    EXPECT_EQ(status->peers, 3u);
    EXPECT_EQ(server.connections(), 1);
}

TEST(CometRpc, each_transaction_has_a_result_of_its_own) {
    FakeCometServer server{[](const std::string&) { return Reply{http_answer(kThreeCalls)}; }};
    CometRpc rpc = client(server.address());

    const auto results = rpc.broadcast(transactions(3));

    ASSERT_TRUE(results.has_value()) << to_string(results.error());
    EXPECT_THAT(*results, ElementsAre(BroadcastResult::accepted, BroadcastResult::already_there,
                                      BroadcastResult::refused));
}

TEST(CometRpc, only_the_last_of_a_batch_waits_for_its_check) {
    FakeCometServer server{[](const std::string& request) { return Reply{all_accepted(request)}; }};
    CometRpc rpc = client(server.address());

    ASSERT_TRUE(rpc.broadcast(std::vector<Bytes>{{'a', '=', '1'}, {'b'}}).has_value());

    EXPECT_THAT(
        server.requests(),
        ElementsAre(
            R"([{"jsonrpc":"2.0","id":0,"method":"broadcast_tx_async","params":{"tx":"YT0x"}},)"
            R"({"jsonrpc":"2.0","id":1,"method":"broadcast_tx_sync","params":{"tx":"Yg=="}}])"));
}

TEST(CometRpc, errors_say_whether_to_try_again) {
    const std::pair<const char*, BroadcastResult> cases[] = {
        {"mempool is full: number of txs 5000 (max: 5000), total txs bytes 1 (max: 2)",
         BroadcastResult::mempool_full},
        {"mempool is still rechecking after a new committed block, so it is considered as full",
         BroadcastResult::mempool_full},
        {"Tx too large. Max size is 1048576, but got 1048577", BroadcastResult::refused},
        {"tx already exists in cache", BroadcastResult::already_there},
    };
    for (const auto& [text, expected] : cases) {
        FakeCometServer server{
            [&](const std::string&) { return Reply{http_answer(error_answer(0, text))}; }};
        CometRpc rpc = client(server.address());
        const auto results = rpc.broadcast(transactions(1));
        ASSERT_TRUE(results.has_value()) << to_string(results.error());
        EXPECT_THAT(*results, ElementsAre(expected)) << text;
    }
}

TEST(CometRpc, what_a_lane_has_in_its_log_is_there_already) {
    const auto result_of = [](const std::string& code, const std::string& codespace) {
        FakeCometServer server{[&](const std::string&) {
            return Reply{http_answer(R"({"jsonrpc":"2.0","id":0,"result":{"code":)" + code +
                                     R"(,"log":"","codespace":")" + codespace + R"("}})")};
        }};
        const auto results = client(server.address()).broadcast(transactions(1));
        return results.has_value() ? results->front() : BroadcastResult::mempool_full;
    };
    EXPECT_EQ(result_of("7", "heddle-lane"), BroadcastResult::already_there);
    EXPECT_EQ(result_of("6", "heddle-lane"), BroadcastResult::refused);
    EXPECT_EQ(result_of("7", "heddle"), BroadcastResult::refused);
    EXPECT_EQ(result_of("0", "heddle-lane"), BroadcastResult::accepted);
}

TEST(CometRpc, a_batch_is_split_at_the_limit_that_its_refusal_names) {
    FakeCometServer server{[](const std::string& request) {
        return Reply{calls_of(request) > 10 ? http_answer(kBatchTooLarge) : all_accepted(request)};
    }};
    CometRpc rpc = client(server.address());

    const auto first = rpc.broadcast(transactions(25));
    const auto second = rpc.broadcast(transactions(12));

    ASSERT_TRUE(first.has_value() && second.has_value());
    EXPECT_EQ(first->size(), 25u);
    EXPECT_EQ(second->size(), 12u);
    std::vector<std::size_t> sizes;
    for (const std::string& request : server.requests())
        sizes.push_back(calls_of(request));
    EXPECT_THAT(sizes, ElementsAre(25, 10, 10, 5, 10, 2));
}

TEST(CometRpc, a_request_stays_below_the_size_that_was_refused) {
    constexpr std::size_t kLimit = 50'000;
    FakeCometServer server{[](const std::string& request) {
        return request.size() > kLimit
                   ? Reply{http_answer(kBodyTooLarge, "400 Bad Request\r\nConnection: close"), true}
                   : Reply{all_accepted(request)};
    }};
    CometRpc rpc = client(server.address());
    std::vector<Bytes> mixed = transactions(40, 5'000);
    mixed.insert(mixed.begin() + 20, Bytes(45'000));

    const auto results = rpc.broadcast(mixed);

    ASSERT_TRUE(results.has_value()) << to_string(results.error());
    ASSERT_EQ(results->size(), 41u);
    for (std::size_t i = 0; i < results->size(); ++i)
        EXPECT_EQ((*results)[i], i == 20 ? BroadcastResult::refused : BroadcastResult::accepted)
            << i;
}

TEST(CometRpc, a_server_that_takes_nothing_at_all_is_named) {
    FakeCometServer server{[](const std::string&) {
        return Reply{http_answer(kBodyTooLarge, "400 Bad Request\r\nConnection: close"), true};
    }};

    const auto results = client(server.address()).broadcast(transactions(3));

    ASSERT_FALSE(results.has_value());
    EXPECT_THAT(to_string(results.error()), HasSubstr("raise rpc.max_body_bytes"));
}

TEST(CometRpc, a_connection_that_was_closed_while_idle_is_made_anew) {
    FakeCometServer server{[](const std::string& request) {
        Reply reply = recorded_status(request);
        reply.closes = true;
        return reply;
    }};
    CometRpc rpc = client(server.address());

    for (int i = 0; i < 3; ++i)
        EXPECT_TRUE(rpc.status().has_value());

    EXPECT_EQ(server.connections(), 6);
}

TEST(CometRpc, nobody_there_is_said_in_a_sentence) {
    std::string address;
    {
        const FakeCometServer server{recorded_status};
        address = server.address();
    }
    const auto status = client(address).status();
    ASSERT_FALSE(status.has_value());
    EXPECT_EQ(status.error().code, CometErrorCode::unreachable);
    EXPECT_EQ(to_string(status.error()),
              "CometBFT at " + address + " cannot be reached: Connection refused; is it running?");
}

TEST(CometRpc, a_server_that_says_nothing_is_given_up_and_asked_anew) {
    std::atomic<bool> is_silent{true};
    FakeCometServer server{
        [&](const std::string& request) { return is_silent ? Reply{} : recorded_status(request); }};
    {
        CometRpc rpc = client(server.address(), std::chrono::milliseconds{100});
        const auto status = rpc.status();
        ASSERT_FALSE(status.has_value());
        EXPECT_EQ(to_string(status.error()), "CometBFT at " + server.address() + kTimedOutSentence);
    }
    is_silent = false;
    EXPECT_TRUE(client(server.address()).status().has_value());
}

TEST(CometRpc, answers_that_are_none_are_told_apart) {
    EXPECT_THAT(status_error_of(""), HasSubstr("closed the connection before it answered"));
    EXPECT_THAT(status_error_of("SSH-2.0-OpenSSH_9.2p1\r\n"), HasSubstr("does not speak HTTP"));
    EXPECT_THAT(status_error_of("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"jsonrpc\""),
                HasSubstr("closed the connection before it answered"));
    EXPECT_THAT(status_error_of(http_answer("<html>no</html>", "502 Bad Gateway")),
                HasSubstr("an answer (HTTP 502) that is no JSON: <html>no</html>"));
    EXPECT_THAT(status_error_of("HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n"),
                HasSubstr("gave an answer above 16 MiB"));
    EXPECT_THAT(status_error_of(http_answer(error_answer(0, "not now"))),
                HasSubstr("refused status: not now"));
    EXPECT_THAT(status_error_of(http_answer("[]")), HasSubstr("something else than a result"));
    EXPECT_THAT(status_error_of(http_answer(R"({"id":0,"result":{}})"), false),
                HasSubstr("without what CometBFT 0.38 to 0.40 has there"));
}

TEST(CometRpc, a_batch_with_a_call_unanswered_has_no_results) {
    FakeCometServer server{[](const std::string&) { return Reply{http_answer(kThreeCalls)}; }};

    const auto more = client(server.address()).broadcast(transactions(4));
    const auto fewer = client(server.address()).broadcast(transactions(2));

    ASSERT_FALSE(more.has_value());
    EXPECT_EQ(more.error().code, CometErrorCode::misunderstood);
    EXPECT_EQ(fewer.error().code, CometErrorCode::refused);
    EXPECT_THAT(to_string(more.error()), HasSubstr("left calls of a batch unanswered"));
    ASSERT_FALSE(fewer.has_value());
    EXPECT_THAT(to_string(fewer.error()), HasSubstr("refused a batch of 2 transactions"));
}

TEST(CometRpc, damaged_answers_are_errors_or_as_many_results_as_transactions) {
    std::mt19937_64 random{announced_seed()};
    const std::string good = kThreeCalls;
    FakeCometServer server{[&](const std::string&) {
        std::string body = good;
        const std::size_t damages = 1 + random() % 4;
        for (std::size_t i = 0; i < damages; ++i) {
            const std::size_t at = random() % body.size();
            if (random() % 3 == 0) {
                body.erase(at, random() % 20);
            } else {
                body[at] =
                    random() % 3 == 0 ? static_cast<char>(random()) : "[]{},:\"09n"[random() % 10];
            }
            if (body.empty()) body = "[";
        }
        return Reply{http_answer(body)};
    }};
    CometRpc rpc = client(server.address());
    std::size_t understood = 0;
    for (int i = 0; i < 500; ++i) {
        const auto results = rpc.broadcast(transactions(3));
        if (!results.has_value()) {
            EXPECT_FALSE(to_string(results.error()).empty());
            continue;
        }
        EXPECT_EQ(results->size(), 3u);
        ++understood;
    }
    EXPECT_GT(understood, 0u);
}

}  // namespace
}  // namespace heddle::test
