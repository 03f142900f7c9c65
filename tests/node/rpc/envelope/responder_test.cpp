// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A responder whose methods are exchanged while requests come.
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chain/read_scope.hpp"
#include "formats/json.hpp"
#include "rpc/envelope/json_rpc.hpp"

namespace heddle::node::rpc {
namespace {

using testing::HasSubstr;

std::chrono::steady_clock::time_point in_an_hour() {
    return std::chrono::steady_clock::now() + std::chrono::hours(1);
}

/// Answers with a text that says whose methods these are.
std::shared_ptr<MethodTable> methods_of(const std::string& owner) {
    auto table = std::make_shared<MethodTable>();
    table->add({"test_owner", [owner](const Call&, JsonWriter& out) { out.string(owner); }});
    return table;
}

TEST(Responder, a_request_keeps_the_methods_that_it_was_read_with) {
    auto first = methods_of("first");
    const std::weak_ptr<MethodTable> left = first;
    Responder responder(std::move(first));
    const std::string text = R"({"jsonrpc":"2.0","id":1,"method":"test_owner"})";
    Request request;
    responder.read(text, request);

    responder.replace(methods_of("second"));

    std::string old_answer;
    responder.answer(request, {}, in_an_hour(), old_answer);
    EXPECT_THAT(old_answer, HasSubstr("first"));
    EXPECT_THAT(responder.answer(text, {}, in_an_hour()), HasSubstr("second"));
    EXPECT_FALSE(left.expired());
    request.release();
    EXPECT_TRUE(left.expired());
}

/// Reads a text of so many bytes.
std::shared_ptr<MethodTable> methods_that_read() {
    auto table = std::make_shared<MethodTable>();
    table->add({.name = "test_read",
                .handler =
                    [](const Call& call, JsonWriter& out) {
                        out.begin_array();
                        for (std::uint64_t i = 0; i < call.params.at(0).uint64(); ++i)
                            out.string("x");
                        out.end_array();
                    },
                .weight = Weight::reading});
    table->add({.name = "test_readBlock",
                .handler =
                    [](const Call&, JsonWriter& out) {
                        if (ReadScope::postpones())
                            throw RpcError(Code::server_error, "there is no block");
                        out.string("block");
                    },
                .weight = Weight::reading});
    return table;
}

TEST(Responder, what_turns_out_to_be_long_is_left_to_others) {
    std::vector<CallReport> reports;
    const Responder responder(methods_that_read(),
                              {.request = {}, .response_bytes = 10'000, .short_bytes = 100},
                              [&](const CallReport& report) { reports.push_back(report); });
    const auto answer = [&](const std::string& call, bool is_short) {
        const std::string text = R"({"jsonrpc":"2.0","id":1,"method":)" + call + "}";
        Request request;
        responder.read(text, request);
        EXPECT_FALSE(request.is_heavy());
        EXPECT_TRUE(request.may_be_long());
        std::string out = "before";
        EXPECT_EQ(responder.answer_shortly(request, {}, in_an_hour(), out), is_short) << call;
        if (is_short) return out;
        EXPECT_EQ(out, "before") << call;
        responder.answer(request, {}, in_an_hour(), out);
        return out;
    };
    EXPECT_THAT(answer(R"("test_read","params":[20])", true), HasSubstr(R"("result":["x",)"));
    EXPECT_THAT(answer(R"("test_read","params":[50])", false), HasSubstr(R"("result":["x",)"));
    EXPECT_THAT(answer(R"("test_read","params":[9000])", false), HasSubstr("response too large"));
    EXPECT_THAT(answer(R"("test_read","params":["y"])", true), HasSubstr("-32602"));
    EXPECT_THAT(answer(R"("test_readBlock")", false), HasSubstr(R"("result":"block")"));
    EXPECT_EQ(reports.size(), 5U);  // each call is told of once
}

/// Fails with as many bytes as the first parameter says, of the second.
std::shared_ptr<MethodTable> methods_that_fail() {
    auto table = std::make_shared<MethodTable>();
    table->add({.name = "test_fail",
                .handler =
                    [](const Call& call, JsonWriter&) {
                        const auto byte = static_cast<char>(call.params.at(1).uint64());
                        throw RpcError(3, std::string(call.params.at(0).uint64(), byte));
                    },
                .weight = Weight::reading});
    return table;
}

TEST(Responder, an_error_is_no_larger_than_an_answer_may_be) {
    const Responder responder(methods_that_fail(),
                              {.request = {}, .response_bytes = 10'000, .short_bytes = 100});
    const auto answer = [&](const std::string& params) {
        return responder.answer(
            R"({"jsonrpc":"2.0","id":1,"method":"test_fail","params":)" + params + "}", {},
            in_an_hour());
    };
    const std::string too_large =
        R"({"jsonrpc":"2.0","id":1,"error":{"code":-32003,"message":"response too large"}})";

    EXPECT_THAT(answer("[9900,120]"), HasSubstr(R"("code":3,"message":"xxx)"));
    EXPECT_EQ(answer("[10001,120]"), too_large);
    EXPECT_THAT(answer("[1600,1]"), HasSubstr(R"("code":3,"message":"\u0001\u0001)"));
    EXPECT_EQ(answer("[1700,1]"), too_large);  // six bytes each
}

TEST(Responder, a_long_error_is_left_to_others) {
    const Responder responder(methods_that_fail(),
                              {.request = {}, .response_bytes = 10'000, .short_bytes = 100});
    const auto is_short = [&](const std::string& params) {
        const std::string text =
            R"({"jsonrpc":"2.0","id":1,"method":"test_fail","params":)" + params + "}";
        Request request;
        responder.read(text, request);
        std::string out;
        return responder.answer_shortly(request, {}, in_an_hour(), out);
    };
    EXPECT_TRUE(is_short("[50,120]"));
    EXPECT_FALSE(is_short("[5000,120]"));
}

TEST(Responder, a_batch_of_reads_is_heavy_at_once) {
    const Responder responder(methods_that_read());
    const std::string text = R"([{"jsonrpc":"2.0","id":1,"method":"test_read","params":[1]}])";
    Request request;
    responder.read(text, request);
    EXPECT_TRUE(request.is_heavy());
    EXPECT_FALSE(request.may_be_long());
}

TEST(Responder, methods_are_exchanged_while_requests_come) {
    Responder responder(methods_of("0"));
    std::atomic<bool> is_over{false};
    std::vector<std::thread> clients;
    for (int i = 0; i < 3; ++i)
        clients.emplace_back([&] {
            int last = 0;
            while (!is_over) {
                const std::string answer = responder.answer(
                    R"({"jsonrpc":"2.0","id":1,"method":"test_owner"})", {}, in_an_hour());
                const auto at = answer.rfind(":\"") + 2;
                const int owner = std::stoi(answer.substr(at));
                ASSERT_GE(owner, last);
                last = owner;
            }
        });
    for (int i = 1; i <= 2'000; ++i)
        responder.replace(methods_of(std::to_string(i)));
    is_over = true;
    for (std::thread& client : clients)
        client.join();
    EXPECT_THAT(
        responder.answer(R"({"jsonrpc":"2.0","id":1,"method":"test_owner"})", {}, in_an_hour()),
        HasSubstr("2000"));
}

}  // namespace
}  // namespace heddle::node::rpc
