// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// What is expected is what geth 1.17 answers to debug_traceCall with the same code.

#include <chrono>
#include <ctime>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "authority.hpp"
#include "program/error.hpp"
#include "traced_call.hpp"

namespace heddle::node {
namespace {

using test::TracedCall;

TEST(PrestateTracer, shows_what_is_needed_without_what_is_empty) {
    TracedCall call("0x60bbff");
    EXPECT_EQ(
        call.trace(R"({"tracer":"prestateTracer"})"),
        R"({"0x00000000000000000000000000000000000000aa":{"balance":"0x64","code":"0x60bbff",)"
        R"("codeHash":"0xab04d6cd3bade03beab32922820158553b6b25b2f95a79eaeb481ca2035f4582"},)"
        R"("0x00000000000000000000000000000000000000cc":{"balance":"0xffffffffffffffff"}})");
}

TEST(PrestateTracer, diff_shows_both_sides) {
    TracedCall call("0x60bbff");
    EXPECT_EQ(call.trace(R"({"tracer":"prestateTracer","tracerConfig":{"diffMode":true}})"),
              R"({"post":{"0x0000000000000000000000000000000000000000":{"codeHash":)"
              R"("0x0000000000000000000000000000000000000000000000000000000000000000"},)"
              R"("0x00000000000000000000000000000000000000aa":{"balance":"0x0"},)"
              R"("0x00000000000000000000000000000000000000bb":{"balance":"0x64"},)"
              R"("0x00000000000000000000000000000000000000cc":{"nonce":1}},)"
              R"("pre":{"0x00000000000000000000000000000000000000aa":{"balance":"0x64",)"
              R"("code":"0x60bbff",)"
              R"("codeHash":"0xab04d6cd3bade03beab32922820158553b6b25b2f95a79eaeb481ca2035f4582"},)"
              R"("0x00000000000000000000000000000000000000cc":{"balance":"0xffffffffffffffff"}}})");
}

TEST(PrestateTracer, diff_of_slots_leaves_out_zero_and_unchanged_ones) {
    // Slot 1: 0 to 1; slot 2: 5 to 0; slot 3: read; slot 4: written as it was.
    TracedCall call("0x6001600155600060025560035460046004555000");
    call.state().set_storage(TracedCall::kContract, 2, 5);
    call.state().set_storage(TracedCall::kContract, 3, 6);
    call.state().set_storage(TracedCall::kContract, 4, 4);
    const std::string text = call.trace(
        R"({"tracer":"prestateTracer","tracerConfig":{"diffMode":true,"disableCode":true}})");
    const std::string zeros(63, '0');
    EXPECT_NE(text.find(R"("0x00000000000000000000000000000000000000aa":{"storage":{"0x)" + zeros +
                        R"(1":"0x)" + zeros + R"(1"}})"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find(R"("storage":{"0x)" + zeros + R"(2":"0x)" + zeros + R"(5"}},)"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.find(R"("code":)"), std::string::npos);
}

TEST(PrestateTracer, target_of_a_delegation_is_needed) {
    TracedCall call("0xef010000000000000000000000000000000000000000bb", "0x6001600055");
    const std::string text = call.trace(R"({"tracer":"prestateTracer"})");
    EXPECT_NE(text.find(R"("0x00000000000000000000000000000000000000bb":{"balance":"0x0",)"
                        R"("code":"0x6001600055")"),
              std::string::npos)
        << text;
}

// geth looks at the code of a called account when it is called, after the authorizations of the
// transaction, and at its recipient's before them.
TEST(PrestateTracer, target_of_a_delegation_that_the_transaction_made_is_needed) {
    const Authorization authorization{1, address_from_low64(0xdd), 0, 0, 1, 1};
    const Address authority = test::authority_of(authorization).value();
    const std::string target = R"("0x00000000000000000000000000000000000000dd":{)";
    const auto trace = [&](TracedCall& call, const Address& to) {
        call.set_code(address_from_low64(0xdd), "0x6001600055", 0);
        call.tx().type = TransactionType::set_code;
        call.tx().chain_id = 1;
        call.tx().authorization_list = {authorization};
        call.tx().to = to;
        return call.trace(R"({"tracer":"prestateTracer"})");
    };
    TracedCall inner("0x5f5f5f5f5f73" + to_string(authority).substr(2) + "5af1");
    EXPECT_NE(trace(inner, TracedCall::kContract).find(target), std::string::npos);
    TracedCall outer("0x");
    EXPECT_EQ(trace(outer, authority).find(target), std::string::npos);
}

TEST(PrestateTracer, code_like_a_delegation_has_no_target_before_prague) {
    TracedCall call("0xef010000000000000000000000000000000000000000bb", "0x6001600055");
    call.env().revision = Revision::cancun;
    EXPECT_EQ(call.trace(R"({"tracer":"prestateTracer"})")
                  .find(R"("0x00000000000000000000000000000000000000bb")"),
              std::string::npos);
}

