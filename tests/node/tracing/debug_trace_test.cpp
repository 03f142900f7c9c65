// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <types/block.hpp>

#include "fixtures.hpp"
#include "formats/json.hpp"
#include "rpc_node.hpp"

namespace heddle::node {
namespace {

using rpc::Code;
using rpc::RpcError;
using testing::HasSubstr;
using testing::StartsWith;

Genesis all_forks() {
    Genesis genesis;
    ChainConfig& config = genesis.config;
    config.homestead_block = config.tangerine_whistle_block = config.spurious_dragon_block = 0;
    config.byzantium_block = config.constantinople_block = config.petersburg_block = 0;
    config.istanbul_block = config.berlin_block = config.london_block = 0;
    config.terminal_total_difficulty = Uint256{};
    config.shanghai_time = config.cancun_time = config.prague_time = 0;
    config.blob_schedule = {{0, 6, 9, 5'007'716}};
    genesis.header.gas_limit = 30'000'000;
    genesis.header.base_fee_per_gas = 7;
    genesis.header.withdrawals_root = kEmptyTrieRoot;
    genesis.header.blob_gas_used = genesis.header.excess_blob_gas = 0;
    genesis.header.parent_beacon_block_root.emplace();
    genesis.header.requests_hash = kEmptyRequestsHash;
    return genesis;
}

/// The code and the text of what is thrown.
RpcError error_of(const test::RpcNode& node, std::string_view method, std::string_view params) {
    try {
        const std::string result = node.call(method, params);
        ADD_FAILURE() << "no error but " << result;
    } catch (const RpcError& error) {
        return error;
    }
    return {0, ""};
}

class DebugTraceCallTest : public testing::Test {
protected:
    /// @param options  Members of the configuration beside the state.
    [[nodiscard]] static std::string params(std::string_view code, std::string_view options,
                                            std::string_view gas = "0xf4240") {
        return R"([{"from":"0x00000000000000000000000000000000000000cc",)"
               R"("to":"0x00000000000000000000000000000000000000aa","gas":")" +
               std::string{gas} + R"("},"latest",{"stateOverrides":{)" +
               R"("0x00000000000000000000000000000000000000aa":{"code":")" + std::string{code} +
               R"(","balance":"0x64"}})" + std::string{options} + "}]";
    }

    test::RpcNode node_{all_forks()};
};

TEST_F(DebugTraceCallTest, executes_what_the_overrides_put_there) {
    EXPECT_EQ(node_.call("debug_traceCall", params("0x600160020100", "")),
              R"({"gas":21009,"failed":false,"returnValue":"0x","structLogs":[)"
              R"({"pc":0,"op":"PUSH1","gas":979000,"gasCost":3,"depth":1,"stack":[]},)"
              R"({"pc":2,"op":"PUSH1","gas":978997,"gasCost":3,"depth":1,"stack":["0x1"]},)"
              R"({"pc":4,"op":"ADD","gas":978994,"gasCost":3,"depth":1,"stack":["0x1","0x2"]},)"
              R"({"pc":5,"op":"STOP","gas":978991,"gasCost":0,"depth":1,"stack":["0x3"]}]})");
    EXPECT_EQ(
        node_.call("debug_traceCall",
                   params("0x4360005260206000f3",
                          R"(,"tracer":"callTracer","blockOverrides":{"number":"0x1234"})")),
        R"({"from":"0x00000000000000000000000000000000000000cc","gas":"0xf4240",)"
        R"("gasUsed":"0x5219","to":"0x00000000000000000000000000000000000000aa","input":"0x",)"
        R"("output":"0x0000000000000000000000000000000000000000000000000000000000001234",)"
        R"("value":"0x0","type":"CALL"})");
}

