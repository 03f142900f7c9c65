// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A development chain that goes back, whose clock is turned and whose blocks are asked for.
#include <chrono>
#include <ctime>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "development_node.hpp"

namespace heddle::test {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;
using testing::Not;

// --- Snapshots -----------------------------------------------------------------------------------

TEST_F(DevelopmentTest, goes_back_over_blocks_and_what_was_set) {
    const std::string before = balance(kBob);
    EXPECT_EQ(ask("anvil_setBalance", R"("{}","0x5")", kNobody), "null");
    const std::string snapshot = ask("evm_snapshot");
    const std::string first = send(kAlice, kBob);
    send(kAlice, kBob);
    ask("hardhat_setBalance", R"("{}","0x7")", kNobody);
    ask("hardhat_setCode", R"("{}","{}")", kContract, kReadsSlot);
    EXPECT_EQ(head(), 2U);

    EXPECT_EQ(ask("evm_revert", "{}", snapshot), "true");

    EXPECT_EQ(head(), 0U);
    EXPECT_EQ(balance(kBob), before);
    EXPECT_EQ(balance(kNobody), R"("0x5")");
    EXPECT_EQ(ask("eth_getCode", R"("{}","latest")", kContract), R"("0x")");
    EXPECT_EQ(receipt(first), "null");
    EXPECT_EQ(ask("eth_getTransactionByHash", "{}", first), "null");
    EXPECT_EQ(ask("eth_getBlockByNumber", R"("0x1",false)"), "null");
    EXPECT_EQ(number("eth_getTransactionCount", R"("{}","pending")", kAlice), 0U);
    // The same may happen again.
    EXPECT_EQ(send(kAlice, kBob), first);
    EXPECT_THAT(receipt(first), HasSubstr(R"("blockNumber":"0x1")"));
}

TEST_F(DevelopmentTest, goes_back_to_what_was_set_on_the_same_block) {
    ask("anvil_setBalance", R"("{}","0x5")", kNobody);
    ask("anvil_setStorageAt", R"("{}","0x1","0x{}")", kContract, word(7));
    const std::string snapshot = ask("evm_snapshot");
    ask("anvil_setBalance", R"("{}","0x6")", kNobody);
    ask("anvil_setStorageAt", R"("{}","0x1","0x{}")", kContract, word(8));

    EXPECT_EQ(ask("evm_revert", "{}", snapshot), "true");

    EXPECT_EQ(balance(kNobody), R"("0x5")");
    EXPECT_EQ(ask("eth_getStorageAt", R"("{}","0x1","latest")", kContract),
              "\"0x" + word(7) + "\"");
    ask("evm_mine");
    EXPECT_EQ(balance(kNobody), R"("0x5")");
}

TEST_F(DevelopmentTest, a_snapshot_is_used_once_and_takes_later_ones_with_it) {
    const std::string first = ask("evm_snapshot");
    send(kAlice, kBob);
    const std::string second = ask("anvil_snapshot");
    send(kAlice, kBob);
    const std::string third = ask("evm_snapshot");
    EXPECT_EQ(first, R"("0x1")");
    EXPECT_EQ(third, R"("0x3")");

    EXPECT_EQ(ask("anvil_revert", "{}", second), "true");
    EXPECT_EQ(head(), 1U);
    EXPECT_EQ(ask("evm_revert", "{}", third), "false");
    EXPECT_EQ(ask("evm_revert", "{}", second), "false");
    EXPECT_EQ(ask("evm_snapshot"), R"("0x4")");
    EXPECT_EQ(ask("evm_revert", "{}", first), "true");
    EXPECT_EQ(head(), 0U);
    EXPECT_EQ(ask("evm_revert", R"("0x63")"), "false");
}

TEST_F(DevelopmentTest, goes_back_far_and_again_and_again) {
    const std::string first = ask("evm_snapshot");
    ask("anvil_mine", R"("0xc8")");  // below checkpoints of the ledger
    for (int round = 0; round < 3; ++round) {
        const std::string snapshot = ask("evm_snapshot");
        send(kAlice, kBob);
        ask("anvil_mine", R"("0x50")");
        EXPECT_EQ(head(), 281U);
        EXPECT_EQ(ask("evm_revert", "{}", snapshot), "true");
        EXPECT_EQ(head(), 200U);
    }

    EXPECT_EQ(ask("evm_revert", "{}", first), "true");

    EXPECT_EQ(head(), 0U);
    send(kAlice, kBob);
    EXPECT_EQ(balance(kBob), R"("0x21e19e0c9bab2400001")");
}

TEST_F(DevelopmentTest, what_is_kept_of_blocks_is_not_that_of_those_taken_back) {
    // Logs an event: PUSH0 PUSH0 LOG0.
    ask("hardhat_setCode", R"("{}","0x5f5fa0")", kContract);
    const std::string blocks = ask("eth_newBlockFilter");
    const std::string logs = ask("eth_newFilter", "{{}}");
    const std::string snapshot = ask("evm_snapshot");
    send(kAlice, kContract, "0x0");
    EXPECT_THAT(ask("eth_getLogs", R"({{"fromBlock":"0x0"}})"), HasSubstr(R"("0x1")"));
    EXPECT_THAT(ask("eth_getFilterChanges", "{}", logs), HasSubstr("blockHash"));
    const std::string old_block = ask("eth_getFilterChanges", "{}", blocks);

    ask("evm_revert", "{}", snapshot);

    EXPECT_EQ(ask("eth_getLogs", R"({{"fromBlock":"0x0"}})"), "[]");
    ask("anvil_mine");
    EXPECT_EQ(ask("eth_getLogs", R"({{"fromBlock":"0x0"}})"), "[]");
    const std::string new_block = ask("eth_getFilterChanges", "{}", blocks);
    EXPECT_THAT(new_block, AllOf(HasSubstr("0x"), Not(testing::Eq(old_block))));
    // It was told of a log that is gone.
    EXPECT_THAT(ask("eth_getFilterChanges", "{}", logs), HasSubstr(R"("removed":true)"));
    EXPECT_EQ(ask("eth_getFilterChanges", "{}", logs), "[]");
}

TEST_F(DevelopmentTest, logs_are_those_of_the_block_that_took_the_place_of_another) {
    const auto logs = [&] { return ask("eth_getLogs", R"({{"fromBlock":"0x0"}})"); };
    // Logs nothing (PUSH0 PUSH0 LOG0), then a word (PUSH1 32 PUSH0 LOG0), in blocks of one number.
    ask("hardhat_setCode", R"("{}","0x5f5fa0")", kContract);
    const std::string snapshot = ask("evm_snapshot");
    send(kAlice, kContract, "0x0");
    EXPECT_THAT(logs(), AllOf(HasSubstr(R"("data":"0x")"), HasSubstr(R"("blockNumber":"0x1")")));

    ask("evm_revert", "{}", snapshot);
    ask("hardhat_setCode", R"("{}","0x60205fa0")", kContract);
    send(kAlice, kContract, "0x0");

    EXPECT_THAT(logs(), AllOf(HasSubstr(R"("data":"0x)" + std::string(64, '0') + '"'),
                              HasSubstr(R"("blockNumber":"0x1")")));
}

TEST_F(DevelopmentTest, transactions_that_wait_are_those_of_the_snapshot) {
    ask("evm_setAutomine", "false");
    const std::string kept = send(kAlice, kBob);
    const std::string snapshot = ask("evm_snapshot");
    const std::string dropped = send(kAlice, kBob, "0x2");
    ask("evm_mine");
    EXPECT_THAT(receipt(kept), HasSubstr("blockHash"));

    ask("evm_revert", "{}", snapshot);

    EXPECT_EQ(ask("txpool_status"), R"({"pending":"0x1","queued":"0x0"})");
    EXPECT_EQ(ask("eth_getTransactionByHash", "{}", dropped), "null");
    ask("evm_mine");
    EXPECT_THAT(receipt(kept), HasSubstr(R"("blockNumber":"0x1")"));
}

TEST_F(DevelopmentTest, reset_leaves_nothing) {
    ask("anvil_setBalance", R"("{}","0x5")", kNobody);
    send(kAlice, kBob);
    ask("evm_increaseTime", "1000000");
    const std::string snapshot = ask("evm_snapshot");
    const std::string instance = ask("hardhat_metadata");

    EXPECT_EQ(ask("hardhat_reset"), "true");

    EXPECT_EQ(head(), 0U);
    EXPECT_EQ(balance(kNobody), R"("0x0")");
    EXPECT_EQ(ask("evm_revert", "{}", snapshot), "false");
    EXPECT_EQ(ask("evm_increaseTime", "0"), "0");
    EXPECT_NE(ask("hardhat_metadata"), instance);
    EXPECT_THAT(ask("anvil_reset", R"({{"forking":{{"jsonRpcUrl":"http://x"}}}})"),
                HasSubstr("fork"));
}

// --- Time ----------------------------------------------------------------------------------------

TEST_F(DevelopmentTest, time_moves_as_it_is_told_and_goes_back_with_the_chain) {
    ask("evm_mine");
    const std::uint64_t begin = time();
    const std::string snapshot = ask("evm_snapshot");

    // The first block may be a second ahead of the machine's clock, and the chain's is then.
    EXPECT_THAT(ask("evm_increaseTime", "3600"), AnyOf("3600", "3601"));
    EXPECT_THAT(ask("anvil_increaseTime", R"("0xe10")"), AnyOf("7200", "7201"));
    ask("evm_mine");
    EXPECT_GE(time(), begin + 7200);
    EXPECT_LE(time(), begin + 7260);
    ask("anvil_setNextBlockTimestamp", "{}", begin + 100'000);
    EXPECT_THAT(call(kTellsBlock, "pending"), HasSubstr(word(begin + 100'000)));
    EXPECT_THAT(call(kTellsBlock), HasSubstr(word(time())));  // of the block that is there
    ask("evm_mine");
    EXPECT_EQ(time(), begin + 100'000);
    ask("evm_mine");
    EXPECT_GE(time(), begin + 100'001);
    EXPECT_LE(time(), begin + 100'060);
    EXPECT_THAT(ask("evm_setNextBlockTimestamp", "{}", begin), HasSubstr("is lower than"));
    ask("evm_mine", "{}", begin + 200'000);
    EXPECT_EQ(time(), begin + 200'000);

    ask("evm_revert", "{}", snapshot);
    ask("evm_mine");
    EXPECT_GT(time(), begin);
    EXPECT_LE(time(), begin + 60);

    ask("anvil_setTime", "{}", begin + 5'000);
    ask("evm_mine");
    EXPECT_GE(time(), begin + 5'000);
    EXPECT_LE(time(), begin + 5'060);
    ask("anvil_setBlockTimestampInterval", "10");
    const std::uint64_t last = time();
    ask("anvil_mine", R"("0x3")");
    EXPECT_EQ(time(), last + 30);
}

// The first of several blocks followed the clock, whoever's method asked for them.
TEST_F(DevelopmentTest, blocks_are_as_far_apart_as_each_tool_has_it) {
    ask("evm_mine");
    std::uint64_t last = time();
    const auto passed = [&] { return time() - std::exchange(last, time()); };

    EXPECT_EQ(ask("anvil_mine", R"("0x1","0xe10")"), "null");
    EXPECT_THAT(passed(), AllOf(Ge(3'600U), Le(3'660U)));
    EXPECT_EQ(ask("anvil_mine", R"("0x3","0xe10")"), "null");
    EXPECT_THAT(passed(), AllOf(Ge(10'800U), Le(10'860U)));
    EXPECT_EQ(ask("hardhat_mine", R"("0x3","0xe10")"), "true");
    EXPECT_THAT(passed(), AllOf(Ge(7'201U), Le(7'260U)));
    EXPECT_THAT(ask("anvil_mine", R"("0x2","0xffffffffffffffff")"), HasSubstr("time goes up to"));
}

TEST_F(DevelopmentTest, a_block_at_the_time_of_the_head_is_as_early_as_it_can_be) {
    ask("evm_mine");
    const std::uint64_t begin = time();

    EXPECT_EQ(ask("evm_mine", "{}", begin), R"("0x0")");

    EXPECT_EQ(time(), begin + 1);
    EXPECT_THAT(ask("evm_mine", "{}", begin), HasSubstr("is lower than"));
}

// Trigger: many blocks within a second, each of which must be later than its parent. The clock
// stayed behind them, so that time that was let pass after that did not pass for the next block.
TEST_F(DevelopmentTest, time_passes_after_many_blocks_within_a_second) {
    ask("anvil_mine", "200");
    const std::uint64_t begin = time();

    EXPECT_GE(std::stoull(ask("evm_increaseTime", "100")), 100U);
    ask("evm_mine");

    EXPECT_GE(time(), begin + 100);
    EXPECT_LE(time(), begin + 160);
}

TEST_F(DevelopmentTest, time_has_an_end) {
    EXPECT_THAT(ask("evm_increaseTime", R"("0xffffffffffffffff")"), HasSubstr("time goes up to"));
    EXPECT_THAT(ask("evm_setTime", R"("0xffffffffffffffff")"), HasSubstr("time goes up to"));
    EXPECT_THAT(ask("evm_setNextBlockTimestamp", R"("0xffffffffffffffff")"),
                HasSubstr("time goes up to"));
    EXPECT_THAT(ask("hardhat_mine", R"("0x2","0xffffffffffffffff")"), HasSubstr("time goes up to"));
    // Also where each block is to be far from the one before it.
    ask("evm_setBlockTimestampInterval", "{}", (std::uint64_t{1} << 53) - 1);
    ask("anvil_mine", "3");
    EXPECT_EQ(time(), (std::uint64_t{1} << 53) + 1);
    send(kAlice, kBob);
    EXPECT_EQ(time(), (std::uint64_t{1} << 53) + 2);
}

TEST_F(DevelopmentTest, the_chain_begins_when_it_is_made) {
    const auto now = static_cast<std::uint64_t>(std::time(nullptr));
    EXPECT_LE(time(), now);
    EXPECT_GE(time(), now - 60);

    // And stays the one that it is, also where another begins.
    const TemporaryFolder folder;
    const std::string data = (folder.path() / "data").native();
    start({"--datadir", data});
    const std::string genesis = ask("eth_getBlockByNumber", R"("0x0",false)");
    EXPECT_EQ(node_->program().end(), 0);
    std::this_thread::sleep_for(std::chrono::milliseconds{1'100});
    start({"--datadir", data});
    EXPECT_EQ(ask("eth_getBlockByNumber", R"("0x0",false)"), genesis);

    start({"--set", "chain.timestamps=equal"});
    const std::uint64_t equal = time();
    start({"--set", "chain.timestamps=equal"});
    EXPECT_EQ(time(), equal);
}

TEST_F(DevelopmentTest, blocks_are_a_second_apart_or_share_one_as_is_chosen) {
    ask("evm_mine");
    const std::uint64_t begin = time();
    ask("anvil_mine", R"("0x14")");
    EXPECT_GE(time(), begin + 20);

    start({"--set", "chain.timestamps=equal"});
    ask("evm_mine");
    const std::uint64_t equal = time();
    ask("anvil_mine", R"("0x14")");
    EXPECT_LT(time(), equal + 15);
}

// --- Blocks --------------------------------------------------------------------------------------

TEST_F(DevelopmentTest, as_many_blocks_are_mined_as_asked_for) {
    EXPECT_EQ(ask("hardhat_mine"), "true");
    EXPECT_EQ(ask("hardhat_mine", R"("0x64","0x3c")"), "true");
    EXPECT_EQ(head(), 101U);
    EXPECT_EQ(time(), time("0x2") + 99 * 60);
    EXPECT_EQ(ask("evm_mine", R"({{"blocks":4}})"), R"("0x0")");
    EXPECT_EQ(ask("anvil_mine", "0"), "null");
    EXPECT_EQ(head(), 105U);
    EXPECT_THAT(ask("anvil_mine", R"("0x1000000000000000")"), HasSubstr("at most 100000"));
    EXPECT_EQ(head(), 105U);
    // Refused as a whole: the time is not kept for the next block.
    EXPECT_THAT(ask("evm_mine", R"({{"timestamp":4000000000,"blocks":100001}})"),
                HasSubstr("at most 100000"));
    ask("evm_mine");
    EXPECT_LT(time(), 4'000'000'000U);
}

TEST_F(DevelopmentTest, a_send_is_answered_when_its_block_is_there) {
    for (int i = 0; i < 20; ++i)
        ASSERT_THAT(receipt(send(kAlice, kBob)), HasSubstr(R"("status":"0x1")")) << i;
    EXPECT_EQ(head(), 20U);
    // One that waits for an earlier one is not waited for.
    const std::string waiting =
        ask("eth_sendTransaction", R"({{"from":"{}","to":"{}","nonce":"0x20"}})", kAlice, kBob);
    EXPECT_EQ(receipt(waiting), "null");
}

TEST_F(DevelopmentTest, blocks_wait_where_nobody_mines) {
    EXPECT_EQ(ask("anvil_getAutomine"), "true");
    EXPECT_EQ(ask("evm_setAutomine", "false"), "true");
    EXPECT_EQ(ask("hardhat_getAutomine"), "false");
    const std::string first = send(kAlice, kBob);
    const std::string second = send(kAlice, kBob);
    const std::string third = send(kAlice, kBob);
    EXPECT_EQ(receipt(first), "null");

    EXPECT_EQ(ask("hardhat_dropTransaction", "{}", third), "true");
    EXPECT_EQ(ask("anvil_dropTransaction", "{}", third), "null");
    EXPECT_EQ(ask("anvil_dropTransaction", "{}", second), second);
    ask("evm_mine");
    EXPECT_THAT(receipt(first), HasSubstr("blockHash"));
    EXPECT_EQ(receipt(second), "null");

    send(kAlice, kBob);
    ask("anvil_dropAllTransactions");
    EXPECT_EQ(ask("txpool_status"), R"({"pending":"0x0","queued":"0x0"})");
    const std::string last = send(kAlice, kBob);
    ask("anvil_setAutomine", "true");
    const std::string next = send(kAlice, kBob);
    EXPECT_THAT(receipt(last), HasSubstr("blockHash"));
    EXPECT_THAT(receipt(next), HasSubstr("blockHash"));
}

TEST_F(DevelopmentTest, blocks_come_by_time_where_that_is_asked_for) {
    ask("evm_setIntervalMining", "20");
    while (head() < 3)
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
    ask("anvil_setIntervalMining", "0");
    const std::uint64_t last = head();
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
    EXPECT_LE(head(), last + 1);
    EXPECT_THAT(ask("anvil_setIntervalMining", R"("0xffffffffffffffff")"), HasSubstr("year"));

    // Hardhat's pair: each interval is drawn from the least to the most.
    EXPECT_EQ(ask("evm_setIntervalMining", "[10,30]"), "true");
    while (head() < last + 4)
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
    EXPECT_EQ(ask("evm_setIntervalMining", "0"), "true");
    EXPECT_THAT(ask("evm_setIntervalMining", "[1,31536000001]"), HasSubstr("year"));
    for (const std::string_view wrong :
         {"[]", "[10]", "[30,10]", "[0,10]", "[1,2,3]", R"(["x",1])"})
        EXPECT_THAT(ask("evm_setIntervalMining", "{}", wrong), HasSubstr("-32602")) << wrong;
}

TEST_F(DevelopmentTest, the_next_block_is_what_was_asked_for) {
    EXPECT_EQ(ask("hardhat_setCoinbase", R"("{}")", kNobody), "true");
    EXPECT_EQ(ask("hardhat_setNextBlockBaseFeePerGas", R"("0x12a05f200")"), "true");
    EXPECT_EQ(ask("hardhat_setPrevRandao", R"("0x{}")", word(99)), "true");
    EXPECT_EQ(ask("evm_setBlockGasLimit", R"("0x1000000")"), "true");
    EXPECT_THAT(call(kTellsBlock, "pending"), HasSubstr(word(99)));
    const std::string hash = send(kAlice, kBob);
    const std::string block = ask("eth_getBlockByNumber", R"("latest",false)");

    EXPECT_THAT(receipt(hash), HasSubstr(R"("status":"0x1")"));
    EXPECT_THAT(block, AllOf(HasSubstr(fmt::format(R"("miner":"{}")", kNobody)),
                             HasSubstr(R"("baseFeePerGas":"0x12a05f200")"),
                             HasSubstr(R"("gasLimit":"0x1000000")"),
                             HasSubstr("\"mixHash\":\"0x" + word(99))));
    EXPECT_NE(balance(kNobody), R"("0x0")");
    ask("evm_mine");
    const std::string next = ask("eth_getBlockByNumber", R"("latest",false)");
    EXPECT_THAT(next, AllOf(HasSubstr(fmt::format(R"("miner":"{}")", kNobody)),
                            Not(HasSubstr(word(99))), Not(HasSubstr(R"(Gas":"0x12a05f200")"))));
}

// Before, it was said that acknowledged blocks are safe, of a folder that is removed.
TEST(DevelopmentChain, that_is_kept_nowhere_says_so_where_its_disk_fails) {
    const auto result = run_program_at(
        "/bin/sh",
        {"-c", R"(ulimit -f 64; exec "$0" dev --rpc-port 0 --seal interval --block-time 1ms)",
         HEDDLE_PROGRAM});
    EXPECT_EQ(result.exit_code, 3) << result.error;
    EXPECT_THAT(result.error, Not(HasSubstr("are safe")));
    EXPECT_THAT(result.error, HasSubstr("the chain goes with this process"));
}

}  // namespace
}  // namespace heddle::test
