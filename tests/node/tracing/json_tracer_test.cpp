// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Lines as geth 1.17.10 writes them (`evm statetest --trace`), for steps that end a call.
#include "tracing/json_tracer.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <types/signing.hpp>

#include "traced_call.hpp"

namespace heddle::node {
namespace {

using test::TracedCall;

constexpr JsonTracerOptions kWithMemory{
    .with_memory = true, .with_return_data = false, .with_stack = true};

/// From the line on that has `start`.
std::string from(const std::string& lines, std::string_view start) {
    const auto at = lines.find(start);
    EXPECT_NE(at, std::string::npos) << lines;
    return at == std::string::npos ? "" : lines.substr(lines.rfind('\n', at) + 1);
}

TEST(JsonTracer, a_revert_shows_once_more_when_it_has_failed) {
    TracedCall call("0x60205ffd");  // REVERT(0, 32)
    EXPECT_EQ(
        from(call.json_lines(kWithMemory), R"("op":253)"),
        R"({"pc":3,"op":253,"gas":"0xef033","gasCost":"0x3","memSize":0,"stack":["0x20","0x0"],)"
        R"("depth":1,"refund":0,"opName":"REVERT"})"
        "\n"
        R"({"pc":3,"op":253,"gas":"0xef033","gasCost":"0x3",)"
        R"("memory":"0x0000000000000000000000000000000000000000000000000000000000000000",)"
        R"("memSize":32,"stack":[],"depth":1,"refund":0,"opName":"REVERT",)"
        R"("error":"execution reverted"})"
        "\n"
        R"({"output":"0000000000000000000000000000000000000000000000000000000000000000",)"
        R"("gasUsed":"0x8","error":"execution reverted"})"
        "\n");
}

// EIP-8037: its 183,600 are asked for when it is carried out, after its own cost was paid.
TEST(JsonTracer, a_creation_without_gas_for_its_account_fails_while_it_is_carried_out) {
    TracedCall call("0x60205f5ff0");  // CREATE(0, 0, 32)
    call.env().revision = Revision::amsterdam;
    call.tx().gas_limit = 150'000;
    EXPECT_EQ(
        from(call.json_lines(kWithMemory), R"("op":240)"),
        R"({"pc":4,"op":240,"gas":"0x20f51","gasCost":"0x2ee5","memSize":0,)"
        R"("stack":["0x20","0x0","0x0"],"depth":1,"refund":0,"opName":"CREATE"})"
        "\n"
        R"({"pc":4,"op":240,"gas":"0x20f51","gasCost":"0x2ee5",)"
        R"("memory":"0x0000000000000000000000000000000000000000000000000000000000000000",)"
        R"("memSize":32,"stack":[],"depth":1,"refund":0,"opName":"CREATE","error":"out of gas"})"
        "\n"
        R"({"output":"","gasUsed":"0x20f58","error":"out of gas"})"
        "\n");
}

// As geth's `--trace.callframes`: what a static call has for a value is nothing at all.
TEST(JsonTracer, tells_of_the_start_of_calls) {
    // CALL with 3 wei and a byte of input, STATICCALL, and the end of it all.
    TracedCall call("0x5f5f60015f600360bb62010000f1505f5f5f5f60bb62010000fa5060bbff");
    const std::string lines = call.json_lines({.with_memory = true, .with_call_frames = true});
    const auto count = [&](std::string_view text) {
        std::size_t found = 0;
        for (std::size_t at = lines.find(text); at != std::string::npos;
             at = lines.find(text, at + 1))
            ++found;
        return found;
    };
    const std::string ends = R"("from":"0x00000000000000000000000000000000000000aa",)"
                             R"("to":"0x00000000000000000000000000000000000000bb",)";
    EXPECT_TRUE(lines.starts_with(R"({"from":"0x00000000000000000000000000000000000000cc",)"
                                  R"("to":"0x00000000000000000000000000000000000000aa",)"
                                  R"("gas":"0xef038","value":"0x0","type":"CALL"})"
                                  "\n"))
        << lines;
    EXPECT_EQ(count("{" + ends +
                    R"("input":"0x00","gas":"0x108fc","value":"0x3","type":"CALL"})"
                    "\n"),
              1u)
        << lines;
    EXPECT_EQ(count("{" + ends +
                    R"("gas":"0x10000","value":null,"type":"STATICCALL"})"
                    "\n"),
              1u)
        << lines;
    EXPECT_EQ(count("{" + ends +
                    R"("gas":"0x0","value":"0x61","type":"SELFDESTRUCT"})"
                    "\n"
                    R"({"output":"","gasUsed":"0x0"})"
                    "\n"),
              1u)
        << lines;
    EXPECT_EQ(call.json_lines({}).find("from"), std::string::npos);
}

TEST(JsonTracer, a_creation_that_cannot_pay_itself_fails_before_it_is_carried_out) {
    TracedCall call("0x60205f5ff0");
    call.env().revision = Revision::amsterdam;
    call.tx().gas_limit = 15'000 + 10'000;
    const std::string lines = from(call.json_lines(kWithMemory), R"("op":240)");
    EXPECT_NE(lines.find(R"("opName":"CREATE","error":"out of gas")"), std::string::npos) << lines;
    EXPECT_EQ(lines.find(R"("op":240)", lines.find('\n')), std::string::npos) << lines;
}

// EIP-2780: 9,000 for the authority's account and 183,600 + 35,190 of state gas are one price.
TEST(JsonTracer, a_transaction_that_cannot_pay_an_authorization_had_all_its_gas) {
    TracedCall call("0x5f");
    call.env().revision = Revision::amsterdam;
    call.env().chain_id = 1;
    Transaction& tx = call.tx();
    tx.type = TransactionType::set_code;
    tx.chain_id = 1;
    tx.gas_limit = 200'000;
    Authorization& authorization = tx.authorization_list.emplace_back();
    authorization.chain_id = 1;
    authorization.address = TracedCall::kOther;
    ASSERT_TRUE(sign_authorization(authorization, to_hash(Uint256{7})));

    EXPECT_EQ(call.json_lines(kWithMemory),
              "{\"output\":\"\",\"gasUsed\":\"0x2b420\",\"error\":\"out of gas\"}\n");
}

/// The last line with an instruction.
std::string last_step(TracedCall& call) {
    const std::string lines = call.json_lines({});
    const auto at = lines.rfind("{\"pc\"");
    return lines.substr(at, lines.find('\n', at) - at);
}

TEST(JsonTracer, what_is_no_instruction_yet_takes_nothing) {
    TracedCall call(
        "0x600160646021"
        "5e");  // MCOPY
    call.env().revision = Revision::byzantium;
    EXPECT_EQ(last_step(call),
              R"({"pc":6,"op":94,"gas":"0xef02f","gasCost":"0x0","memSize":0,)"
              R"("stack":["0x1","0x64","0x21"],"depth":1,"refund":0,"opName":"MCOPY",)"
              R"("error":"invalid opcode: MCOPY"})");
}

TEST(JsonTracer, instructions_of_a_fork_that_never_was_have_names) {
    TracedCall call("0xd3");
    EXPECT_EQ(last_step(call),
              R"({"pc":0,"op":211,"gas":"0xef038","gasCost":"0x0","memSize":0,"stack":[],)"
              R"("depth":1,"refund":0,"opName":"DATACOPY","error":"invalid opcode: DATACOPY"})");
}

// As geth's encoder does, which thinks of HTML. Of a log nothing is charged before the rest.
TEST(JsonTracer, errors_are_escaped) {
    TracedCall call("0x60016002a1");
    EXPECT_EQ(last_step(call), R"({"pc":4,"op":161,"gas":"0xef032","gasCost":"0x0","memSize":0,)"
                               R"("stack":["0x1","0x2"],"depth":1,"refund":0,"opName":"LOG1",)"
                               R"json("error":"stack underflow (2 \u003c=\u003e 3)"})json");
}

// A STATICCALL to the caller itself with 2^64 - 1 gas: of what is left for it nothing is, and geth
// counts on with 64 bits.
TEST(JsonTracer, cost_of_a_call_that_cannot_pay_its_memory_goes_round) {
    TracedCall call(
        "0x6020604060206201000060aa67ffffffffffffffff"
        "fa");
    call.env().revision = Revision::istanbul;
    call.tx().gas_limit = 21'000 + 18 + 0x1be6;
    EXPECT_EQ(last_step(call),
              R"({"pc":21,"op":250,"gas":"0x1be6","gasCost":"0xfc00000000001c62","memSize":0,)"
              R"("stack":["0x20","0x40","0x20","0x10000","0xaa","0xffffffffffffffff"],)"
              R"("depth":1,"refund":0,"opName":"STATICCALL","error":"out of gas"})");
}

TEST(JsonTracer, a_call_for_more_memory_than_there_is_shows_its_static_cost) {
    // DELEGATECALL with 2^64 - 1 bytes of output.
    TracedCall call(
        "0x67ffffffffffffffff6000600060006101015a"
        "f4");
    call.env().revision = Revision::istanbul;
    EXPECT_EQ(last_step(call),
              R"({"pc":19,"op":244,"gas":"0xef027","gasCost":"0x2bc","memSize":0,)"
              R"("stack":["0xffffffffffffffff","0x0","0x0","0x0","0x101","0xef027"],)"
              R"("depth":1,"refund":0,"opName":"DELEGATECALL","error":"gas uint64 overflow"})");
}

TEST(JsonTracer, a_call_that_cannot_pay_itself_is_not_asked_for_its_memory) {
    TracedCall call(
        "0x67ffffffffffffffff60018080808080"
        "f1");
    call.env().revision = Revision::istanbul;
    call.tx().gas_limit = 21'000 + 22 + 3;
    EXPECT_NE(last_step(call).find(R"("gasCost":"0x2bc")"), std::string::npos);
    EXPECT_NE(last_step(call).find(R"("error":"out of gas"})"), std::string::npos);
}

// No failure, but geth says it.
TEST(JsonTracer, code_that_cannot_be_paid_in_frontier_shows_at_the_end) {
    TracedCall call("0x");
    call.env().revision = Revision::frontier;
    call.tx().to.reset();
    call.tx().data = from_hex("0x6103e86000f3").value();  // 1,000 bytes
    call.tx().gas_limit = 60'000;
    const std::string lines = call.json_lines({});
    EXPECT_TRUE(lines.ends_with("\"error\":\"contract creation code storage out of gas\"}\n"))
        << lines;
    EXPECT_EQ(call.outcome().status, vm::Status::success);
}

}  // namespace
}  // namespace heddle::node
