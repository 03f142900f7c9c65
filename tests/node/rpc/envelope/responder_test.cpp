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
