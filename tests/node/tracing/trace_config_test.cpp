// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "program/error.hpp"
#include "traced_call.hpp"

namespace heddle::node {
namespace {

using test::TracedCall;
using Verdict = TraceBudget::Verdict;
using namespace std::chrono_literals;

constexpr const char* kConfigs[] = {
    "{}",
    R"({"enableMemory":true,"enableReturnData":true})",
    R"({"tracer":"callTracer","tracerConfig":{"withLog":true}})",
    R"({"tracer":"flatCallTracer"})",
    R"({"tracer":"prestateTracer"})",
    R"({"tracer":"muxTracer","tracerConfig":{"callTracer":null,"prestateTracer":null}})",
};

/// Without end: calls 0xbb with a kilobyte, logs it, and reads a slot that it has not read yet.
constexpr const char* kEndless =
    "0x5b61040060006104006000600060bb5af1506104006000a0600154600101806001555450600056";

/// The same, as long as there is gas.
constexpr const char* kLong =
    "0x5b61040060006104006000600060bb5af1506104006000a060015460010180600155545061ffff5a1160005700";

class TraceBudgetTest : public testing::TestWithParam<const char*> {};

TEST_P(TraceBudgetTest, trace_that_is_too_large_ends_the_transaction) {
    TracedCall call(kEndless);
    call.tx().gas_limit = 16'000'000;
    TraceBudget budget(10'000, TraceBudget::Clock::time_point::max());
    EXPECT_EQ(call.trace(GetParam(), budget), "");
    EXPECT_EQ(budget.verdict(), Verdict::too_large);
    EXPECT_EQ(call.outcome().status, vm::Status::aborted);
}

TEST_P(TraceBudgetTest, transaction_beyond_the_deadline_ends) {
    TracedCall call(kEndless);
    call.tx().gas_limit = 16'000'000;
    TraceBudget budget(std::size_t{1} << 30, TraceBudget::Clock::now() - 1s);
    EXPECT_EQ(call.trace(GetParam(), budget), "");
    EXPECT_EQ(budget.verdict(), Verdict::too_late);
    EXPECT_EQ(call.outcome().status, vm::Status::aborted);
}

TEST_P(TraceBudgetTest, what_was_written_is_not_far_above_the_budget) {
    TracedCall call(kLong);
    call.tx().gas_limit = 3'000'000;
    const std::string whole = call.trace(GetParam());
    ASSERT_FALSE(whole.empty());
    // With what it takes there is a trace, with a third there is none.
    TraceBudget enough(2 * whole.size() + 1000, TraceBudget::Clock::time_point::max());
    EXPECT_EQ(call.trace(GetParam(), enough), whole);
    TraceBudget less(whole.size() / 3, TraceBudget::Clock::time_point::max());
    EXPECT_EQ(call.trace(GetParam(), less), "");
    EXPECT_EQ(less.verdict(), Verdict::too_large);
}

INSTANTIATE_TEST_SUITE_P(Tracers, TraceBudgetTest, testing::ValuesIn(kConfigs));

TEST(TraceBudget, loop_without_calls_ends_as_well) {
    TracedCall call("0x5b600056");
    call.tx().gas_limit = 16'000'000;
    TraceBudget budget(std::size_t{1} << 30, TraceBudget::Clock::now() - 1s);
    EXPECT_EQ(call.trace(R"({"tracer":"callTracer"})", budget), "");
    EXPECT_EQ(call.outcome().status, vm::Status::aborted);
}

TEST(TraceConfig, durations_are_read_as_in_go) {
    EXPECT_EQ(parse_duration("5s"), 5s);
    EXPECT_EQ(parse_duration("300ms"), 300ms);
    EXPECT_EQ(parse_duration("1.5s"), 1500ms);
    EXPECT_EQ(parse_duration("1m30s"), 90s);
    EXPECT_EQ(parse_duration("2h"), 2h);
    EXPECT_EQ(parse_duration("7us"), 7us);
    EXPECT_EQ(parse_duration("0"), 0s);
    for (const char* wrong : {"", "5", "s", "abc", "5x", "-5s", "5s7", "1e3s", "99999999999h"})
        EXPECT_THROW((void)parse_duration(wrong), InputError) << wrong;
}

TEST(TraceConfig, tracers_that_are_not_there_are_refused_with_the_reason) {
    TraceBudget budget(1000, TraceBudget::Clock::time_point::max());
    TraceConfig config;
    const auto text = [&](const char* name) {
        config.tracer = name;
        try {
            (void)make_tracer(config, budget);
        } catch (const InputError& error) {
            return std::string{error.what()};
        }
        return std::string{};
    };
    EXPECT_TRUE(text("fooTracer").starts_with("ReferenceError: fooTracer is not defined"));
    EXPECT_EQ(text("{result: function() { return 1 }, fault: function() {}}"),
              "tracers in JavaScript are not supported");
    EXPECT_EQ(text("callTracer"), "");
}

TEST(TraceConfig, a_tracer_with_an_empty_name_is_none) {
    TracedCall call("0x00");
    EXPECT_EQ(call.trace(R"({"tracer":"","disableStack":true})"),
              call.trace(R"({"disableStack":true})"));
}

TEST(TraceConfig, options_of_the_wrong_type_are_refused) {
    JsonParser parser;
    for (const char* wrong :
         {R"({"tracer":5})", R"({"disableStack":"x"})", R"({"limit":"x"})", R"({"limit":"5"})",
          R"({"limit":1.5e1})", R"({"limit":9223372036854775808})",
          R"({"limit":-9223372036854775809})", R"({"limit":-0.5})", "[]", "7"})
        EXPECT_THROW((void)parse_trace_config(parser.parse(wrong, "config")), InputError) << wrong;
    TracedCall call("0x00");
    for (const char* wrong : {R"({"tracer":"callTracer","tracerConfig":{"withLog":5}})",
                              R"({"tracer":"callTracer","tracerConfig":[]})",
                              R"({"tracer":"erc7562Tracer","tracerConfig":{"ignoredOpcodes":{}}})",
                              R"({"tracer":"erc7562Tracer","tracerConfig":{"ignoredOpcodes":[1]}})",
                              R"({"tracer":"muxTracer","tracerConfig":{"foo":{}}})",
                              R"({"tracer":"muxTracer","tracerConfig":{"muxTracer":{}}})"})
        EXPECT_THROW((void)call.trace(wrong), InputError) << wrong;
    EXPECT_NE(call.trace(R"({"reexec":128,"overrides":{},"unknown":1})"), "");
}

}  // namespace
}  // namespace heddle::node