TEST(PrestateTracer, empty_accounts_on_demand_and_not_in_a_diff) {
    TracedCall call("0x60ee31");
    const std::string name = R"("0x00000000000000000000000000000000000000ee":{"balance":"0x0"})";
    EXPECT_EQ(call.trace(R"({"tracer":"prestateTracer"})").find(name), std::string::npos);
    EXPECT_NE(call.trace(R"({"tracer":"prestateTracer","tracerConfig":{"includeEmpty":true}})")
                  .find(name),
              std::string::npos);
    EXPECT_THROW((void)call.trace(R"({"tracer":"prestateTracer",)"
                                  R"("tracerConfig":{"diffMode":true,"includeEmpty":true}})"),
                 InputError);
}

// From Amsterdam on a creation that is refused, or whose account cannot be paid, has no frame.
TEST(PrestateTracer, the_address_of_a_creation_that_fails_is_looked_up) {
    const std::string config = R"({"tracer":"prestateTracer","tracerConfig":{"disableCode":true}})";
    const auto trace = [&](std::string_view code, Revision revision, std::uint64_t gas) {
        TracedCall call(code);
        for (const Address& created :
             {create_address(TracedCall::kContract, 0),
              create2_address(TracedCall::kContract, Uint256{}, keccak256(BytesView{}))})
            call.state().set_account(created, Account{0, 7});
        call.env().revision = revision;
        call.tx().gas_limit = gas;
        return call.trace(config);
    };
    const std::string one = to_string(create_address(TracedCall::kContract, 0));
    const std::string other =
        to_string(create2_address(TracedCall::kContract, Uint256{}, keccak256(BytesView{})));
    for (const Revision revision : {Revision::osaka, Revision::amsterdam}) {
        // With more than the contract has, of which there are 100 wei.
        EXPECT_NE(trace("0x60006000610100f0", revision, 1'000'000).find(one), std::string::npos);
        EXPECT_NE(trace("0x600060006000610100f5", revision, 1'000'000).find(other),
                  std::string::npos);
        // The instruction's own price cannot be paid, or its memory.
        EXPECT_EQ(trace("0x60006000610100f0", revision, 26'000).find(one), std::string::npos);
        EXPECT_EQ(trace("0x6001670fffffffffffffff6000f0", revision, 1'000'000).find(one),
                  std::string::npos);
    }
}

std::chrono::nanoseconds thread_time() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
}

// Each slot was looked for among all that were written.
TEST(PrestateTracer, a_diff_of_many_slots_takes_little_longer_than_they_alone) {
    // SSTORE and SLOAD of one slot after the other, from 2^64 and 2^65 on, while there is gas.
    TracedCall call(
        "0x5f5b600101808068010000000000000000015580680200000000000000000154506201"
        "86a05a11600157");
    call.env().revision = Revision::cancun;
    call.env().gas_limit = 2'000'000'000;
    call.tx().gas_limit = 1'200'000'000;
    const auto time_of = [&](std::string_view config) {
        const auto begin = thread_time();
        EXPECT_FALSE(call.trace(config).empty());
        return thread_time() - begin;
    };
    (void)time_of(R"({"tracer":"prestateTracer"})");
    const auto alone = time_of(R"({"tracer":"prestateTracer"})");
    EXPECT_LT(time_of(R"({"tracer":"prestateTracer","tracerConfig":{"diffMode":true}})"),
              4 * alone);
}

TEST(SmallTracers, four_byte_tracer_counts_functions) {
    TracedCall call("0x600060006004601c600060bb5af1");
    call.tx().data = from_hex("0x12345678aa").value();
    EXPECT_EQ(call.trace(R"({"tracer":"4byteTracer"})"), R"({"0x00000000-0":1,"0x12345678-1":1})");
}

TEST(SmallTracers, mux_tracer_runs_several) {
    TracedCall call("0x00");
    EXPECT_EQ(call.trace(R"({"tracer":"muxTracer","tracerConfig":)"
                         R"({"callTracer":{"onlyTopCall":true},"4byteTracer":null}})"),
              R"({"callTracer":{"from":"0x00000000000000000000000000000000000000cc",)"
              R"("gas":"0xf4240","gasUsed":"0x5208",)"
              R"("to":"0x00000000000000000000000000000000000000aa","input":"0x","value":"0x0",)"
              R"("type":"CALL"},"4byteTracer":{}})");
    EXPECT_EQ(call.trace(R"({"tracer":"noopTracer"})"), "{}");
}

TEST(SmallTracers, mux_tracer_gives_each_its_steps) {
    TracedCall call("0x600054506001600155600060006000600060bb5af100", "0x60006000fd");
    const std::string mux =
        call.trace(R"({"tracer":"muxTracer","tracerConfig":{"prestateTracer":null,)"
                   R"("flatCallTracer":null,"callTracer":{"withLog":true}}})");
    const auto alone = [&](const std::string& name, const std::string& options) {
        return "\"" + name +
               "\":" + call.trace(R"({"tracer":")" + name + R"(","tracerConfig":)" + options + "}");
    };
    EXPECT_EQ(mux, "{" + alone("prestateTracer", "{}") + "," + alone("flatCallTracer", "{}") + "," +
                       alone("callTracer", R"({"withLog":true})") + "}");
}

}  // namespace
}  // namespace heddle::node
