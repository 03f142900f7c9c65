// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// What is expected is what geth 1.17 answers to debug_traceCall with the same code.

#include <map>
#include <string>

#include <gtest/gtest.h>

#include <types/hash.hpp>

#include "traced_call.hpp"

namespace heddle::node {
namespace {

using test::TracedCall;

constexpr const char* kPreimages = R"({"tracer":"keccak256PreimageTracer"})";

std::string entry(const Bytes& preimage) {
    return "\"" + to_string(keccak256(preimage)) + "\":\"" + to_hex(preimage) + "\"";
}

TEST(OpcodeCountTracer, counts_steps_also_those_that_fail) {
    const auto count = [](std::string_view code) {
        return TracedCall(code).trace(R"({"tracer":"opcountTracer"})");
    };
    EXPECT_EQ(count("0x"), "0");
    EXPECT_EQ(count("0x6001"), "2");      // and STOP
    EXPECT_EQ(count("0x600150fe"), "3");  // INVALID
    EXPECT_EQ(count("0x50"), "1");        // without an operand
    EXPECT_EQ(TracedCall("0x5f5f5f5f5f60bb5af1", "0x5f").trace(R"({"tracer":"opcountTracer"})"),
              "11");
}

TEST(PreimageTracer, tells_what_was_hashed_once) {
    // Two bytes of memory, nothing twice, and 32 bytes of which none are there yet.
    TracedCall call(
        "0x61abcd5f526002601e2050"
        "5f5f20505f5f2050"
        "602060402050");
    Bytes zeros(32);
    std::map<std::string, std::string> sorted;
    for (const Bytes& preimage : {Bytes{0xab, 0xcd}, Bytes{}, zeros})
        sorted.emplace(to_string(keccak256(preimage)), entry(preimage));
    std::string expected = "{";
    for (const auto& [hash, text] : sorted)
        expected += (expected.size() > 1 ? "," : "") + text;
    EXPECT_EQ(call.trace(kPreimages), expected + "}");
    EXPECT_EQ(TracedCall("0x").trace(kPreimages), "{}");
}

TEST(PreimageTracer, tells_what_could_not_be_paid_for_unless_it_is_far_away) {
    // 0x10000 bytes, for which 600 gas do not suffice.
    TracedCall unpaid("0x620100005f20");
    unpaid.tx().gas_limit = 21'000 + 600;
    EXPECT_EQ(unpaid.trace(kPreimages), "{" + entry(Bytes(0x10000)) + "}");
    // Nothing, two mebibytes behind the memory; and more bytes than anybody has.
    EXPECT_EQ(TracedCall("0x5f6220000020").trace(kPreimages), "{}");
    EXPECT_EQ(TracedCall("0x67ffffffffffffffff5f20").trace(kPreimages), "{}");
    EXPECT_EQ(TracedCall("0x20").trace(kPreimages), "{}");
}

TEST(PreimageTracer, writes_no_more_than_it_may) {
    // A mebibyte again and again, each time with another first word.
    TracedCall call(
        "0x5b6001545f525f5180600101600155621000005f2050"
        "5f56");
    call.tx().gas_limit = 16'000'000;
    TraceBudget budget(std::size_t{10} << 20, TraceBudget::Clock::time_point::max());
    EXPECT_EQ(call.trace(kPreimages, budget), "");
    EXPECT_EQ(budget.verdict(), TraceBudget::Verdict::too_large);
}

TEST(MuxTracer, gives_memory_to_those_that_want_it) {
    TracedCall call("0x61abcd5f526002601e20");
    EXPECT_EQ(call.trace(R"({"tracer":"muxTracer","tracerConfig":{"keccak256PreimageTracer":null,)"
                         R"("opcountTracer":null}})"),
              R"({"keccak256PreimageTracer":{)" + entry({0xab, 0xcd}) + R"(},"opcountTracer":7})");
}

/// The part of a trace from one text to the next one that is closed there.
std::string part(const std::string& trace, std::string_view from, std::string_view to) {
    const std::size_t begin = trace.find(from);
    return begin == std::string::npos ? trace : trace.substr(begin, trace.find(to, begin) - begin);
}

TEST(Erc7562Tracer, tells_slots_instructions_and_sizes_of_contracts) {
    // SLOAD 1 twice, SSTORE 2, SLOAD 2, TLOAD 3, TSTORE 4 twice, GAS by itself, GAS for a call of
    // 0xbb, and EXTCODESIZE of 0xbb that is asked for more than whether there is a contract.
    TracedCall call(
        "0x60015450600154506005600255600254506003"
        "5c50"
        "5f60045d5f60045d"
        "5a50"
        "5f5f5f5f60bb5afa50"
        "60bb3b50"
        "60cc3b1550",
        "0x5f5f20");
    call.state().set_storage(TracedCall::kContract, Uint256{1}, Uint256{7});
    const std::string trace = call.trace(R"({"tracer":"erc7562Tracer"})");
    const auto word = [](std::uint64_t value) { return to_string(to_hash(Uint256{value})); };

    EXPECT_EQ(part(trace, "\"accessedSlots\"", ",\"extCodeAccessInfo\""),
              R"("accessedSlots":{"reads":{")" + word(1) + R"(":[")" + word(7) +
                  R"("]},"writes":{")" + word(2) + R"(":1},"transientReads":{")" + word(3) +
                  R"(":1},"transientWrites":{")" + word(4) + R"(":2}})");
    EXPECT_EQ(part(trace, "\"extCodeAccessInfo\"", ",\"outOfGas\""),
              R"("extCodeAccessInfo":["0x00000000000000000000000000000000000000bb"],)"
              R"("usedOpcodes":{"0x0":1,"0x3b":2,"0x54":3,"0x55":1,"0x5a":1,"0x5c":1,"0x5d":2,)"
              R"("0xfa":1},"contractSize":{"0x00000000000000000000000000000000000000bb":)"
              R"({"contractSize":3,"opcode":250},"0x00000000000000000000000000000000000000cc":)"
              R"({"contractSize":0,"opcode":59}})");
    EXPECT_NE(trace.find(R"("outOfGas":false,"keccak":["0x"],"calls":[{"from":)"),
              std::string::npos)
        << trace;
    EXPECT_TRUE(trace.ends_with(R"(,"outOfGas":false,"type":"STATICCALL"}],"type":"CALL"})"))
        << trace;
}