TEST_F(DebugTraceCallTest, refusals_have_geths_codes_and_words) {
    const RpcError dear = error_of(node_, "debug_traceCall", params("0x00", "", "0x4e20"));
    EXPECT_EQ(dear.code(), static_cast<int>(Code::server_error));
    EXPECT_THAT(dear.what(), StartsWith("tracing failed: intrinsic gas too low"));
    const RpcError unknown =
        error_of(node_, "debug_traceCall", params("0x00", R"(,"tracer":"fooTracer")"));
    EXPECT_EQ(unknown.code(), static_cast<int>(Code::server_error));
    EXPECT_THAT(unknown.what(), StartsWith("ReferenceError: fooTracer is not defined"));
    const RpcError duration =
        error_of(node_, "debug_traceCall", params("0x00", R"(,"timeout":"abc")"));
    EXPECT_STREQ(duration.what(), "time: invalid duration \"abc\"");
    const RpcError pending = error_of(node_, "debug_traceCall", R"([{},"pending"])");
    EXPECT_STREQ(pending.what(), "tracing on top of pending is not supported");
    const RpcError above = error_of(node_, "debug_traceCall", R"([{},"0x55"])");
    EXPECT_STREQ(above.what(), "block #85 not found");
    EXPECT_EQ(error_of(node_, "debug_traceCall", "[]").code(),
              static_cast<int>(Code::invalid_params));
}

/// As with geth since 1.17.8, and with eth_call.
TEST_F(DebugTraceCallTest, is_of_the_newest_block_where_none_is_named) {
    const std::string to = R"([{"to":"0x00000000000000000000000000000000000000aa"})";
    const std::string latest =
        node_.call("debug_traceCall", to + R"(,"latest",{"tracer":"callTracer"}])");
    EXPECT_EQ(node_.call("debug_traceCall", to + R"(,null,{"tracer":"callTracer"}])"), latest);
    EXPECT_THAT(node_.call("debug_traceCall", to + "]"), StartsWith(R"({"gas":21000,)"));
}

TEST_F(DebugTraceCallTest, timeout_ends_the_trace) {
    const RpcError late = error_of(node_, "debug_traceCall",
                                   params("0x5b600056", R"(,"timeout":"1ns")", "0x2faf080"));
    EXPECT_EQ(late.code(), static_cast<int>(Code::server_error));
    EXPECT_STREQ(late.what(), "execution timeout");
}

TEST_F(DebugTraceCallTest, other_methods_say_what_is_not_there) {
    const std::string hash = R"(["0x)" + std::string(63, '0') + R"(1"])";
    EXPECT_STREQ(error_of(node_, "debug_traceTransaction", hash).what(), "transaction not found");
    EXPECT_THAT(error_of(node_, "debug_traceBlockByHash", hash).what(), HasSubstr("1 not found"));
    EXPECT_STREQ(error_of(node_, "debug_traceBlockByNumber", R"(["0x1234"])").what(),
                 "block #4660 not found");
    EXPECT_STREQ(error_of(node_, "debug_traceBlockByNumber", R"(["0x0"])").what(),
                 "genesis is not traceable");
    EXPECT_THAT(error_of(node_, "debug_traceBlock", R"(["0x1234"])").what(),
                StartsWith("could not decode block"));
    EXPECT_EQ(node_.call("debug_getBadBlocks"), "[]");
}

