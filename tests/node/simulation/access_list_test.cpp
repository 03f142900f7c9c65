// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "simulation/access_list.hpp"

#include "simulation_fixture.hpp"

namespace heddle::node::simulation::test {
namespace {

using namespace vm;
using namespace vm::test;

class CreateAccessList : public SimulationTest {
protected:
    [[nodiscard]] std::string list(const Bytecode& code, std::string_view members = {}) const {
        const std::string text = call("eth_createAccessList", on_code(code, members));
        return text.substr(0, text.find(",\"gasUsed\""));
    }
    [[nodiscard]] static std::string entry(std::string_view address,
                                           std::initializer_list<Uint256> slots) {
        std::string text = fmt::format(R"({{"address":"{}","storageKeys":[)", address);
        for (const Uint256& slot : slots)
            text += fmt::format("{}\"{}\"", text.back() == '[' ? "" : ",", word(slot));
        return text + "]}";
    }
};

TEST_F(CreateAccessList, lists_slots_and_accounts_in_order) {
    const Address other = *address_from_hex(kOther);
    EXPECT_EQ(list(sload(2) + sload(1) + push(other) + OP_BALANCE),
              R"({"accessList":[)" + entry(kCode, {1, 2}) + "," + entry(kOther, {}) + "]");
}

TEST_F(CreateAccessList, leaves_out_what_is_warm_anyway) {
    const Bytecode touching = OP_CALLER + Bytecode{OP_BALANCE} + OP_ADDRESS + OP_EXTCODESIZE +
                              push(address_from_low64(4)) + OP_EXTCODEHASH + OP_COINBASE + OP_POP;
    EXPECT_EQ(list(touching), R"({"accessList":[])");
}

TEST_F(CreateAccessList, goes_on_until_the_list_is_stable) {
    // Reads one slot more where reading the first one costs little: where it was on the list.
    Bytecode code =
        OP_GAS + sload(7) + OP_POP + OP_GAS + numbered(OP_SWAP1, 1) + OP_SUB + push(1'000) + OP_LT;
    const std::size_t destination = code.size() + 6;
    code += push(destination) + OP_JUMPI + sload(9) + OP_JUMPDEST + OP_STOP;
    ASSERT_EQ(code.bytes()[destination - 1], OP_SLOAD);
    EXPECT_EQ(list(code), R"({"accessList":[)" + entry(kCode, {7, 9}) + "]");
}

TEST_F(CreateAccessList, keeps_what_the_caller_listed) {
    EXPECT_EQ(list(OP_STOP, R"(,"accessList":[)" + entry(kOther, {9}) + "]"),
              R"({"accessList":[)" + entry(kOther, {9}) + "]");
}

TEST_F(CreateAccessList, tells_how_a_call_failed_beside_the_list) {
    EXPECT_EQ(list(sload(1) + OP_INVALID),
              R"({"accessList":[)" + entry(kCode, {1}) + R"(],"error":"invalid opcode: INVALID")");
    EXPECT_EQ(list(revert_range(0, 0)), R"({"accessList":[],"error":"execution reverted")");
}

TEST_F(CreateAccessList, counts_gas_with_the_list) {
    EXPECT_EQ(call("eth_createAccessList",
                   fmt::format(R"([{{"from":"{}","to":"{}","value":"0x1"}}])", kRich, kPoor)),
              R"({"accessList":[],"gasUsed":"0x5208"})");
}

TEST_F(CreateAccessList, refuses_calls_that_cannot_be_executed) {
    const std::string refused =
        failure("eth_createAccessList",
                fmt::format(R"([{{"from":"{}","to":"{}","value":"0x1"}}])", kPoor, kOther));
    EXPECT_TRUE(refused.starts_with("-32000: failed to apply transaction: 0x")) << refused;
    EXPECT_TRUE(refused.ends_with("have 0 want 1")) << refused;
    EXPECT_EQ(
        failure("eth_createAccessList", fmt::format(R"([{{"to":"{}","gasPrice":"0x0"}}])", kOther)),
        "-32000: gasPrice must be non-zero after london fork");
    EXPECT_EQ(failure("eth_createAccessList",
                      fmt::format(R"([{{"to":"{}","maxFeePerGas":"0x0"}}])", kOther))
                  .substr(0, 49),
              "-32000: maxFeePerGas (0x0) < maxPriorityFeePerGas");
    const auto failing = [&](std::string_view members) {
        return failure("eth_createAccessList",
                       fmt::format(R"([{{"from":"{}","to":"{}"{}}}])", kPoor, kOther, members));
    };
    EXPECT_EQ(failing(R"(,"gasPrice":"0x3b9aca00","authorizationList":[])"),
              "-32000: both gasPrice and authorizationList specified");
    EXPECT_EQ(failing(R"(,"maxFeePerBlobGas":"0x0")"),
              "-32000: maxFeePerBlobGas, if specified, must be non-zero");
    const std::string unpaid = failing(
        R"(,"gas":"0x61a8","authorizationList":[{"chainId":"0x0","nonce":"0x0","yParity":"0x0",)"
        R"("address":"0x00000000000000000000000000000000c0de0001","r":"0x1","s":"0x1"},)"
        R"({"chainId":"0x0","nonce":"0x0","yParity":"0x0","r":"0x1","s":"0x1",)"
        R"("address":"0x00000000000000000000000000000000c0de0001"}])");
    EXPECT_TRUE(unpaid.ends_with("intrinsic gas too low: have 25000, want 71000")) << unpaid;
}

TEST_F(CreateAccessList, one_price_brings_the_others_with_it) {
    const std::string refused = failure(
        "eth_createAccessList",
        fmt::format(R"([{{"from":"{}","to":"{}","maxPriorityFeePerGas":"0x1"}}])", kPoor, kOther));
    EXPECT_NE(refused.find("insufficient funds for gas * price + value"), std::string::npos)
        << refused;
}

/// As the conversations of execution-apis have it; geth 1.17.8 asked for the price of gas.
TEST_F(CreateAccessList, a_price_for_blobs_alone_needs_no_funds) {
    EXPECT_EQ(
        call("eth_createAccessList",
             fmt::format(R"([{{"from":"{}","to":"{}","maxFeePerBlobGas":"0x1"}}])", kPoor, kOther)),
        R"({"accessList":[],"gasUsed":"0x5208"})");
}

/// It always has a list, be it empty.
TEST(CreateAccessListBeforeBerlin, is_for_a_transaction_that_the_fork_does_not_know) {
    Genesis genesis = dev_genesis();
    genesis.config = ChainConfig{};
    genesis.config.chain_id = 1337;
    genesis.config.homestead_block = 0;
    BlockHeader& header = genesis.header;
    header.base_fee_per_gas.reset();
    header.withdrawals_root.reset();
    header.blob_gas_used.reset();
    header.excess_blob_gas.reset();
    header.parent_beacon_block_root.reset();
    header.requests_hash.reset();
    heddle::test::RpcNode node{genesis};
    try {
        (void)node.call("eth_createAccessList", fmt::format(R"([{{"to":"{}"}}])", kOther));
        FAIL();
    } catch (const rpc::RpcError& error) {
        EXPECT_TRUE(
            error.message().ends_with("transaction type not supported: access list tx (sender "
                                      "0x0000000000000000000000000000000000000000)"))
            << error.message();
    }
}

}  // namespace
}  // namespace heddle::node::simulation::test
