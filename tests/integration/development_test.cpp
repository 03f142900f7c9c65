// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A development chain whose values are set, and in whose accounts' names somebody else sends.
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <types/bytes.hpp>
#include <types/rlp.hpp>

#include "development_node.hpp"

namespace heddle::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// --- Values --------------------------------------------------------------------------------------

TEST_F(DevelopmentTest, values_are_there_at_once_and_stay) {
    for (const std::string_view prefix : {"anvil_set", "hardhat_set", "evm_setAccount"}) {
        const auto name = [&](std::string_view what) { return fmt::format("{}{}", prefix, what); };
        const auto salt = prefix.size();
        ask(name("Balance"), R"("{}","{:#x}")", kNobody, 1000 + salt);
        ask(name("Nonce"), R"("{}","{:#x}")", kNobody, 3 + salt);
        ask(name("Code"), R"("{}","{}")", kContract, kReadsSlot);
        EXPECT_EQ(ask(name("StorageAt"), R"("{}","0x0","0x{}")", kContract, word(salt)), "true");

        for (int round = 0; round < 2; ++round) {
            EXPECT_EQ(balance(kNobody), fmt::format("\"{:#x}\"", 1000 + salt)) << prefix;
            EXPECT_EQ(number("eth_getTransactionCount", R"("{}","latest")", kNobody), 3 + salt);
            EXPECT_EQ(ask("eth_getCode", R"("{}","latest")", kContract),
                      fmt::format("\"{}\"", kReadsSlot));
            EXPECT_EQ(ask("eth_getStorageAt", R"("{}","0x0","latest")", kContract),
                      "\"0x" + word(salt) + "\"");
            EXPECT_EQ(ask("eth_call", R"({{"to":"{}"}},"latest")", kContract),
                      "\"0x" + word(salt) + "\"");
            ask("anvil_mine");  // and in a block
        }
        // Of which there is a proof then.
        EXPECT_THAT(ask("eth_getProof", R"("{}",[],"latest")", kNobody),
                    HasSubstr(fmt::format(R"("balance":"{:#x}")", 1000 + salt)));
    }
}

TEST_F(DevelopmentTest, an_account_without_anything_is_gone) {
    ask("anvil_setBalance", R"("{}","0x5")", kNobody);
    ask("anvil_mine");
    ask("anvil_setBalance", R"("{}","0x0")", kNobody);
    ask("anvil_setStorageAt", R"("{}","0x1","0x{}")", kNobody, word(0));
    ask("anvil_mine");

    EXPECT_THAT(ask("anvil_dumpState"),
                Not(HasSubstr("0x00000000000000000000000000000000000000aa")));
    EXPECT_EQ(balance(kNobody), R"("0x0")");
    EXPECT_EQ(balance(kNobody, "0x1"), R"("0x0")");  // on which it was set
}

TEST_F(DevelopmentTest, a_transaction_spends_what_was_set_and_is_traced_with_it) {
    ask("hardhat_setBalance", R"("{}","0x0")", kAlice);
    EXPECT_THAT(send(kAlice, kBob), HasSubstr("insufficient funds"));
    ask("hardhat_setBalance", R"("{}","0xde0b6b3a7640000")", kAlice);
    ask("hardhat_setNonce", R"("{}","0x9")", kAlice);
    const std::string hash = send(kAlice, kNobody, "0x5");

    EXPECT_THAT(receipt(hash), HasSubstr(R"("status":"0x1")"));
    EXPECT_EQ(balance(kNobody), R"("0x5")");
    EXPECT_EQ(number("eth_getTransactionCount", R"("{}","latest")", kAlice), 10U);
    // Executed again, on the state that it was executed on.
    EXPECT_THAT(ask("debug_traceTransaction", R"({},{{"tracer":"prestateTracer"}})", hash),
                HasSubstr(R"("balance":"0xde0b6b3a7640000")"));
    EXPECT_EQ(balance(kAlice, "0x0"), R"("0xde0b6b3a7640000")");
}

TEST_F(DevelopmentTest, bad_values_are_named) {
    EXPECT_THAT(ask("hardhat_setBalance", R"("{}")", kNobody), HasSubstr("argument 1"));
    EXPECT_THAT(ask("hardhat_setBalance", R"("0x12","0x1")"), HasSubstr("argument 0"));
    EXPECT_THAT(ask("anvil_setNonce", R"("{}","0x10000000000000000")", kNobody),
                HasSubstr("argument 1"));
    EXPECT_THAT(ask("anvil_setCode", R"("{}","0x1")", kNobody), HasSubstr("argument 1"));
    EXPECT_THAT(ask("hardhat_setStorageAt", R"("{}","0x0","0x1{}")", kNobody, word(0)),
                HasSubstr("argument 2"));
    // Twice of it would not fit into the word of a fee that is filled in.
    EXPECT_THAT(ask("anvil_setNextBlockBaseFeePerGas", R"("0x1{:0>32}")", 0),
                HasSubstr("at most 2^128 - 1 wei"));
    ask("hardhat_setNextBlockBaseFeePerGas", R"("0x{:f>32}")", "");
    EXPECT_THAT(
        ask("eth_fillTransaction", R"({{"from":"{}","to":"{}","gas":"0x5208"}})", kAlice, kBob),
        HasSubstr(R"("maxFeePerGas":"0x2000000000000000000000000000f423e")"));
}

TEST_F(DevelopmentTest, a_state_is_dumped_and_loaded) {
    ask("anvil_setCode", R"("{}","{}")", kContract, kReadsSlot);
    ask("anvil_setStorageAt", R"("{}","0x0","0x{}")", kContract, word(77));
    ask("anvil_mine");
    ask("anvil_setStorageAt", R"("{}","0x0","0x{}")", kContract, word(78));  // in no block yet
    ask("anvil_setBalance", R"("{}","0x5")", kNobody);
    const std::string dump = ask("anvil_dumpState");

    start();
    EXPECT_EQ(balance(kNobody), R"("0x0")");
    EXPECT_EQ(ask("hardhat_loadState", "{}", dump), "true");

    EXPECT_EQ(balance(kNobody), R"("0x5")");
    EXPECT_EQ(ask("eth_call", R"({{"to":"{}"}},"latest")", kContract), "\"0x" + word(78) + "\"");
    EXPECT_EQ(ask("anvil_dumpState").size(), dump.size());  // in another order
    EXPECT_THAT(ask("anvil_loadState", R"("0x1f8b0800")"), HasSubstr("compressed"));
    EXPECT_THAT(ask("anvil_loadState", R"("0x7b7d")"), HasSubstr("accounts"));
}

TEST_F(DevelopmentTest, a_state_too_large_for_an_answer_is_not_dumped) {
    start({"--set", "rpc.max_response_kilobytes=4"});
    EXPECT_THAT(ask("anvil_dumpState"), HasSubstr("max_response_kilobytes"));
}

// --- Accounts ------------------------------------------------------------------------------------

TEST_F(DevelopmentTest, sends_in_the_name_of_accounts_without_their_keys) {
    EXPECT_THAT(send(kNobody, kBob), HasSubstr("unknown account"));
    EXPECT_EQ(ask("hardhat_impersonateAccount", R"("{}")", kNobody), "true");
    EXPECT_THAT(send(kNobody, kBob), HasSubstr("insufficient funds"));
    ask("hardhat_setBalance", R"("{}","0xde0b6b3a7640000")", kNobody);

    const std::string hash = send(kNobody, kBob);
    EXPECT_THAT(receipt(hash), AllOf(HasSubstr(R"("status":"0x1")"),
                                     HasSubstr(fmt::format(R"("from":"{}")", kNobody))));
    EXPECT_THAT(ask("eth_getTransactionByHash", "{}", hash),
                HasSubstr(fmt::format(R"("from":"{}")", kNobody)));
    EXPECT_NE(send(kNobody, kBob), hash);

    EXPECT_EQ(ask("hardhat_stopImpersonatingAccount", R"("{}")", kNobody), "true");
    EXPECT_EQ(ask("hardhat_stopImpersonatingAccount", R"("{}")", kNobody), "false");
    EXPECT_THAT(send(kNobody, kBob), HasSubstr("unknown account"));
    ask("anvil_autoImpersonateAccount", "true");
    EXPECT_THAT(receipt(send(kNobody, kBob)), HasSubstr(R"("status":"0x1")"));
}

TEST_F(DevelopmentTest, contracts_send_as_well) {
    ask("anvil_setCode", R"("{}","{}")", kContract, kReadsSlot);
    ask("anvil_setBalance", R"("{}","0xde0b6b3a7640000")", kContract);
    ask("anvil_impersonateAccount", R"("{}")", kContract);

    for (int i = 0; i < 3; ++i)
        EXPECT_THAT(receipt(send(kContract, kBob)), HasSubstr(R"("status":"0x1")")) << i;
    // A contract is no account that delegates, of which one may wait.
    ask("evm_setAutomine", "false");
    for (int i = 0; i < 3; ++i)
        EXPECT_THAT(send(kContract, kBob), testing::StartsWith("\"0x")) << i;
    ask("evm_mine");

    EXPECT_EQ(ask("eth_getCode", R"("{}","latest")", kContract), fmt::format("\"{}\"", kReadsSlot));
    EXPECT_EQ(ask("eth_getBlockTransactionCountByNumber", R"("latest")"), R"("0x3")");
    EXPECT_THAT(ask("debug_traceBlockByNumber", R"("0x1",{{"tracer":"callTracer"}})"),
                HasSubstr(fmt::format(R"("from":"{}")", kContract)));
}

TEST_F(DevelopmentTest, contracts_are_as_large_as_is_allowed) {
    // Returns 0x7000 bytes of zeros: PUSH2 PUSH0 RETURN.
    const std::string create =
        fmt::format(R"({{"from":"{}","data":"0x6170005ff3","gas":"0x900000"}})", kAlice);
    EXPECT_THAT(receipt(ask("eth_sendTransaction", "{}", create)), HasSubstr(R"("status":"0x0")"));
    start({"--unlimited-contract-size"});
    EXPECT_THAT(receipt(ask("eth_sendTransaction", "{}", create)), HasSubstr(R"("status":"0x1")"));
}

// --- The node ------------------------------------------------------------------------------------

TEST_F(DevelopmentTest, tells_what_it_is) {
    EXPECT_THAT(ask("anvil_nodeInfo"),
                AllOf(HasSubstr(R"("currentBlockNumber":"0x0")"), HasSubstr(R"("chainId":1337)"),
                      HasSubstr(R"("forkUrl":null)")));
    EXPECT_THAT(ask("hardhat_metadata"), AllOf(HasSubstr(R"("latestBlockNumber":0)"),
                                               HasSubstr(R"("clientVersion":"heddle/)")));
    start({"--client-name", "HardhatNetwork", "--chain-id", "31337"});
    EXPECT_THAT(ask("web3_clientVersion"), testing::StartsWith(R"("HardhatNetwork/heddle/v)"));
    EXPECT_EQ(ask("eth_chainId"), R"("0x7a69")");
    EXPECT_THAT(receipt(send(kAlice, kBob)), HasSubstr(R"("status":"0x1")"));
}

TEST_F(DevelopmentTest, what_was_set_is_in_the_folder_once_it_is_in_a_block) {
    const TemporaryFolder folder;
    const std::string data = (folder.path() / "data").native();
    start({"--datadir", data});
    ask("anvil_setBalance", R"("{}","0x5")", kNobody);
    const std::string snapshot = ask("evm_snapshot");
    ask("anvil_mine", R"("0x46")");
    ask("evm_revert", "{}", snapshot);
    ask("anvil_mine", R"("0x2")");
    EXPECT_EQ(node_->program().end(), 0);

    start({"--datadir", data});

    EXPECT_EQ(head(), 2U);
    EXPECT_EQ(balance(kNobody), R"("0x5")");
    EXPECT_EQ(node_->program().end(), 0);
    RunningNode other{{"--dev", "--datadir", data, "--timestamps", "distinct", "--chain-id", "5"}};
    EXPECT_EQ(other.program().wait(), 2);
    EXPECT_THAT(other.program().error(), HasSubstr("chain.id"));
}

TEST_F(DevelopmentTest, what_was_set_goes_on_from_run_to_run) {
    const TemporaryFolder folder;
    const std::string data = (folder.path() / "data").native();
    start({"--datadir", data});
    // LOG1(0, 0, 7) and SSTORE(1, 7).
    ask("hardhat_setCode", R"("{}","0x60075f5fa16007600155")", kContract);
    const std::string hash = send(kAlice, kContract);
    const auto traced = [&] {
        return ask("debug_traceTransaction", R"({},{{"tracer":"callTracer"}})", hash);
    };
    const std::string before = traced();
    EXPECT_THAT(before, Not(HasSubstr(R"("gasUsed":"0x5208")")));
    ask("hardhat_setBalance", R"("{}","0x77")", kNobody);
    ask("hardhat_setStorageAt", R"("{}","0x5","0x{}")", kContract, word(9));
    EXPECT_EQ(node_->program().end(), 0);
    const auto kept = std::filesystem::path{data} / "amendments.rlp";
    EXPECT_TRUE(std::filesystem::exists(kept));

    for (int runs = 0; runs < 2; ++runs) {
        start({"--datadir", data});
        EXPECT_FALSE(std::filesystem::exists(kept)) << "what is set from now on is not in it";
        EXPECT_EQ(balance(kNobody), R"("0x77")");
        EXPECT_EQ(ask("eth_getStorageAt", R"("{}","0x5","latest")", kContract),
                  fmt::format("\"0x{}\"", word(9)));
        EXPECT_EQ(traced(), before);
        EXPECT_EQ(node_->program().end(), 0);
    }

    std::ofstream{kept} << "none";
    RunningNode broken{{"--dev", "--datadir", data, "--timestamps", "distinct"}};
    EXPECT_EQ(broken.program().wait(), 2);
    EXPECT_THAT(broken.program().error(), HasSubstr("amendments.rlp"));
}

TEST_F(DevelopmentTest, what_was_set_and_has_changed_in_the_file_is_not_taken) {
    const TemporaryFolder folder;
    const std::string data = (folder.path() / "data").native();
    const auto kept = std::filesystem::path{data} / "amendments.rlp";
    start({"--datadir", data});
    ask("hardhat_setBalance", R"("{}","0x77")", kNobody);
    EXPECT_EQ(node_->program().end(), 0);
    const std::string written = read_text(kept);

    std::string changed = written;
    const auto value = changed.rfind('\x77');
    ASSERT_NE(value, std::string::npos);
    changed[value] = '\x76';
    std::ofstream{kept} << changed;
    RunningNode broken{{"--dev", "--datadir", data, "--timestamps", "distinct"}};
    EXPECT_EQ(broken.program().wait(), 2);
    EXPECT_THAT(broken.program().error(), HasSubstr("its checksum is another"));

    // Without the checksum, as nodes wrote it before.
    rlp::Reader top{{reinterpret_cast<const std::uint8_t*>(written.data()), written.size()}};
    rlp::Reader list = top.read_list().value();
    ASSERT_TRUE(list.read_hash().has_value());
    Bytes older(written.begin() + static_cast<std::ptrdiff_t>(list.offset()), written.end());
    rlp::wrap_list(0, older);
    std::ofstream{kept} << std::string{older.begin(), older.end()};
    start({"--datadir", data});
    EXPECT_EQ(balance(kNobody), R"("0x77")");
}

TEST_F(DevelopmentTest, any_number_of_blocks_is_taken_back) {
    const std::string snapshot = ask("evm_snapshot");
    ask("hardhat_mine", R"("0x186a0")");
    EXPECT_EQ(head(), 100'000U);
    EXPECT_EQ(balance(kAlice, "0x5"), balance(kAlice));
    EXPECT_THAT(ask("eth_getLogs", R"({{"fromBlock":"0x0","toBlock":"latest"}})"), "[]");
    EXPECT_THAT(ask("eth_feeHistory", R"("0x4","0x10",[50])"),
                AllOf(HasSubstr(R"("oldestBlock":"0xd")"), HasSubstr("reward")));
    EXPECT_EQ(ask("evm_revert", "{}", snapshot), "true");
    EXPECT_EQ(head(), 0U);
}

TEST_F(DevelopmentTest, takes_transactions_that_nobody_has_a_key_for) {
    // The deployment proxy that is at one address on every chain.
    constexpr std::string_view kRaw =
        "0xf8a58085174876e800830186a08080b853604580600e600039806000f350fe7fffffffffffffffffffff"
        "ffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f5801515603957"
        "8182fd5b8082525050506014600cf31ba02222222222222222222222222222222222222222222222222222"
        "222222222222a02222222222222222222222222222222222222222222222222222222222222222";
    ask("hardhat_setBalance",
        R"("0x3fab184622dc19b6109349b94811493bf2a45362","0x16345785d8a0000")");
    const std::string hash = ask("eth_sendRawTransaction", R"("{}")", kRaw);
    // The chain has it already, so that nothing can be created there.
    EXPECT_THAT(receipt(hash),
                HasSubstr(R"("contractAddress":"0x4e59b44847b379578588920ca78fbf26c0b4956c")"));
}

TEST_F(DevelopmentTest, gas_is_for_nothing_where_the_base_fee_is_zero) {
    ask("hardhat_setNextBlockBaseFeePerGas", R"("0x0")");
    const std::string hash =
        ask("eth_sendTransaction", R"({{"from":"{}","to":"{}","gasPrice":"0x0"}})", kAlice, kBob);
    EXPECT_THAT(receipt(hash), HasSubstr(R"("status":"0x1")"));
    ask("hardhat_setNextBlockBaseFeePerGas", R"("0x7")");
    EXPECT_THAT(
        ask("eth_sendTransaction", R"({{"from":"{}","to":"{}","gasPrice":"0x0"}})", kAlice, kBob),
        HasSubstr("non-zero"));
}

TEST_F(DevelopmentTest, contracts_deploy_one_after_the_other_by_their_nonce) {
    start({"--fork", "amsterdam"});
    for (int i = 0; i < 2; ++i) {
        const std::string hash = ask("eth_sendTransaction",
                                     R"({{"from":"{}","data":"0x600160005360016000f3"}})", kAlice);
        EXPECT_THAT(receipt(hash), HasSubstr(R"("status":"0x1")")) << i;
    }
}

TEST_F(DevelopmentTest, balances_and_allowances_of_a_token_are_set_wherever_it_keeps_them) {
    // Returns the slot keccak256(argument ‖ 0) for one argument, and with a second argument
    // keccak256(first ‖ second): CALLDATALOAD(4), CALLDATALOAD(36), two MSTOREs, KECCAK256, SLOAD.
    ask("anvil_setCode", R"("{}","0x6004355f5260243560205260405f20545f5260205ff3")", kContract);
    const auto read = [&](std::string_view selector, std::string_view arguments) {
        return ask("eth_call", R"({{"to":"{}","data":"0x{}{}"}},"latest")", kContract, selector,
                   arguments);
    };
    const std::string alice = std::string(24, '0') + std::string{kAlice.substr(2)};
    const std::string bob = std::string(24, '0') + std::string{kBob.substr(2)};
    const auto quoted = [](const std::string& text) { return "\"0x" + text + "\""; };

    EXPECT_EQ(ask("anvil_dealERC20", R"("{}","{}","0x1234")", kAlice, kContract), "null");
    EXPECT_EQ(read("70a08231", alice), quoted(word(0x1234)));
    EXPECT_EQ(read("70a08231", bob), quoted(word(0)));
    EXPECT_EQ(ask("anvil_setERC20Allowance", R"("{}","{}","{}","0x77")", kAlice, kBob, kContract),
              "null");
    EXPECT_EQ(read("dd62ed3e", alice + bob), quoted(word(0x77)));

    // Always 7, and one that reverts.
    ask("anvil_setCode", R"("{}","0x60075f5260205ff3")", kContract);
    EXPECT_THAT(ask("anvil_dealERC20", R"("{}","{}","0x1")", kAlice, kContract),
                HasSubstr("none of the slots"));
    ask("anvil_setCode", R"("{}","0x5f5ffd")", kContract);
    EXPECT_THAT(ask("anvil_dealERC20", R"("{}","{}","0x1")", kAlice, kContract),
                HasSubstr("does not say how much"));
}

TEST_F(DevelopmentTest, the_pending_block_is_as_it_was_last_said_to_be) {
    ask("evm_setAutomine", "false");
    const auto pending = [&] { return ask("eth_getBlockByNumber", R"("pending",false)"); };
    send(kAlice, kBob);
    EXPECT_THAT(pending(), HasSubstr(R"("gasUsed":"0x5208")"));
    ask("anvil_setNextBlockBaseFeePerGas", R"("0x3")");
    EXPECT_THAT(pending(), HasSubstr(R"("baseFeePerGas":"0x3")"));
    ask("anvil_setBalance", R"("{}","0x0")", kAlice);
    EXPECT_THAT(pending(), HasSubstr(R"("transactions":[])"));
}

TEST_F(DevelopmentTest, a_balance_is_added_to) {
    EXPECT_EQ(ask("anvil_addBalance", R"("{}","0x5")", kNobody), "null");
    EXPECT_EQ(ask("anvil_addBalance", R"("{}","0x6")", kNobody), "null");
    EXPECT_EQ(balance(kNobody), R"("0xb")");
    EXPECT_THAT(ask("anvil_addBalance", R"("{}","0x{}")", kNobody, std::string(64, 'f')),
                HasSubstr("at most 2^256 - 1"));
    EXPECT_EQ(balance(kNobody), R"("0xb")");
}

TEST_F(DevelopmentTest, the_newest_blocks_are_taken_back) {
    for (int i = 0; i < 3; ++i)
        send(kAlice, kBob);
    const std::string snapshot = ask("evm_snapshot");  // of block 3
    const std::string before = balance(kBob, "0x2");
    EXPECT_EQ(ask("anvil_rollback"), "null");
    EXPECT_EQ(head(), 2u);
    EXPECT_EQ(balance(kBob), before);
    EXPECT_EQ(ask("evm_revert", "{}", snapshot), "false");
    EXPECT_EQ(ask("anvil_rollback", "2"), "null");
    EXPECT_EQ(head(), 0u);
    EXPECT_THAT(ask("anvil_rollback", "1"), HasSubstr("there are 0"));
    send(kAlice, kBob);
    EXPECT_EQ(head(), 1u);
}

/// Before, it was gone, even where there was no block to take back.
TEST_F(DevelopmentTest, what_was_set_after_a_block_is_there_when_it_is_the_newest_again) {
    send(kAlice, kBob);
    ask("anvil_setBalance", R"("{}","0x5")", kNobody);
    EXPECT_EQ(ask("anvil_rollback", "0"), "null");
    EXPECT_EQ(balance(kNobody), R"("0x5")");
    send(kAlice, kNobody);
    EXPECT_EQ(balance(kNobody, "0x1"), R"("0x5")");
    EXPECT_EQ(ask("debug_setHead", R"("0x1")"), "null");
    EXPECT_EQ(balance(kNobody), R"("0x5")");
    send(kAlice, kNobody);
    EXPECT_EQ(balance(kNobody), R"("0x6")");
    EXPECT_EQ(ask("anvil_rollback", "2"), "null");
    EXPECT_EQ(balance(kNobody), R"("0x0")");
}

TEST_F(DevelopmentTest, what_waits_of_a_sender_is_dropped) {
    ask("evm_setAutomine", "false");
    send(kAlice, kNobody);
    send(kAlice, kNobody);
    send(kBob, kNobody);
    EXPECT_EQ(ask("anvil_removePoolTransactions", R"("{}")", kAlice), "null");
    EXPECT_EQ(ask("txpool_status"), R"({"pending":"0x1","queued":"0x0"})");
    ask("evm_mine");
    EXPECT_EQ(balance(kNobody), R"("0x1")");
}

TEST_F(DevelopmentTest, a_node_that_is_recorded_refuses_what_is_not_written_down) {
    const TemporaryFolder folder;
    node_ = std::make_unique<RunningNode>(
        std::vector<std::string>{"--dev", "--record", (folder.path() / "rec").native()});
    EXPECT_THAT(ask("hardhat_setBalance", R"("{}","0x5")", kNobody), HasSubstr("--record"));
    EXPECT_THAT(ask("evm_snapshot"), HasSubstr("--record"));
    EXPECT_EQ(ask("evm_mine"), R"("0x0")");
}

TEST_F(DevelopmentTest, other_nodes_have_none_of_it) {
    const TemporaryFolder folder;
    const std::string data = (folder.path() / "data").native();
    start({"--datadir", data});
    EXPECT_EQ(node_->program().end(), 0);
    node_ = std::make_unique<RunningNode>(
        std::vector<std::string>{"--datadir", data, "--set", "rpc.expose_admin=true"});
    for (const std::string_view name :
         {"evm_snapshot", "evm_revert", "anvil_setBalance", "hardhat_impersonateAccount"})
        EXPECT_THAT(ask(name), HasSubstr("-32601")) << name;
}

}  // namespace
}  // namespace heddle::test
