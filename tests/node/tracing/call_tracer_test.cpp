// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// What is expected is what geth 1.17 answers to debug_traceCall with the same code.

#include <string>

#include <gtest/gtest.h>

#include "traced_call.hpp"

namespace heddle::node {
namespace {

using test::TracedCall;

std::string call_trace(TracedCall& call, const std::string& options = "{}") {
    return call.trace(R"({"tracer":"callTracer","tracerConfig":)" + options + "}");
}

/// The error of the outermost call.
std::string error_of(TracedCall& call) {
    const std::string text = call_trace(call);
    JsonParser parser;
    const auto error = parser.parse(text, "trace").find("error");
    return error.has_value() ? std::string{error->string()} : "";
}

std::string error_of(std::string_view code, std::uint64_t gas = 1'000'000) {
    TracedCall call(code);
    call.tx().gas_limit = gas;
    return error_of(call);
}

TEST(CallTracer, failures_have_geths_names) {
    EXPECT_EQ(error_of("0x01"), "stack underflow (0 <=> 2)");
    EXPECT_EQ(error_of("0xfe"), "invalid opcode: INVALID");
    EXPECT_EQ(error_of("0x0c"), "invalid opcode: opcode 0xc not defined");
    EXPECT_EQ(error_of("0x600456"), "invalid jump destination");
    EXPECT_EQ(error_of("0x60006000fd"), "execution reverted");
    EXPECT_EQ(error_of("0x6001600155", 21'000 + 2'200),
              "out of gas: not enough gas for reentrancy sentry");
    EXPECT_EQ(error_of("0x6001600155", 21'006 + 2'400), "out of gas");
    EXPECT_EQ(error_of("0x60017f" + std::string(64, 'f') + "52"), "gas uint64 overflow");
    EXPECT_EQ(error_of("0x600165ffffffffffff52"), "out of gas: gas uint64 overflow");
    EXPECT_EQ(error_of("0x600163ffffffff52"), "out of gas");
    EXPECT_EQ(error_of("0x6001600060003e"), "return data out of bounds");
    EXPECT_EQ(error_of("0x61c00160006000f0", 10'000'000),
              "out of gas: max initcode size exceeded: code size 49153 limit 49152");
    std::string full = "0x";
    for (int i = 0; i < 1025; ++i)
        full += "5f";
    EXPECT_EQ(error_of(full), "stack limit reached 1024 (1023)");
}

TEST(CallTracer, instructions_with_an_immediate_name_it_where_it_is_none) {
    const auto error_under = [](Revision revision, std::string_view code) {
        TracedCall call(code);
        call.env().revision = revision;
        return error_of(call);
    };
    const auto error = [&](std::string_view code) {
        return error_under(Revision::amsterdam, code);
    };
    EXPECT_EQ(error("0x5fe65b"), "invalid opcode: DUPN (operand: 0x5b)");
    EXPECT_EQ(error("0x5f5fe760"), "invalid opcode: SWAPN (operand: 0x60)");
    EXPECT_EQ(error("0x5f5fe852"), "invalid opcode: EXCHANGE (operand: 0x52)");
    // A few words are asked for before that byte is looked at.
    EXPECT_EQ(error("0xe65b"), "stack underflow (0 <=> 1)");
    EXPECT_EQ(error("0x5fe7"), "stack underflow (1 <=> 2)");
    EXPECT_EQ(error("0x5fe852"), "stack underflow (1 <=> 2)");
    EXPECT_EQ(error("0x5fe680"), "stack underflow (1 <=> 17)");
    EXPECT_EQ(error("0x5f5fe8"), "stack underflow (2 <=> 17)");
    EXPECT_EQ(error_under(Revision::osaka, "0xe65b"), "invalid opcode: DUPN");
}

TEST(CallTracer, code_that_is_not_accepted_has_its_reason) {
    const auto deploy = [](std::string_view code, std::uint64_t gas) {
        TracedCall call("0x");
        call.tx().to.reset();
        call.tx().data = from_hex(code).value();
        call.tx().gas_limit = gas;
        return call_trace(call);
    };
    const auto has = [](const std::string& text, const std::string& part) {
        return text.find(part) != std::string::npos;
    };
    const std::string large = deploy("0x6160016000f3", 10'000'000);
    EXPECT_TRUE(has(large, R"("error":"max code size exceeded: code size 24577 limit 24576")"))
        << large;
    EXPECT_FALSE(has(large, R"("to":)")) << large;
    const std::string prefix = deploy("0x60ef60005360016000f3", 1'000'000);
    EXPECT_TRUE(has(prefix, R"("error":"invalid code: must not begin with 0xef")")) << prefix;
    const std::string dear = deploy("0x6110006000f3", 80'000);
    EXPECT_TRUE(has(dear, R"("error":"contract creation code storage out of gas")")) << dear;
    const std::string fine = deploy("0x6001600052600160fff3", 1'000'000);
    EXPECT_TRUE(
        has(fine, R"("gasUsed":"0xd08d","to":"0x1baa5ab74def02c1f8eb1140089456e95ded042d")"))
        << fine;
    EXPECT_TRUE(has(fine, R"("output":"0x00")")) << fine;
}

// Frontier made an account without code of it, and no failure.
TEST(CallTracer, code_that_cannot_be_paid_for_shows_in_frontier_too) {
    TracedCall call("0x");
    call.env().revision = Revision::frontier;
    call.tx().to.reset();
    call.tx().data = from_hex("0x60aa60005360016000f3").value();
    call.tx().gas_limit = 21'000 + 700;
    const std::string text = call_trace(call);
    EXPECT_NE(text.find(R"("output":"0xaa")"), std::string::npos) << text;
    EXPECT_EQ(text.find(R"("error")"), std::string::npos) << text;
    EXPECT_TRUE(call.outcome().diff.codes.empty());
}

TEST(CallTracer, refused_calls_are_told_with_the_reason) {
    TracedCall call("0x600060006000600061ffff60bb5af1");
    EXPECT_EQ(call_trace(call),
              R"({"from":"0x00000000000000000000000000000000000000cc","gas":"0xf4240",)"
              R"("gasUsed":"0xd818","to":"0x00000000000000000000000000000000000000aa",)"
              R"("input":"0x","calls":[{"from":"0x00000000000000000000000000000000000000aa",)"
              R"("gas":"0xe30a4","gasUsed":"0x0",)"
              R"("to":"0x00000000000000000000000000000000000000bb","input":"0x",)"
              R"("error":"insufficient balance for transfer","value":"0xffff","type":"CALL"}],)"
              R"("value":"0x0","type":"CALL"})");
}

TEST(CallTracer, calls_in_too_deep_a_stack_are_told) {
    // Calls itself, before EIP-150 with almost all that is left.
    TracedCall call("0x600060006000600060003061c3505a03f1");
    call.env().revision = Revision::frontier;
    call.env().gas_limit = 400'000'000;
    call.tx().gas_limit = 200'000'000;
    const std::string text = call_trace(call);
    EXPECT_NE(text.find(R"("error":"max call depth exceeded")"), std::string::npos);
}

TEST(CallTracer, logs_and_self_destructions_are_told_in_order) {
    TracedCall call("0x600160006000a160bb60ccff");
    call.set_first_log_index(3);
    EXPECT_EQ(call_trace(call, R"({"withLog":true})"),
              R"({"from":"0x00000000000000000000000000000000000000cc","gas":"0xf4240",)"
              R"("gasUsed":"0x688d","to":"0x00000000000000000000000000000000000000aa",)"
              R"("input":"0x","calls":[{"from":"0x00000000000000000000000000000000000000aa",)"
              R"("gas":"0x0","gasUsed":"0x0",)"
              R"("to":"0x00000000000000000000000000000000000000cc","input":"0x",)"
              R"("value":"0x64","type":"SELFDESTRUCT"}],"logs":[)"
              R"({"address":"0x00000000000000000000000000000000000000aa","topics":[)"
              R"("0x0000000000000000000000000000000000000000000000000000000000000001"],)"
              R"("data":"0x","index":"0x3","position":"0x0"}],"value":"0x0","type":"CALL"})");
    EXPECT_EQ(call_trace(call).find("logs"), std::string::npos);
}

TEST(CallTracer, only_the_top_call_on_demand) {
    TracedCall call("0x600060006000600060bb5af460006000a0", "0x60006000a0");
    const std::string text = call_trace(call, R"({"onlyTopCall":true,"withLog":true})");
    EXPECT_EQ(text.find("calls"), std::string::npos);
    EXPECT_NE(text.find(R"("index":"0x1","position":"0x0")"), std::string::npos) << text;
    EXPECT_EQ(text.find(R"("index":"0x0")"), std::string::npos) << text;
}

TEST(CallTracer, failures_of_ignored_calls_are_not_the_outermost_ones) {
    TracedCall call("0x600060006000600060bb5af460006000fd", "0x01");
    EXPECT_NE(call_trace(call, R"({"onlyTopCall":true})").find(R"("error":"execution reverted")"),
              std::string::npos);
    EXPECT_NE(call_trace(call).find(R"json("error":"stack underflow (0 <=> 2)")json"),
              std::string::npos);
}

TEST(CallTracer, revert_reasons_are_decoded) {
    TracedCall panic(
        "0x7f4e487b7100000000000000000000000000000000000000000000000000000000600052"
        "601160045260246000fd");
    EXPECT_NE(call_trace(panic).find(R"("revertReason":"arithmetic underflow or overflow")"),
              std::string::npos);
    TracedCall text(
        "0x7f08c379a000000000000000000000000000000000000000000000000000000000600052"
        "60206004526002602452616869"
        "60f01b60445260646000fd");
    EXPECT_NE(call_trace(text).find(R"("revertReason":"hi")"), std::string::npos);
    TracedCall binary(
        "0x7f08c379a000000000000000000000000000000000000000000000000000000000600052"
        "6020600452600260245261ffc3"
        "60f01b60445260646000fd");
    EXPECT_NE(call_trace(binary).find("\"revertReason\":\"\xef\xbf\xbd\xef\xbf\xbd\""),
              std::string::npos);
}

// What geth answers of what cannot be paid: whether it notices while it adds up what a call or a
// self-destruction costs, or only when that is charged.
TEST(CallTracer, calls_that_cannot_be_paid_say_how_far_their_cost_was_known) {
    const auto error_of = [](Revision revision, std::string_view code, std::uint64_t gas) {
        TracedCall call(code);
        call.env().revision = revision;
        const bool is_amsterdam = revision == Revision::amsterdam;  // EIP-2780
        call.tx().gas_limit = (is_amsterdam ? 15'000 : 21'000) + gas;
        const std::string trace = call.trace(R"({"tracer":"callTracer"})");
        JsonParser parser;
        return std::string{parser.parse(trace, "trace").at("error").string()};
    };
    constexpr std::string_view kEarly = "out of gas: out of gas";
    constexpr std::string_view kLate = "out of gas";
    // One wei to an account that is empty.
    constexpr std::string_view kCall = "0x6000600060006000600160bb6000f1";
    constexpr std::string_view kCallCode = "0x6000600060006000600160bb6000f2";

    EXPECT_EQ(error_of(Revision::cancun, kCall, 21 + 4'000), kEarly);
    EXPECT_EQ(error_of(Revision::cancun, kCall, 21 + 20'000), kLate);
    EXPECT_EQ(error_of(Revision::cancun, kCallCode, 21 + 2'000), kEarly);
    EXPECT_EQ(error_of(Revision::cancun, kCallCode, 21 + 4'000), kLate);
    EXPECT_EQ(error_of(Revision::byzantium, kCall, 21 + 4'402), kEarly);
    EXPECT_EQ(error_of(Revision::byzantium, kCall, 21 + 600), kLate);
    for (const Revision revision : {Revision::cancun, Revision::amsterdam}) {
        EXPECT_EQ(error_of(revision, "0x60bbff", 3 + 7'200), kEarly);
        EXPECT_EQ(error_of(revision, "0x60bbff", 3 + 8'500), kLate);
        EXPECT_EQ(error_of(revision, "0x60bbff", 3 + 4'000), kLate);
    }
    // EIP-150 makes it less that is passed on.
    EXPECT_EQ(error_of(Revision::homestead, "0x6000600060006000600060bb620ffffff1", 50'000), kLate);
}

TEST(FlatCallTracer, precompiles_are_left_out_unless_wanted) {
    TracedCall call("0x600060006000600060045afa");
    EXPECT_EQ(
        call.trace(R"({"tracer":"flatCallTracer"})"),
        R"([{"action":{"callType":"call","from":"0x00000000000000000000000000000000000000cc",)"
        R"("gas":"0xf4240","input":"0x","to":"0x00000000000000000000000000000000000000aa",)"
        R"("value":"0x0"},"result":{"gasUsed":"0x528c","output":"0x"},"subtraces":0,)"
        R"("traceAddress":[],"type":"call","blockHash":null,"blockNumber":0,)"
        R"("transactionHash":null,"transactionPosition":0}])");
    const std::string all =
        call.trace(R"({"tracer":"flatCallTracer","tracerConfig":{"includePrecompiles":true}})");
    EXPECT_NE(all.find(R"("callType":"staticcall")"), std::string::npos) << all;
    EXPECT_NE(all.find(R"("subtraces":1)"), std::string::npos) << all;
}

// geth's vectors leave the output out where it is empty; geth itself does not.
TEST(FlatCallTracer, a_call_that_ended_or_reverted_has_output_be_it_empty) {
    const auto result = [](std::string_view code) {
        TracedCall call(code);
        const std::string text = call.trace(R"({"tracer":"flatCallTracer"})");
        const auto from = text.find(R"("result":)");
        return from == std::string::npos ? "" : text.substr(from, text.find('}', from) - from + 1);
    };
    EXPECT_EQ(result("0x60006000fd"), R"("result":{"gasUsed":"0x520e","output":"0x"})");
    EXPECT_EQ(result("0x60016000fd"), R"("result":{"gasUsed":"0x5211","output":"0x00"})");
    EXPECT_EQ(result("0x00"), R"("result":{"gasUsed":"0x5208","output":"0x"})");
    EXPECT_EQ(result("0xfe"), "");
}

TEST(FlatCallTracer, errors_in_paritys_words_on_demand) {
    const std::string config =
        R"({"tracer":"flatCallTracer","tracerConfig":{"convertParityErrors":true}})";
    const auto error = [&](std::string_view code) {
        TracedCall call(code);
        const std::string text = call.trace(config);
        JsonParser parser;
        return std::string{parser.parse(text, "trace").element(0).at("error").string()};
    };
    EXPECT_EQ(error("0x01"), "Stack underflow");
    EXPECT_EQ(error("0xfe"), "Bad instruction");
    EXPECT_EQ(error("0x600056"), "Bad jump destination");
    EXPECT_EQ(error("0x60006000fd"), "Reverted");
    EXPECT_EQ(error("0x600165ffffffffffff52"), "Out of gas");
}

}  // namespace
}  // namespace heddle::node
