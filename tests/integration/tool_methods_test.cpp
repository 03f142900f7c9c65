// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Methods that one or two other programs have, and the tools that were written for them ask for.
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "development_node.hpp"

namespace heddle::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using ToolMethodsTest = DevelopmentTest;

std::string in_quotes(std::string_view text) {
    return fmt::format("\"{}\"", text);
}

TEST_F(ToolMethodsTest, otterscan_finds_a_node_that_it_runs_on) {
    ask("evm_mine");
    const std::string header = ask("eth_getHeaderByNumber", R"("0x1")");
    EXPECT_THAT(header, HasSubstr(R"("number":"0x1")"));
    // It writes numbers as JSON has them.
    EXPECT_EQ(ask("erigon_getHeaderByNumber", "1"), header);
    EXPECT_EQ(ask("ots_getHeaderByNumber", R"("latest")"), header);
    EXPECT_EQ(ask("erigon_getHeaderByNumber", "9"), "null");
}

TEST_F(ToolMethodsTest, an_account_is_told_with_its_code) {
    ask("anvil_setCode", R"("{}","0x5f5ffd")", kContract);
    ask("hardhat_addBalance", R"("{}","0x7")", kContract);
    EXPECT_EQ(ask("eth_getAccountInfo", R"("{}","latest")", kContract),
              R"({"balance":"0x7","nonce":"0x0","code":"0x5f5ffd"})");
    EXPECT_EQ(ask("eth_getAccountInfo", R"("{}","latest")", kNobody),
              R"({"balance":"0x0","nonce":"0x0","code":"0x"})");
}

TEST_F(ToolMethodsTest, all_transactions_of_a_block_come_as_bytes) {
    ask("evm_setAutomine", "false");
    const std::string first = send(kAlice, kBob);
    const std::string second = send(kAlice, kBob);
    ask("evm_mine");
    EXPECT_EQ(ask("debug_getRawTransactions", R"("latest")"),
              fmt::format("[{},{}]", ask("eth_getRawTransactionByHash", "{}", first),
                          ask("eth_getRawTransactionByHash", "{}", second)));
    EXPECT_EQ(ask("debug_getRawTransactions", R"("0x9")"), "[]");
}

TEST_F(ToolMethodsTest, what_waits_is_told_and_can_be_cleared) {
    ask("evm_setAutomine", "false");
    const std::string hash = send(kAlice, kBob);
    for (const std::string_view name : {"debug_clearTxpool", "admin_clearTxpool"}) {
        EXPECT_THAT(ask("eth_pendingTransactions"), AllOf(StartsWith("[{"), HasSubstr(hash)));
        EXPECT_EQ(ask(name), "null");
        EXPECT_EQ(ask("eth_pendingTransactions"), "[]");
        EXPECT_EQ(send(kAlice, kBob), hash) << "the same again";
    }
}

TEST_F(ToolMethodsTest, blocks_are_made_and_told) {
    ask("evm_setAutomine", "false");
    const std::string hash = send(kAlice, kBob);
    const std::string mined = ask("evm_mine_detailed", R"({{"blocks":2}})");
    EXPECT_EQ(mined, fmt::format("[{},{}]", ask("eth_getBlockByNumber", R"("0x1",true)"),
                                 ask("eth_getBlockByNumber", R"("0x2",true)")));
    EXPECT_THAT(mined, HasSubstr(hash));
    EXPECT_THAT(ask("anvil_mine_detailed", R"({{"blocks":1001}})"),
                HasSubstr("at most 1000 blocks are told of"));
    EXPECT_EQ(head(), 2U);
}

