// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "simulation/simulator.hpp"

#include <gmock/gmock.h>

#include <vm/block.hpp>
#include <vm/system_contracts.hpp>

#include "simulation_fixture.hpp"

namespace heddle::node::simulation::test {
namespace {

using namespace vm;
using namespace vm::test;

class Simulate : public SimulationTest {
protected:
    /// The simulated blocks. Valid until the next call.
    JsonView simulate(std::string_view blocks, std::string_view options = {}) {
        text_ = call("eth_simulateV1",
                     fmt::format(R"([{{"blockStateCalls":[{}]{}}}])", blocks, options));
        return parser_.parse(text_, "blocks");
    }
    std::string refused(std::string_view blocks, std::string_view options = {}) {
        return failure("eth_simulateV1",
                       fmt::format(R"([{{"blockStateCalls":[{}]{}}}])", blocks, options));
    }
    /// The simulated blocks as text, or the error, where an answer may have a megabyte: some 3,500
    /// logs.
    std::string in_a_megabyte(std::string_view blocks) {
        JsonParser parser;
        std::string text;
        JsonWriter out(text, JsonWriter::Style::compact);
        const std::string params = fmt::format(R"([{{"blockStateCalls":[{}]}}])", blocks);
        const rpc::Call call{
            .params = rpc::Params{parser.parse(params, "params")},
            .deadline = std::chrono::steady_clock::now() + std::chrono::minutes{10},
            .max_result_bytes = 1 << 20,
            .session = nullptr};
        try {
            node_.methods().find("eth_simulateV1")->handler(call, out);
        } catch (const rpc::RpcError& error) {
            return error.what();
        }
        return text;
    }
    /// A block that calls `code` at kCode once; `members` go into the call.
    static std::string calling(const Bytecode& code, std::string_view members = {}) {
        return fmt::format(R"({{"stateOverrides":{{"{}":{{"code":"{}"}}}},)"
                           R"("calls":[{{"to":"{}"{}}}]}})",
                           kCode, to_hex(code.bytes()), kCode, members);
    }
    static JsonView call_of(const JsonView& blocks, std::size_t block, std::size_t index = 0) {
        return blocks.element(block).at("calls").element(index);
    }

