// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/simulation_failures.hpp"

#include <string>

#include <gtest/gtest.h>

#include "program/error.hpp"

namespace heddle::node::rpc {
namespace {

using simulation::Failure;
using simulation::FailureKind;

/// What the caller of a method that fails so is told. @param most  Bytes of an answer.
RpcError told(const Failure& failure, std::size_t most = 0) {
    const Handler handler =
        with_failures_told([&](const Call&, JsonWriter&) { throw Failure(failure); });
    const Call call{
        .params = Params{}, .deadline = {}, .max_result_bytes = most, .session = nullptr};
    std::string text;
    JsonWriter out(text, JsonWriter::Style::compact);
    try {
        handler(call, out);
    } catch (const RpcError& error) {
        return error;
    }
    return {Code::internal_error, "nothing was thrown"};
}

TEST(SimulationFailures, keep_their_text_and_get_a_code) {
    const RpcError refused = told({FailureKind::refused, "no such thing"});
    EXPECT_EQ(refused.code(), -32000);
    EXPECT_STREQ(refused.what(), "no such thing");
    EXPECT_EQ(refused.data(), "");

    EXPECT_EQ(told({FailureKind::invalid, "x"}).code(), -32602);
    EXPECT_EQ(told({FailureKind::timed_out, "x"}).code(), -32002);
    EXPECT_EQ(told({FailureKind::internal, "x"}).code(), -32603);
    EXPECT_EQ(told({FailureKind::block_gas_limit, "x"}).code(), -38015);
}

TEST(SimulationFailures, a_revert_carries_what_the_call_returned) {
    const RpcError error = told({FailureKind::reverted, "execution reverted", Bytes{0xab, 0xcd}});
    EXPECT_EQ(error.code(), 3);
    EXPECT_EQ(error.data(), "\"0xabcd\"");
    EXPECT_EQ(told({FailureKind::reverted, "execution reverted", Bytes{}}).data(), "\"0x\"");
}

TEST(SimulationFailures, a_revert_with_more_than_an_answer_may_have_is_not_made_text) {
    const Failure failure(FailureKind::reverted, "execution reverted", Bytes(500));

    EXPECT_EQ(told(failure, 1'000).data().size(), 1'004u);
    EXPECT_EQ(told(failure, 999).code(), static_cast<int>(Code::response_too_large));
    EXPECT_EQ(told(failure, 999).data(), "");
}

TEST(SimulationFailures, other_errors_pass) {
    const Handler handler =
        with_failures_told([](const Call&, JsonWriter&) { throw InputError("a text"); });
    const Call call{.params = Params{}, .deadline = {}, .max_result_bytes = 0, .session = nullptr};
    std::string text;
    JsonWriter out(text, JsonWriter::Style::compact);

    EXPECT_THROW(handler(call, out), InputError);
}

}  // namespace
}  // namespace heddle::node::rpc