TEST_F(ToolMethodsTest, the_chain_says_how_it_is_set) {
    EXPECT_EQ(ask("anvil_getIntervalMining"), "null");
    ask("anvil_setIntervalMining", "3600");
    EXPECT_EQ(ask("anvil_getIntervalMining"), "3600");
    EXPECT_EQ(ask("anvil_getAutomine"), "false") << "one way at a time";
    ask("anvil_setAutomine", "true");
    EXPECT_EQ(ask("anvil_getIntervalMining"), "null");
    ask("evm_setIntervalMining", "3600000");
    EXPECT_EQ(ask("anvil_getAutomine"), "true") << "both, as with hardhat";
    EXPECT_EQ(ask("anvil_getIntervalMining"), "3600");
    ask("evm_setIntervalMining", "10500");
    EXPECT_EQ(ask("anvil_getIntervalMining"), "11");
    EXPECT_EQ(ask("anvil_getGenesisTime"), std::to_string(time("earliest")));
    EXPECT_EQ(ask("eth_networkId"), R"("1337")");
    EXPECT_EQ(ask("eth_mining"), "false");
    EXPECT_EQ(ask("eth_hashrate"), R"("0x0")");
}

TEST_F(ToolMethodsTest, anybody_sends_once_without_impersonation) {
    ask("anvil_setBalance", R"("{}","0xde0b6b3a7640000")", kNobody);
    const std::string hash = ask("eth_sendUnsignedTransaction",
                                 R"({{"from":"{}","to":"{}","value":"0x5"}})", kNobody, kContract);
    EXPECT_THAT(receipt(hash), AllOf(HasSubstr(R"("status":"0x1")"),
                                     HasSubstr(fmt::format(R"("from":"{}")", kNobody))));
    EXPECT_EQ(balance(kContract), in_quotes("0x5"));
    EXPECT_THAT(send(kNobody, kContract), HasSubstr("unknown account")) << "but not for ever";
}

TEST_F(ToolMethodsTest, typed_data_is_signed_under_each_of_its_names) {
    constexpr std::string_view kData =
        R"({"types":{"Mail":[{"name":"text","type":"string"}]},"primaryType":"Mail",)"
        R"("domain":{"name":"Post"},"message":{"text":"hello"}})";
    const std::string expected = ask("eth_signTypedData_v4", R"("{}",{})", kAlice, kData);
    EXPECT_EQ(expected.size(), 134U);
    EXPECT_EQ(ask("eth_signTypedData", R"("{}",{})", kAlice, kData), expected);
    EXPECT_EQ(ask("eth_signTypedData_v3", R"("{}",{})", kAlice, kData), expected);
}

// --- Several calls -------------------------------------------------------------------------------

TEST_F(ToolMethodsTest, calls_see_what_those_before_them_left) {
    // Adds one to slot 0 and returns it: 1 + SLOAD(0), DUP1, SSTORE, MSTORE.
    ask("anvil_setCode", R"("{}","0x60015f5401805f555f5260205ff3")", kContract);
    ask("anvil_setCode", R"("{}","0x5f5ffd")", kNobody);
    const std::string add = fmt::format(R"({{"to":"{}"}})", kContract);
    const std::string fail = fmt::format(R"({{"to":"{}"}})", kNobody);
    const std::string answer =
        ask("eth_callMany", R"([{{"transactions":[{0},{0},{1}]}},{{"transactions":[{0}]}}],{{}})",
            add, fail);
    EXPECT_EQ(answer, fmt::format(R"([[{{"value":"0x{}"}},{{"value":"0x{}"}},)"
                                  R"({{"error":"execution reverted"}}],[{{"value":"0x{}"}}]])",
                                  word(1), word(2), word(3)));
    EXPECT_EQ(ask("eth_getStorageAt", R"("{}","0x0","latest")", kContract),
              in_quotes("0x" + word(0)));
}