    std::string text_;
    JsonParser parser_;
};

TEST_F(Simulate, blocks_stand_on_each_other) {
    const JsonView blocks = simulate("{},{}");
    ASSERT_EQ(blocks.size(), 2u);
    const ledger::StoredHeader head = node_.chain().head();
    EXPECT_EQ(blocks.element(0).at("parentHash").hash(), head.hash);
    EXPECT_EQ(blocks.element(1).at("parentHash").hash(), blocks.element(0).at("hash").hash());
    EXPECT_EQ(blocks.element(1).at("number").uint64(), head.header.number + 2);
    EXPECT_EQ(blocks.element(1).at("timestamp").uint64(), head.header.timestamp + 24);
}

TEST_F(Simulate, gaps_are_filled) {
    const JsonView blocks = simulate(R"({"blockOverrides":{"number":"0x4"}})");
    ASSERT_EQ(blocks.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_EQ(blocks.element(i).at("number").uint64(), i + 1);
}

TEST_F(Simulate, later_blocks_see_what_earlier_ones_did) {
    const JsonView blocks =
        simulate(calling(sstore(1, 5)) + "," + calling(sload(1) + return_top()) + "," +
                 calling(push(1) + OP_BLOCKHASH + return_top()));
    EXPECT_EQ(call_of(blocks, 1).at("returnData").string(), word(5));
    EXPECT_EQ(call_of(blocks, 2).at("returnData").hash(), blocks.element(0).at("hash").hash());
}

TEST_F(Simulate, nothing_of_it_is_kept) {
    const Hash head = node_.chain().head().hash;
    const auto transfer =
        fmt::format(R"({{"calls":[{{"from":"{}","to":"{}","value":"0x5"}}]}})", kRich, kPoor);
    EXPECT_EQ(call_of(simulate(transfer), 0).at("status").uint64(), 1u);
    EXPECT_EQ(call("eth_getBalance", fmt::format(R"(["{}","latest"])", kPoor)), "\"0x0\"");
    EXPECT_EQ(node_.chain().head().hash, head);
    // The same again has the same result.
    const std::string first = text_;
    (void)simulate(transfer);
    EXPECT_EQ(text_, first);
}

TEST_F(Simulate, an_empty_block_has_the_root_of_its_system_calls) {
    const Hash one = simulate("{}").element(0).at("stateRoot").hash();
    EXPECT_NE(one, node_.chain().head().header.state_root);
    // What changes no account changes nothing.
    EXPECT_EQ(simulate(R"({"stateOverrides":{}})").element(0).at("stateRoot").hash(), one);
}

TEST_F(Simulate, transfers_are_told_as_logs_where_it_is_wanted) {
    const auto transfer =
        fmt::format(R"({{"calls":[{{"from":"{}","to":"{}","value":"0x5"}}]}})", kRich, kPoor);
    EXPECT_EQ(call_of(simulate(transfer), 0).at("logs").size(), 0u);
    const JsonView blocks = simulate(transfer, R"(,"traceTransfers":true)");
    const JsonView log = call_of(blocks, 0).at("logs").element(0);
    EXPECT_EQ(log.at("address").string(), "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee");
    EXPECT_EQ(log.at("topics").element(1).hash(), to_hash(to_word(*address_from_hex(kRich))));
    EXPECT_EQ(log.at("topics").element(2).hash(), to_hash(to_word(*address_from_hex(kPoor))));
    EXPECT_EQ(log.at("data").string(), word(5));
    EXPECT_EQ(log.at("blockHash").hash(), blocks.element(0).at("hash").hash());
    // They are no part of the block.
    EXPECT_TRUE(blocks.element(0).at("logsBloom").uint256().is_zero());
}

// What is asked for beside the log that there is anyway (EIP-7708) would tell of it twice.
TEST_F(Simulate, amsterdam_tells_each_transfer_once) {
    const heddle::test::RpcNode amsterdam{dev_genesis(Revision::amsterdam)};
    text_ = amsterdam.call(
        "eth_simulateV1",
        fmt::format(
            R"([{{"blockStateCalls":[{{"calls":[{{"from":"{}","to":"{}","value":"0x5"}}]}}],)"
            R"("traceTransfers":true}}])",
            kRich, kPoor));
    const JsonView logs = call_of(parser_.parse(text_, "blocks"), 0).at("logs");
    ASSERT_EQ(logs.size(), 1u);
    EXPECT_EQ(logs.element(0).at("address").string(), "0xfffffffffffffffffffffffffffffffffffffffe");
    EXPECT_EQ(logs.element(0).at("data").string(), word(5));
}

TEST_F(Simulate, an_access_list_may_have_more_than_the_gas_limit_pays_for) {
    const heddle::test::RpcNode amsterdam{dev_genesis(Revision::amsterdam)};
    text_ = amsterdam.call("eth_simulateV1",
                           R"([{"blockStateCalls":[{"blockOverrides":{"gasLimit":"0x5208"}}]}])");
    const JsonView block = parser_.parse(text_, "blocks").element(0);
    EXPECT_EQ(block.at("gasLimit").uint64(), 0x5208u);
    EXPECT_TRUE(block.find("blockAccessListHash").has_value());
}

TEST_F(Simulate, logs_of_what_was_undone_are_gone) {
    const Bytecode log = push(0) + push(0) + OP_LOG0;
    const JsonView kept = call_of(simulate(calling(log)), 0);
    EXPECT_EQ(kept.at("logs").size(), 1u);
    const JsonView undone = call_of(simulate(calling(log + revert_range(0, 0))), 0);
    EXPECT_EQ(undone.at("logs").size(), 0u);
    EXPECT_EQ(undone.at("status").uint64(), 0u);
    EXPECT_EQ(undone.at("error").at("code").uint64(), 3u);
    EXPECT_EQ(undone.at("error").at("data").string(), "0x");
    EXPECT_EQ(undone.at("returnData").string(), "0x");
}

/// They would take many times as much memory as the answer may, before anybody saw that. Of this
/// one nothing would have been told in the end: it runs out of gas.
TEST_F(Simulate, ends_where_the_logs_do_not_fit_into_an_answer) {
    const Bytecode looping = OP_JUMPDEST + push(0) + push(0) + OP_LOG0 + push(0) + OP_JUMP;

    EXPECT_EQ(in_a_megabyte(calling(looping)), "response too large");
}

/// Also what calls return, or revert with, would be held until their block is told: some 100 MB of
/// 50 million gas. A last call that cannot be executed shows that it is seen before that.
TEST_F(Simulate, ends_where_what_calls_return_does_not_fit_into_an_answer) {
    const auto block = [](std::size_t calls, const Bytecode& code) {
        std::string list;
        for (std::size_t i = 0; i < calls; ++i)
            list += fmt::format(R"({{"to":"{}","gas":"0x30000"}},)", kCode);
        list += R"({"gas":"0x7fffffffffff"})";
        return fmt::format(R"({{"stateOverrides":{{"{}":{{"code":"{}"}}}},"calls":[{}]}})", kCode,
                           to_hex(code.bytes()), list);
    };
    constexpr std::size_t kSize = 64 << 10;
    for (const Bytecode& code : {return_range(0, kSize), revert_range(0, kSize)}) {
        EXPECT_THAT(in_a_megabyte(block(7, code)), testing::HasSubstr("block gas limit reached"));
        EXPECT_EQ(in_a_megabyte(block(9, code)), "response too large");
    }
}

TEST_F(Simulate, goes_on_where_logs_are_undone_however_many) {
    constexpr unsigned kCalls = 4;
    Bytecode calls;
    for (unsigned i = 0; i < kCalls; ++i)
        calls += push(0) + push(0) + push(1) + push(0) + push(0) + OP_ADDRESS + OP_GAS + OP_CALL +
                 OP_POP;
    const std::size_t logs = 4 + calls.size() + 1;
    const std::size_t loop = logs + 1 + push(1'500).size();
    const Bytecode code = OP_CALLDATASIZE + push_sized(1, logs) + OP_JUMPI + calls + OP_STOP +
                          OP_JUMPDEST + push(1'500) + OP_JUMPDEST + push(0) + push(0) + OP_LOG0 +
                          push(1) + numbered(OP_SWAP1, 1) + OP_SUB + numbered(OP_DUP1, 1) +
                          push_sized(1, loop) + OP_JUMPI + revert_range(0, 0);

    text_ = in_a_megabyte(calling(code));
    const JsonView call = call_of(parser_.parse(text_, "blocks"), 0);

    EXPECT_EQ(call.at("status").uint64(), 1u);
    EXPECT_EQ(call.at("logs").size(), 0u);
    EXPECT_GT(call.at("gasUsed").uint64(), kCalls * 1'500 * 375u);
}

TEST_F(Simulate, failed_calls_do_not_end_it) {
    const std::string halting = calling(OP_INVALID, R"(,"gas":"0x10000")");
    const JsonView blocks = simulate(halting + "," + calling(push(1) + return_top()));
    const JsonView error = call_of(blocks, 0).at("error");
    EXPECT_EQ(error.at("message").string(), "invalid opcode: INVALID");
    EXPECT_EQ(call_of(blocks, 0).at("gasUsed").uint64(), 0x10000u);
    EXPECT_EQ(call_of(blocks, 1).at("status").uint64(), 1u);
}

TEST_F(Simulate, a_call_without_code_does_not_fail_as_the_one_before_it) {
    constexpr const char* kRipemd = "0x0000000000000000000000000000000000000003";
    const JsonView blocks = simulate(fmt::format(
        R"({{"calls":[{{"data":"0x50","gas":"0x10000"}},{{"to":"{}","gas":"0x5208"}}]}})",
        kRipemd));
    EXPECT_EQ(call_of(blocks, 0, 0).at("error").at("message").string(),
              "stack underflow (0 <=> 1)");
    EXPECT_EQ(call_of(blocks, 0, 1).at("error").at("message").string(), "out of gas");
}

TEST_F(Simulate, withdrawals_are_credited_and_in_the_block) {
    const JsonView blocks = simulate(
        fmt::format(R"({{"blockOverrides":{{"withdrawals":[{{"index":"0x1","validatorIndex":"0x2",)"
                    R"("address":"{}","amount":"0x3"}}]}}}},)"
                    R"({{"calls":[{{"from":"{}","to":"{}","value":"0xb2d05e00"}}]}})",
                    kPoor, kPoor, kOther));
    const std::vector<Withdrawal> withdrawals{{1, 2, *address_from_hex(kPoor), 3}};
    EXPECT_EQ(blocks.element(0).at("withdrawalsRoot").hash(), withdrawals_root(withdrawals));
    EXPECT_EQ(call_of(blocks, 1).at("status").uint64(), 1u);
}

TEST_F(Simulate, what_a_withdrawal_does_not_say_is_zero) {
    const JsonView blocks = simulate(R"({"blockOverrides":{"withdrawals":[{"index":"0x7"}]}})");
    const std::vector<Withdrawal> withdrawals{{7, 0, Address{}, 0}};
    EXPECT_EQ(blocks.element(0).at("withdrawalsRoot").hash(), withdrawals_root(withdrawals));
}

TEST_F(Simulate, lists_are_lists) {
    for (const std::string_view blocks :
         {R"({"calls":{}})", R"({"blockOverrides":{"withdrawals":{}}})"})
        EXPECT_NE(refused(blocks).find("expected a list"), std::string::npos) << blocks;
    EXPECT_NE(failure("eth_simulateV1", R"([{"blockStateCalls":{}}])").find("expected a list"),
              std::string::npos);
}

/// Simulated blocks bring no difficulty with them, and come after the merge all the same where it
/// is known when that was.
// geth 1.17.8 gives the same stateRoot: nothing is burnt where EIP-1559 does not hold yet.
TEST(SimulateBeforeLondon, the_beneficiary_has_all_of_the_price_also_where_there_is_a_base_fee) {
    Genesis genesis = dev_genesis();
    const std::uint64_t chain_id = genesis.config.chain_id;
    genesis.config = ChainConfig{};
    genesis.config.chain_id = chain_id;
    genesis.config.homestead_block = 0;
    genesis.config.terminal_total_difficulty = Uint256{1} << 70;
    BlockHeader& header = genesis.header;
    header.difficulty = 1;
    header.base_fee_per_gas.reset();
    header.withdrawals_root.reset();
    header.blob_gas_used.reset();
    header.excess_blob_gas.reset();
    header.parent_beacon_block_root.reset();
    header.requests_hash.reset();
    heddle::test::RpcNode node{genesis};
    JsonParser parser;
    // The second call returns the balance of the beneficiary.
    const std::string text = node.call(
        "eth_simulateV1",
        fmt::format(
            R"([{{"blockStateCalls":[{{"blockOverrides":{{"baseFeePerGas":"0x9","feeRecipient":)"
            R"("0x00000000000000000000000000000000000000fe"}},"stateOverrides":{{"{0}":{{"code":)"
            R"("0x7300000000000000000000000000000000000000fe3160005260206000f3"}},"{1}":)"
            R"({{"balance":"0xffffffffff"}}}},"calls":[{{"from":"{1}","to":"{1}","maxFeePerGas":)"
            R"("0xf","maxPriorityFeePerGas":"0x1"}},{{"to":"{0}"}}]}}]}}])",
            kCode, "0x00000000000000000000000000000000000000ab"));
    const JsonView calls = parser.parse(text, "blocks").element(0).at("calls");
    EXPECT_EQ(calls.element(1).at("returnData").uint256(), Uint256{21'000 * (9 + 1)});
}

TEST(SimulateBeforeTheMerge, the_merge_comes_with_its_block_or_the_time_of_shanghai) {
    Genesis genesis = dev_genesis();
    genesis.config = ChainConfig{};
    genesis.config.chain_id = 1337;
    genesis.config.homestead_block = 0;
    genesis.config.tangerine_whistle_block = 0;
    genesis.config.spurious_dragon_block = 0;
    genesis.config.byzantium_block = 0;
    genesis.config.constantinople_block = 0;
    genesis.config.petersburg_block = 0;
    genesis.config.istanbul_block = 0;
    genesis.config.berlin_block = 0;
    genesis.config.london_block = 0;
    genesis.config.merge_netsplit_block = 3;
    genesis.config.shanghai_time = genesis.header.timestamp + 60;
    genesis.config.terminal_total_difficulty = Uint256{1} << 70;
    BlockHeader& header = genesis.header;
    header.difficulty = 1;
    header.withdrawals_root.reset();
    header.blob_gas_used.reset();
    header.excess_blob_gas.reset();
    header.parent_beacon_block_root.reset();
    header.requests_hash.reset();
    heddle::test::RpcNode node{genesis};
    JsonParser parser;
    const std::string text =
        node.call("eth_simulateV1", R"([{"blockStateCalls":[{},{},{},{},{}]}])");
    const JsonView blocks = parser.parse(text, "blocks");
    EXPECT_EQ(blocks.element(1).at("difficulty").uint256(), Uint256{1});
    EXPECT_TRUE(blocks.element(2).at("difficulty").uint256().is_zero());
    EXPECT_FALSE(blocks.element(2).find("withdrawalsRoot").has_value());
    EXPECT_TRUE(blocks.element(4).find("withdrawalsRoot").has_value());
}

TEST_F(Simulate, the_base_fee_is_that_of_the_chain_only_with_validation) {
    EXPECT_TRUE(simulate("{}").element(0).at("baseFeePerGas").uint256().is_zero());
    EXPECT_EQ(simulate("{}", R"(,"validation":true)").element(0).at("baseFeePerGas").uint256(),
              next_base_fee(node_.chain().head().header, node_.chain().config()));
}

TEST_F(Simulate, all_calls_share_one_allowance_of_gas) {
    const std::string endless = fmt::format(R"({{"stateOverrides":{{"{0}":{{"code":"0x5b5f56"}}}},)"
                                            R"("calls":[{{"to":"{0}"}},{{"to":"{0}"}}]}})",
                                            kCode);
    EXPECT_EQ(refused(endless),
              "-38013: err: intrinsic gas too low: have 0, want 21000 "
              "(supplied gas 0)");
}

TEST_F(Simulate, calls_that_cannot_be_executed_end_it_with_their_code) {
    const auto one = [](std::string_view members) {
        return fmt::format(R"({{"calls":[{{"to":"{}"{}}}]}})", kOther, members);
    };
    const std::string validation = R"(,"validation":true)";
    const auto code = [](const std::string& text) { return text.substr(0, 6); };
    EXPECT_EQ(code(refused(one(R"(,"gas":"0x5")"))), "-38013");
    EXPECT_EQ(code(refused(one(R"(,"gas":"0xffffffffff")"))), "-38015");
    EXPECT_EQ(code(refused(one(R"(,"value":"0x5")"))), "-38014");
    EXPECT_EQ(code(refused(one(R"(,"nonce":"0x5")"), validation)), "-38011");
    EXPECT_EQ(code(refused(one(""), validation)), "-38012");
    EXPECT_EQ(code(refused(one(R"(,"maxPriorityFeePerGas":"0x1")"))), "-32602");
    EXPECT_EQ(code(refused(one(R"(,"gasPrice":"0x1","maxFeePerGas":"0x1")"))), "-32000");
    EXPECT_EQ(refused(one(R"(,"nonce":"0x5")")).substr(0, 8), "accepted");
}

// geth 1.17.8 answers all of these with -32000: the block cannot be made as it was asked for.
TEST_F(Simulate, system_contracts_that_fail_or_are_not_there_are_the_callers_fault) {
    for (const Address& address : {kWithdrawalRequestAddress, kConsolidationRequestAddress})
        for (const std::string_view code : {"0x60006000fd", "0xfe", "0x"})
            EXPECT_EQ(refused(fmt::format(R"({{"stateOverrides":{{"{}":{{"code":"{}"}}}}}})",
                                          to_string(address), code))
                          .substr(0, 7),
                      "-32000:")
                << code;
}

TEST_F(Simulate, blocks_must_be_in_order_and_few) {
    EXPECT_EQ(refused(""), "-32602: empty input");
    EXPECT_EQ(refused(R"({"blockOverrides":{"number":"0x0"}})"),
              "-38020: block numbers must be in order: 0 <= 0");
    EXPECT_EQ(refused(R"({"blockOverrides":{"number":"0x101"}})"), "-38026: too many blocks");
    EXPECT_EQ(refused(R"({"blockOverrides":{"number":"0xffffffffffffffffffffff"}})"),
              "-38026: too many blocks");
    EXPECT_EQ(refused(R"({"blockOverrides":{"time":"0x0"}})").substr(0, 42),
              "-38021: block timestamps must be in order:");
}

// One request could have as many calls as its bytes have room for, and each is kept to its end.
TEST_F(Simulate, calls_are_bounded_in_a_block_and_in_all_of_them) {
    const auto block = [](std::size_t calls) {
        std::string list = R"({"calls":[)";
        for (std::size_t i = 0; i < calls; ++i)
            list += i == 0 ? "{}" : ",{}";
        return list + "]}";
    };
    EXPECT_EQ(refused(block(5'001)), "-38026: too many calls in block: 5001 > 5000");
    EXPECT_EQ(refused(block(5'000) + "," + block(5'000) + "," + block(1)),
              "-38026: too many calls: 10001 > 10000");
    // What a block may have is not refused for its number: the gas of the first call is.
    EXPECT_EQ(refused(block(4'999) + "," + block(5'000)).substr(0, 6), "-38013");
}

TEST_F(Simulate, full_transactions_carry_no_signature) {
    const auto blocks = simulate(fmt::format(R"({{"calls":[{{"from":"{0}","to":"{1}"}},)"
                                             R"({{"from":"{0}","to":"{1}","gasPrice":"0x1"}}]}})",
                                             kRich, kPoor),
                                 R"(,"returnFullTransactions":true)");
    const JsonView transactions = blocks.element(0).at("transactions");
    ASSERT_EQ(transactions.size(), 2u);
    EXPECT_EQ(transactions.element(0).at("type").uint64(), 2u);
    EXPECT_EQ(transactions.element(1).at("type").uint64(), 0u);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(transactions.element(i).at("from").string(), kRich);
        EXPECT_EQ(transactions.element(i).at("nonce").uint64(), i);
        for (const char* name : {"v", "r", "s"})
            EXPECT_EQ(transactions.element(i).at(name).string(), "0x0");
    }
}

TEST_F(Simulate, blobs_are_only_in_transactions_that_carry_them) {
    const auto blob_gas = [&](std::string_view members) {
        const auto block = fmt::format(
            R"({{"calls":[{{"from":"{}","to":"{}","blobVersionedHashes":["0x01{:062}"]{}}}]}})",
            kRich, kPoor, 0, members);
        return simulate(block).element(0).at("blobGasUsed").uint64();
    };
    EXPECT_EQ(blob_gas(""), kGasPerBlob);
    EXPECT_EQ(blob_gas(R"(,"gasPrice":"0x1")"), 0u);
}

// As in geth the block's price is what it is, and who has it pays it.
TEST_F(Simulate, blobs_without_a_price_leave_the_blocks_as_it_is) {
    const auto price_and_balance = [&](std::string_view from) {
        // BLOBBASEFEE and BALANCE of the caller, returned.
        const auto block = fmt::format(
            R"({{"blockOverrides":{{"blobBaseFee":"0x7"}},)"
            R"("stateOverrides":{{"{0}":{{"code":"0x4a5f52333160205260405ff3"}}}},)"
            R"("calls":[{{"from":"{1}","to":"{0}","blobVersionedHashes":["0x01{2:062}"]}}]}})",
            kCode, from, 0);
        const Bytes data = from_hex(call_of(simulate(block), 0).at("returnData").string()).value();
        EXPECT_EQ(load_be(data.data()), 7u);
        return load_be(data.data() + 32);
    };
    const std::string quoted = call("eth_getBalance", fmt::format(R"(["{}","latest"])", kRich));
    const Uint256 before = uint256_from_string(quoted.substr(1, quoted.size() - 2)).value();
    EXPECT_EQ(price_and_balance(kRich), before - Uint256{7 * kGasPerBlob});
    EXPECT_EQ(price_and_balance(kPoor), 0u);
}

TEST_F(Simulate, gas_that_the_node_does_not_give_is_told_apart) {
    const std::string text = " (gas limit was capped by the RPC server's global gas cap)";
    const auto message = [&](std::string_view members) {
        return std::string{
            call_of(simulate(calling(OP_INVALID, members)), 0).at("error").at("message").string()};
    };
    EXPECT_EQ(message(R"(,"gas":"0x10000")"), "invalid opcode: INVALID");
    const std::uint64_t block_gas = node_.chain().head().header.gas_limit;
    EXPECT_EQ(message("").ends_with(text), block_gas > rpc::MethodLimits{}.call_gas);
}

TEST_F(Simulate, moved_precompiles_are_back_in_the_next_block) {
    const std::string at_other = fmt::format(R"("calls":[{{"to":"{}","data":"0x07"}}])", kOther);
    const JsonView blocks =
        simulate(fmt::format(R"({{"stateOverrides":{{"0x0000000000000000000000000000000000000004":)"
                             R"({{"movePrecompileToAddress":"{}"}}}},{}}},{{{}}})",
                             kOther, at_other, at_other));
    EXPECT_EQ(call_of(blocks, 0).at("returnData").string(), "0x07");
    EXPECT_EQ(call_of(blocks, 1).at("returnData").string(), "0x");
}

}  // namespace
}  // namespace heddle::node::simulation::test