TEST(DebugTraceBlock, block_is_the_list_of_its_transactions) {
    const auto node = test::make_conversation_node();
    if (node == nullptr) GTEST_SKIP() << test::missing_fixture_message("rpc-tests");
    const std::uint64_t head = node->chain().head().header.number;
    ASSERT_GT(head, 40u);
    std::size_t transactions = 0;
    for (std::uint64_t number = 1; number <= head; ++number) {
        const auto stored = node->chain().block(number);
        ASSERT_TRUE(stored.has_value() && stored->has_value());
        const Block& block = (*stored)->block;
        for (const std::string config :
             {R"({"tracer":"callTracer","tracerConfig":{"withLog":true}})",
              R"({"tracer":"flatCallTracer"})",
              R"({"tracer":"prestateTracer","tracerConfig":{"diffMode":true}})",
              R"({"disableStack":true})"}) {
            std::string expected = "[";
            for (const Transaction& tx : block.transactions) {
                const std::string hash = to_string(transaction_hash(tx));
                expected += expected.size() == 1 ? "" : ",";
                const std::string result =
                    node->call("debug_traceTransaction", fmt::format(R"(["{}",{}])", hash, config));
                expected += fmt::format(R"({{"txHash":"{}","result":{}}})", hash, result);
                ++transactions;
            }
            expected += "]";
            Bytes encoded;
            encode_block(block, encoded);
            ASSERT_EQ(node->call("debug_traceBlockByNumber",
                                 "[\"" + to_quantity(number) + "\"," + config + "]"),
                      expected)
                << number;
            ASSERT_EQ(
                node->call("debug_traceBlock", "[\"" + to_hex(encoded) + "\"," + config + "]"),
                expected)
                << number;
            ASSERT_EQ(node->call("debug_traceBlockByHash",
                                 "[\"" + to_string((*stored)->hash) + "\"," + config + "]"),
                      expected)
                << number;
        }
    }
    EXPECT_GT(transactions, 100u);
}

TEST(DebugTraceBlock, call_on_a_transactions_index_sees_those_before_it) {
    const auto node = test::make_conversation_node();
    if (node == nullptr) GTEST_SKIP() << test::missing_fixture_message("rpc-tests");
    const std::uint64_t head = node->chain().head().header.number;
    for (std::uint64_t number = 1; number <= head; ++number) {
        const auto stored = node->chain().block(number);
        ASSERT_TRUE(stored.has_value() && stored->has_value());
        const std::vector<Transaction>& transactions = (*stored)->block.transactions;
        if (transactions.size() < 2) continue;
        const Address sender = *transactions.front().sender;
        // The sender's nonce, as a creation's address shows it.
        const auto trace = [&](const std::string& index) {
            return node->call("debug_traceCall",
                              R"([{"from":")" + to_string(sender) + R"(","input":"0x00"},")" +
                                  to_quantity(number) + R"(",{"tracer":"callTracer","txIndex":")" +
                                  index + R"("}])");
        };
        const std::string created = to_string(create_address(sender, transactions.front().nonce));
        const std::string next = to_string(create_address(sender, transactions.front().nonce + 1));
        EXPECT_THAT(trace("0x0"), HasSubstr(created)) << number;
        EXPECT_THAT(trace("0x1"), HasSubstr(next)) << number;
        return;
    }
    FAIL() << "no block has two transactions";
}

TEST(DebugTraceBlock, logs_of_a_call_on_a_transactions_index_are_counted_behind_those_before_it) {
    const auto node = test::make_conversation_node();
    if (node == nullptr) GTEST_SKIP() << test::missing_fixture_message("rpc-tests");
    const std::uint64_t head = node->chain().head().header.number;
    for (std::uint64_t number = 1; number <= head; ++number) {
        const auto stored = node->chain().stored_block(number);
        ASSERT_TRUE(stored.has_value() && *stored);
        const std::vector<Receipt>& receipts = (*stored)->receipts;
        if (receipts.size() < 2 || receipts[0].logs.empty()) continue;
        // PUSH0 PUSH0 LOG0
        const std::string trace = node->call(
            "debug_traceCall",
            R"([{"to":"0x00000000000000000000000000000000000000ee"},")" + to_quantity(number) +
                R"(",{"tracer":"callTracer","tracerConfig":{"withLog":true},"txIndex":"0x1",)" +
                R"("stateOverrides":{"0x00000000000000000000000000000000000000ee":)" +
                R"({"code":"0x60006000a0"}}}])");
        EXPECT_THAT(trace, HasSubstr(R"("index":")" + to_quantity(receipts[0].logs.size()) + "\""))
            << number;
        return;
    }
    FAIL() << "no block has two transactions of which the first one logs";
}

}  // namespace
}  // namespace heddle::node