TEST_F(ToolMethodsTest, lists_of_calls_are_of_blocks_that_follow_each_other) {
    // Returns time and number.
    ask("anvil_setCode", R"("{}","0x425f524360205260405ff3")", kContract);
    ask("evm_mine");
    const std::string list = fmt::format(R"({{"transactions":[{{"to":"{}"}}]}})", kContract);
    const std::string later = fmt::format(
        R"({{"transactions":[{{"to":"{}"}}],"blockOverride":{{"number":"0x64"}}}})", kContract);
    EXPECT_EQ(ask("eth_callMany", R"([{0},{0},{1}],{{"blockNumber":"latest"}})", list, later),
              fmt::format(
                  R"([[{{"value":"0x{}{}"}}],[{{"value":"0x{}{}"}}],[{{"value":"0x{}{}"}}]])",
                  word(time()), word(1), word(time() + 12), word(2), word(time() + 24), word(100)));
    EXPECT_THAT(
        ask("eth_callMany", R"([{0}],{{"blockNumber":"latest","transactionIndex":1}})", list),
        HasSubstr("calls are on the state after a block"));
}

// --- What blocks have changed --------------------------------------------------------------------

TEST_F(ToolMethodsTest, accounts_that_blocks_have_changed_are_found) {
    // Stores its input in slot 1: PUSH0 CALLDATALOAD PUSH1 1 SSTORE.
    ask("anvil_setCode", R"("{}","0x5f35600155")", kContract);
    const auto store = [&](std::uint64_t value) {
        ask("eth_sendTransaction", R"({{"from":"{}","to":"{}","data":"0x{}"}})", kAlice, kContract,
            word(value));
    };
    store(5);
    store(0);
    send(kAlice, kBob);

    const std::string first = ask("debug_getModifiedAccountsByNumber", "1");
    EXPECT_THAT(first, AllOf(HasSubstr(in_quotes(kAlice)), HasSubstr(in_quotes(kContract)),
                             Not(HasSubstr(in_quotes(kBob)))));
    // What is as it was is not told of.
    const std::string both = ask("debug_getModifiedAccountsByNumber", "1,3");
    EXPECT_THAT(both, AllOf(HasSubstr(in_quotes(kAlice)), HasSubstr(in_quotes(kContract)),
                            HasSubstr(in_quotes(kBob))));
    ask("evm_mine");
    EXPECT_THAT(ask("debug_getModifiedAccountsByNumber", "4"), Not(HasSubstr(in_quotes(kAlice))))
        << "only the contracts to which each block writes its ancestors";
    const std::string whole = ask("debug_getModifiedAccountsByNumber", "0,3");
    EXPECT_THAT(whole, AllOf(HasSubstr(in_quotes(kAlice)), HasSubstr(in_quotes(kBob)),
                             Not(HasSubstr(in_quotes(kContract)))));
    const auto hash_of = [&](std::string_view number) {
        const std::string block = ask("eth_getBlockByNumber", R"("{}",false)", number);
        return block.substr(block.find(R"("hash":)") + 7, 68);
    };
    EXPECT_EQ(ask("debug_getModifiedAccountsByHash", "{},{}", hash_of("0x0"), hash_of("0x3")),
              whole);
    EXPECT_THAT(ask("debug_getModifiedAccountsByNumber", "3,3"), HasSubstr("must be less than"));
    EXPECT_THAT(ask("debug_getModifiedAccountsByNumber", "0"), HasSubstr("has no parent"));
    EXPECT_THAT(ask("debug_getModifiedAccountsByNumber", "1,9"), HasSubstr("not found"));
}

TEST_F(ToolMethodsTest, balances_that_a_block_has_changed_are_those_after_it) {
    send(kAlice, kBob, "0x64");
    const std::string changes = ask("reth_getBalanceChangesInBlock", R"("0x1")");
    const std::string bob = balance(kBob);
    send(kAlice, kBob, "0x64");
    EXPECT_THAT(changes, HasSubstr(fmt::format("\"{}\":{}", kBob, bob)));
    EXPECT_THAT(changes, AllOf(HasSubstr(in_quotes(kAlice)), Not(HasSubstr(in_quotes(kNobody)))));
}

}  // namespace
}  // namespace heddle::test