TEST(Erc7562Tracer, sizes_are_those_of_the_moment) {
    // CREATE of one byte of code (PUSH1 1 PUSH0 RETURN), its size, and the size of what was made in
    // a call that was undone; first the size of the address while it is nothing.
    const Address made = create_address(TracedCall::kContract, 0);
    const std::string address = to_string(made).substr(2);
    TracedCall call("0x73" + address +
                    "3b50"
                    "6360015ff35f526004601c5ff0503d50");
    const std::string before = call.trace(R"({"tracer":"erc7562Tracer"})");
    EXPECT_NE(before.find("\"" + to_string(made) + R"(":{"contractSize":0,"opcode":59})"),
              std::string::npos)
        << before;
    TracedCall later(
        "0x6360015ff35f526004601c5ff050"
        "73" +
        address + "3b50");
    const std::string after = later.trace(R"({"tracer":"erc7562Tracer"})");
    EXPECT_NE(after.find("\"" + to_string(made) + R"(":{"contractSize":1,"opcode":59})"),
              std::string::npos)
        << after;
}

TEST(Erc7562Tracer, what_stands_where_a_creation_fails_keeps_its_size) {
    const Address there = create2_address(TracedCall::kContract, Uint256{}, keccak256(BytesView{}));
    TracedCall call("0x6000600060006000f55073" + to_string(there).substr(2) + "3b50");
    call.set_code(there, "0x600160025b", 0);
    const std::string trace = call.trace(R"({"tracer":"erc7562Tracer"})");
    EXPECT_NE(trace.find("\"" + to_string(there) + R"(":{"contractSize":5,"opcode":59})"),
              std::string::npos)
        << trace;
}

TEST(Erc7562Tracer, counts_what_it_is_told_to) {
    const std::string trace =
        TracedCall("0x6001600201")
            .trace(R"({"tracer":"erc7562Tracer","tracerConfig":{"ignoredOpcodes":["0x60"]}})");
    EXPECT_NE(trace.find(R"("usedOpcodes":{"0x0":1,"0x1":1})"), std::string::npos) << trace;
}

}  // namespace
}  // namespace heddle::node
