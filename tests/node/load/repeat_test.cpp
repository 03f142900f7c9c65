// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "load/repeat.hpp"

#include <atomic>
#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_node.hpp"
#include "load/rpc_client.hpp"
#include "program.hpp"
#include "program/error.hpp"
#include "program/stop_signal.hpp"

namespace heddle::node::load {
namespace {

using testing::HasSubstr;

TEST(RepeatRequests, sends_the_lines_in_turn_and_counts_answers_and_errors) {
    std::atomic<std::uint64_t> good = 0;
    std::atomic<std::uint64_t> bad = 0;
    FakeNode node;
    node.on("good", [&good](const rpc::Call&, JsonWriter& out) {
        ++good;
        out.boolean(true);
    });
    node.on("bad", [&bad](const rpc::Call&, JsonWriter&) {
        ++bad;
        throw rpc::RpcError(rpc::Code::server_error, "never");
    });
    node.start();
    const test::TemporaryFolder folder;
    const std::string file = folder.write(
        "requests", make_call(1, "good", "[]") + "\n\n" + make_call(2, "bad", "[]") + "\n");

    const RepeatReport report = repeat_requests(node.endpoint(), {file, 0.2, 3});

    EXPECT_GT(report.requests, 0U);
    EXPECT_EQ(report.requests, good + bad);
    EXPECT_EQ(report.errors, bad);
    EXPECT_LE(good > bad ? good - bad : bad - good, 1U);
    EXPECT_THAT(report.first_error, HasSubstr("never"));
    EXPECT_THAT(describe(report, true), HasSubstr("\"requestsPerSecond\":"));
}

TEST(RepeatRequests, what_would_be_due_later_is_not_waited_for) {
    FakeNode node;
    node.on("good", [](const rpc::Call&, JsonWriter& out) { out.boolean(true); });
    node.start();
    const test::TemporaryFolder folder;
    const std::string file = folder.write("requests", make_call(1, "good", "[]") + "\n");

    // A request each ten seconds, on three connections; then one in more years than clocks count.
    EXPECT_EQ(repeat_requests(node.endpoint(), {file, 0.2, 3, 0.1}).requests, 1U);
    EXPECT_EQ(repeat_requests(node.endpoint(), {file, 0.2, 3, 1e-300}).requests, 1U);
}

TEST(RepeatRequests, end_when_told_to_while_they_wait) {
    FakeNode node;
    node.on("good", [](const rpc::Call&, JsonWriter& out) {
        std::raise(SIGTERM);
        out.boolean(true);
    });
    node.start();
    const test::TemporaryFolder folder;
    const std::string file = folder.write("requests", make_call(1, "good", "[]") + "\n");
    {
        const StopSignal listening;
        EXPECT_EQ(repeat_requests(node.endpoint(), {file, 86'400, 3, 0.001}).requests, 1U);
    }
    // Nothing is left of the signal for tests that the same process runs next.
    const StopSignal listening_anew;
}

TEST(RepeatRequests, a_file_without_requests_is_refused) {
    const test::TemporaryFolder folder;
    const std::string file = folder.write("requests", "\n");

    EXPECT_THROW((void)repeat_requests({"127.0.0.1", 1, "/"}, {file, 1, 1}), InputError);
    EXPECT_THAT([&] { (void)repeat_requests({"127.0.0.1", 1, "/"}, {file + "s", 1, 1}); },
                testing::ThrowsMessage<InputError>(testing::HasSubstr("No such file")));
}

}  // namespace
}  // namespace heddle::node::load
