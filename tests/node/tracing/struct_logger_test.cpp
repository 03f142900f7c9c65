// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// What is expected is what geth 1.17 answers to debug_traceCall with the same code.

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "traced_call.hpp"

namespace heddle::node {
namespace {

using test::TracedCall;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// What the last step cost, in decimal digits.
std::string last_gas_cost(const std::string& trace) {
    const std::size_t at = trace.rfind("\"gasCost\":") + 10;
    return trace.substr(at, trace.find(',', at) - at);
}

TEST(StructLogger, steps_show_stack_and_cost) {
    TracedCall call("0x600101");
    EXPECT_EQ(call.trace("{}"),
              R"({"gas":1000000,"failed":true,"returnValue":"0x","structLogs":[)"
              R"({"pc":0,"op":"PUSH1","gas":979000,"gasCost":3,"depth":1,"stack":[]},)"
              R"({"pc":2,"op":"ADD","gas":978997,"gasCost":3,"depth":1,)"
              R"json("error":"stack underflow (1 <=> 2)","stack":["0x1"]}]})json");
}

TEST(StructLogger, storage_shows_all_slots_touched_so_far) {
    TracedCall call("0x600054600160005560025450");
    EXPECT_EQ(call.trace(R"({"disableStack":true})"),
              R"({"gas":45214,"failed":false,"returnValue":"0x","structLogs":[)"
              R"({"pc":0,"op":"PUSH1","gas":979000,"gasCost":3,"depth":1},)"
              R"({"pc":2,"op":"SLOAD","gas":978997,"gasCost":2100,"depth":1,"storage":{)"
              R"("0x0000000000000000000000000000000000000000000000000000000000000000":)"
              R"("0x0000000000000000000000000000000000000000000000000000000000000000"}},)"
              R"({"pc":3,"op":"PUSH1","gas":976897,"gasCost":3,"depth":1},)"
              R"({"pc":5,"op":"PUSH1","gas":976894,"gasCost":3,"depth":1},)"
              R"({"pc":7,"op":"SSTORE","gas":976891,"gasCost":20000,"depth":1,"storage":{)"
              R"("0x0000000000000000000000000000000000000000000000000000000000000000":)"
              R"("0x0000000000000000000000000000000000000000000000000000000000000001"}},)"
              R"({"pc":8,"op":"PUSH1","gas":956891,"gasCost":3,"depth":1},)"
              R"({"pc":10,"op":"SLOAD","gas":956888,"gasCost":2100,"depth":1,"storage":{)"
              R"("0x0000000000000000000000000000000000000000000000000000000000000000":)"
              R"("0x0000000000000000000000000000000000000000000000000000000000000001",)"
              R"("0x0000000000000000000000000000000000000000000000000000000000000002":)"
              R"("0x0000000000000000000000000000000000000000000000000000000000000000"}},)"
              R"({"pc":11,"op":"POP","gas":954788,"gasCost":2,"depth":1},)"
              R"({"pc":12,"op":"STOP","gas":954786,"gasCost":0,"depth":1}]})");
}

TEST(StructLogger, failures_found_while_executing_are_not_the_steps) {
    TracedCall jump("0x600456");
    EXPECT_EQ(jump.trace(R"({"disableStack":true})"),
              R"({"gas":1000000,"failed":true,"returnValue":"0x","structLogs":[)"
              R"({"pc":0,"op":"PUSH1","gas":979000,"gasCost":3,"depth":1},)"
              R"({"pc":2,"op":"JUMP","gas":978997,"gasCost":8,"depth":1}]})");
    TracedCall revert("0x60006000fd");
    EXPECT_EQ(revert.trace(R"({"disableStack":true})"),
              R"({"gas":21006,"failed":true,"returnValue":"0x","structLogs":[)"
              R"({"pc":0,"op":"PUSH1","gas":979000,"gasCost":3,"depth":1},)"
              R"({"pc":2,"op":"PUSH1","gas":978997,"gasCost":3,"depth":1},)"
              R"({"pc":4,"op":"REVERT","gas":978994,"gasCost":0,"depth":1}]})");
}

TEST(StructLogger, cost_of_a_call_includes_what_it_passes_on) {
    TracedCall call("0x600060006000600060bb61fffffa", "0x6001600055");
    const std::string text = call.trace(R"({"disableStorage":true})");
    EXPECT_NE(text.find(R"({"pc":13,"op":"STATICCALL","gas":978982,"gasCost":68135,)"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find(R"({"pc":4,"op":"SSTORE","gas":65529,"gasCost":0,"depth":2,)"
                        R"("error":"out of gas: write protection","stack":["0x1","0x0"]})"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find(R"({"pc":14,"op":"STOP","gas":910847,"gasCost":0,"depth":1,)"),
              std::string::npos)
        << text;
}

TEST(StructLogger, cost_of_a_log_that_fails_is_the_whole_one) {
    TracedCall forbidden("0x600060006000600060bb5afa", "0x60046005a0");
    EXPECT_NE(forbidden.trace("{}").find(R"("op":"LOG0","gas":961122,"gasCost":410,)"),
              std::string::npos)
        << forbidden.trace("{}");
    TracedCall dear("0x600560d56000a1");
    dear.tx().gas_limit = 21'000 + 600;
    EXPECT_NE(dear.trace("{}").find(R"("op":"LOG1","gas":591,"gasCost":2475,)"), std::string::npos)
        << dear.trace("{}");
}

// As in geth, whether it may be written is asked when its price is known.
TEST(StructLogger, a_log_that_may_not_be_written_is_first_one_that_cannot_be_paid) {
    const auto expect = [](std::string_view offset, std::string_view cost, std::string_view error) {
        // Four bytes at the offset.
        TracedCall call("0x600060006000600060bb5afa", "0x6004" + std::string(offset) + "a0");
        EXPECT_NE(
            call.trace("{}").find(fmt::format(R"("op":"LOG0","gas":961122,"gasCost":{},"depth":2,)"
                                              R"("error":"{}",)",
                                              cost, error)),
            std::string::npos)
            << call.trace("{}");
        EXPECT_NE(call.trace(R"({"tracer":"callTracer"})")
                      .find(fmt::format(R"("error":"{}","type":"STATICCALL")", error)),
                  std::string::npos)
            << call.trace(R"({"tracer":"callTracer"})");
    };
    expect("6340000000", "2199124050330", "out of gas");
    expect("65010000000000", "0", "out of gas: gas uint64 overflow");
    expect("68010000000000000000", "0", "gas uint64 overflow");
}

// As geth 1.17.8 tells it.
TEST(StructLogger, cost_of_what_cannot_be_paid_is_the_whole_one) {
    const auto last_cost = [](std::string_view code, std::uint64_t gas) {
        TracedCall call(code);
        call.tx().gas_limit = 21'000 + gas;
        return last_gas_cost(call.trace("{}"));
    };
    EXPECT_EQ(last_cost("0x600261010052", 6 + 5), "30") << "MSTORE";
    EXPECT_EQ(last_cost("0x61010051", 3 + 20), "30") << "MLOAD";
    EXPECT_EQ(last_cost("0x600261010053", 6 + 5), "30") << "MSTORE8";
    EXPECT_EQ(last_cost("0x610100600020", 6 + 30), "102") << "KECCAK256";
    EXPECT_EQ(last_cost("0x61010060006000"
                        "37",
                        9 + 20),
              "51")
        << "CALLDATACOPY";
    EXPECT_EQ(last_cost("0x61010060006000"
                        "5e",
                        9 + 20),
              "51")
        << "MCOPY";
    EXPECT_EQ(last_cost("0x61010060006000610bb83c", 12 + 101), "2648") << "EXTCODECOPY";
    EXPECT_EQ(last_cost("0x61010060006000"
                        "6005"
                        "3c",
                        12 + 101),
              "148")
        << "of a warm account";
    EXPECT_EQ(last_cost("0x6101006000f3", 6 + 5), "24") << "RETURN";
    EXPECT_EQ(last_cost("0x61010060006000f0", 9 + 32'010), "32040") << "CREATE";
    EXPECT_EQ(last_cost("0x609960050a", 6 + 1), "60") << "EXP";
    EXPECT_EQ(last_cost("0x610bb8ff", 3 + 7'599), "5000") << "SELFDESTRUCT";
    EXPECT_EQ(last_cost("0x600261010052", 6 + 2), "3") << "not even that";
    EXPECT_EQ(last_cost("0x6002650100000000"
                        "0052",
                        6 + 500),
              "3")
        << "no memory is that large";
}

// EIP-8038: of what EXTCODESIZE and EXTCODECOPY cost, geth charges the first of two reads at once.
TEST(StructLogger, reading_code_that_cannot_be_paid_shows_one_read_or_all) {
    const auto last_cost = [](std::string_view code, std::uint64_t gas) {
        TracedCall call(code);
        call.env().revision = Revision::amsterdam;
        call.tx().gas_limit = 15'000 + gas;
        return last_gas_cost(call.trace("{}"));
    };
    EXPECT_EQ(last_cost("0x3b", 100), "100") << "no operand";
    EXPECT_EQ(last_cost("0x610bb83b", 3 + 99), "100");
    EXPECT_EQ(last_cost("0x610bb83b", 3 + 150), "3100");
    EXPECT_EQ(last_cost("0x610bb83b", 3 + 3'099), "3100");
    EXPECT_EQ(last_cost("0x60053b", 3 + 150), "200") << "of a warm account";
    EXPECT_EQ(last_cost("0x3c", 100), "100") << "no operands";
    EXPECT_EQ(last_cost("0x61010060006000610bb83c", 12 + 99), "100");
    EXPECT_EQ(last_cost("0x61010060006000610bb83c", 12 + 150), "3148");
    EXPECT_EQ(last_cost("0x61010060006000610bb83c", 12 + 201), "3148");
}

// As geth 1.17.8, which looks at the size before it asks for the memory's price.
TEST(StructLogger, a_creation_with_too_much_code_shows_the_static_cost) {
    const auto trace = [](std::string_view code, Revision revision, std::uint64_t gas) {
        TracedCall call(code);
        call.env().revision = revision;
        call.tx().gas_limit = gas;
        return call.trace("{}");
    };
    const auto expect = [](const std::string& text, std::string_view cost, std::string_view why) {
        EXPECT_EQ(last_gas_cost(text), cost) << text;
        EXPECT_NE(text.find(why), std::string::npos) << text;
    };
    const std::string_view just_above =
        "0x620200016000"
        "6000f0";
    const std::string_view far_above = "0x62ffffff60006000f0";
    expect(trace(just_above, Revision::amsterdam, 15'009 + 300'000), "12000",
           "code size 131073 limit 131072");
    expect(trace(far_above, Revision::amsterdam, 15'009 + 40'000), "12000",
           "code size 16777215 limit 131072");
    expect(trace(far_above, Revision::osaka, 21'009 + 40'000), "32000",
           "code size 16777215 limit 49152");
    expect(trace(just_above, Revision::amsterdam, 15'009 + 11'999), "12000",
           R"("error":"out of gas","stack")");
}

// What they need on the stack beyond a few words is found when they are carried out.
TEST(StructLogger, instructions_with_an_immediate_fail_as_steps_for_lack_of_a_few_words_alone) {
    const auto has_error = [](std::string_view code) {
        TracedCall call(code);
        call.env().revision = Revision::amsterdam;
        return call.trace("{}").contains(R"("error":"stack underflow)");
    };
    EXPECT_TRUE(has_error("0xe65b"));
    EXPECT_TRUE(has_error("0x5fe8"));
    EXPECT_FALSE(has_error("0x5fe680"));
    EXPECT_FALSE(has_error("0x5f5fe8"));
    EXPECT_FALSE(has_error("0x5fe65b"));
}

// As geth 1.17.8 tells it, too.
TEST(StructLogger, a_self_destruction_that_cannot_be_paid_shows_its_price_and_its_refund) {
    const auto shown = [](Revision revision, std::uint64_t gas) {
        TracedCall call("0x610bb8ff");
        call.env().revision = revision;
        call.tx().gas_limit = 21'000 + 3 + gas;
        const std::string text = call.trace(R"({"disableStack":true})");
        const std::size_t at = text.rfind("\"gasCost\":");
        return text.substr(at, text.rfind('}', text.size() - 2) - at);
    };
    using enum Revision;
    for (const Revision revision : {tangerine_whistle, spurious_dragon, byzantium, istanbul})
        for (const std::uint64_t gas : {100u, 5'000u, 29'999u})
            EXPECT_THAT(shown(revision, gas),
                        AllOf(HasSubstr(R"("gasCost":30000,)"), HasSubstr(R"("refund":24000)"),
                              HasSubstr("out of gas")))
                << to_string(revision) << ' ' << gas;
    EXPECT_THAT(shown(berlin, 100), Not(HasSubstr("refund")));
    EXPECT_THAT(shown(berlin, 7'599), Not(HasSubstr("refund"))) << "nobody has looked";
    EXPECT_THAT(shown(berlin, 32'599),
                AllOf(HasSubstr(R"("gasCost":32600,)"), HasSubstr(R"("refund":24000)")));
    EXPECT_THAT(shown(london, 32'599), Not(HasSubstr("refund")));
}

TEST(StructLogger, gas_that_a_call_passes_on_is_no_sum_where_it_is_beyond_64_bits) {
    // Five zeros and 0xbb are on the stack of CALL, four and 0xbb on that of DELEGATECALL.
    const auto shown = [](std::string_view gas, std::string_view opcode) {
        TracedCall call("0x60006000600060006000" + std::string{"60bb"} + std::string{gas} +
                        std::string{opcode});
        call.env().revision = Revision::homestead;
        call.tx().gas_limit = 100'000;
        const std::string text = call.trace(R"({"disableStack":true})");
        return text.substr(text.rfind("\"gasCost\":"));
    };
    for (const std::string_view opcode : {"f1", "f2", "f4"}) {
        EXPECT_THAT(shown("68010000000000000000", opcode),
                    AllOf(HasSubstr(R"("gasCost":40,)"),
                          HasSubstr(R"("error":"out of gas: gas uint64 overflow")")))
            << opcode;
        EXPECT_THAT(shown("674000000000000000", opcode),
                    AllOf(HasSubstr(R"("gasCost":4611686018427387944,)"),
                          HasSubstr(R"("error":"out of gas")")))
            << opcode;
    }
}

TEST(StructLogger, memory_and_return_data_where_they_are_wanted) {
    const std::string config = R"({"enableMemory":true,"enableReturnData":true})";
    TracedCall call("0x600160005260006000600060006000305af100");
    call.tx().gas_limit = 30'000;
    const std::string text = call.trace(config);
    EXPECT_NE(text.find(R"("op":"PUSH1","gas":8988,"gasCost":3,"depth":1,"stack":[],"memory":[)"
                        R"("0x0000000000000000000000000000000000000000000000000000000000000001"])"),
              std::string::npos)
        << text;
    EXPECT_EQ(call.trace("{}").find("memory"), std::string::npos);
    TracedCall caller("0x600060006000600060bb61fffffa00", "0x60ab60005260206000f3");
    EXPECT_NE(
        caller.trace(config).find(
            R"("returnData":"0x00000000000000000000000000000000000000000000000000000000000000ab")"),
        std::string::npos);
}

TEST(StructLogger, no_step_starts_beyond_the_limit) {
    TracedCall call("0x6001600160016001600160016001600160016001");
    EXPECT_EQ(call.trace(R"({"limit":1})"),
              R"({"gas":21030,"failed":false,"returnValue":"0x","structLogs":[)"
              R"({"pc":0,"op":"PUSH1","gas":979000,"gasCost":3,"depth":1,"stack":[]}]})");
}

TEST(StructLogger, nothing_is_within_a_limit_below_zero) {
    for (const char* limit : {"-1", "-9223372036854775808"}) {
        TracedCall call("0x6001600101");
        EXPECT_EQ(call.trace(fmt::format(R"({{"limit":{}}})", limit)),
                  R"({"gas":21009,"failed":false,"returnValue":"0x","structLogs":[]})");
    }
}

// EIP-8037: SSTORE(0, 1) and SSTORE(0, 0). The first pays for its slot out of the gas for
// execution, the second gets that back; neither is part of what the instruction costs.
TEST(StructLogger, state_gas_is_no_part_of_the_cost) {
    TracedCall call("0x60015f555f5f55");
    call.env().revision = Revision::amsterdam;
    const std::string text = call.trace(R"({"disableStack":true,"disableStorage":true})");
    EXPECT_NE(text.find(R"("op":"SSTORE","gas":984995,"gasCost":12100)"), std::string::npos)
        << text;
    EXPECT_NE(text.find(R"("op":"PUSH0","gas":874975,"gasCost":2)"), std::string::npos) << text;
    EXPECT_NE(text.find(R"("op":"SSTORE","gas":874971,"gasCost":100)"), std::string::npos) << text;
    EXPECT_NE(text.find(R"("op":"STOP","gas":972791)"), std::string::npos) << text;
}

TEST(StructLogger, a_transaction_that_ends_before_its_message_shows_no_step) {
    TracedCall call("0x5f");
    call.env().revision = Revision::amsterdam;
    call.tx().to = address_from_low64(0xdd);
    call.tx().value = 1;
    call.tx().gas_limit = 21'000 + 183'599;
    EXPECT_EQ(call.trace("{}"),
              R"({"gas":204599,"failed":true,"returnValue":"0x","structLogs":[]})");
    EXPECT_NE(call.trace(R"({"tracer":"callTracer"})").find(R"("error":"out of gas")"),
              std::string::npos);
}

TEST(StructLogger, returned_data_is_the_value) {
    TracedCall call("0x60ab60005260206000f3");
    const std::string text = call.trace(R"({"disableStack":true})");
    const std::string value = std::string(62, '0') + "ab";
    EXPECT_NE(text.find(R"("returnValue":"0x)" + value + "\""), std::string::npos) << text;
}

}  // namespace
}  // namespace heddle::node
