// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "simulation/gas_estimator.hpp"

#include "simulation_fixture.hpp"

namespace heddle::node::simulation::test {
namespace {

using namespace vm;
using namespace vm::test;

class EstimateGas : public SimulationTest {
protected:
    [[nodiscard]] std::uint64_t estimate(const std::string& params) const {
        const std::string quoted = call("eth_estimateGas", params);
        return std::stoull(quoted.substr(1, quoted.size() - 2), nullptr, 16);
    }
    [[nodiscard]] std::string why_not(const std::string& params) const {
        return failure("eth_estimateGas", params);
    }
    /// Whether the call succeeds with this much gas.
    [[nodiscard]] bool suffices(std::uint64_t gas, const Bytecode& code) const {
        return failure("eth_call", on_code(code, fmt::format(R"(,"gas":"{:#x}")", gas)))
            .starts_with("accepted");
    }
};

TEST_F(EstimateGas, a_transfer_needs_exactly_its_intrinsic_gas) {
    EXPECT_EQ(estimate(fmt::format(R"([{{"from":"{}","to":"{}","value":"0x1"}}])", kRich, kPoor)),
              21'000u);
}

TEST_F(EstimateGas, a_call_gets_enough_but_hardly_more) {
    const Bytecode codes[] = {
        push(5) + return_top(),
        sstore(1, 1) + sstore(2, 2),
        // Refunds come after the gas has been spent.
        sstore(1, 1) + sstore(1, 0),
    };
    for (const Bytecode& code : codes) {
        const std::uint64_t gas = estimate(on_code(code));
        EXPECT_TRUE(suffices(gas, code));
        EXPECT_FALSE(suffices(gas - gas / 50, code)) << gas;
    }
}

TEST_F(EstimateGas, what_a_callee_needs_is_held_back_by_the_caller) {
    const Bytecode callee = sstore(1, 1) + sstore(2, 2) + sstore(3, 3);
    // Reverts where the callee fails.
    Bytecode caller = vm::test::call(*address_from_hex(kOther));
    const std::size_t destination = caller.size() + 3 + 5;
    caller += push(destination) + OP_JUMPI + revert_range(0, 0) + OP_JUMPDEST + OP_STOP;
    ASSERT_EQ(caller.bytes()[destination], OP_JUMPDEST);
    const std::string params =
        fmt::format(R"([{{"to":"{}"}},"latest",{{"{}":{{"code":"{}"}},"{}":{{"code":"{}"}}}}])",
                    kCode, kCode, to_hex(caller.bytes()), kOther, to_hex(callee.bytes()));
    const std::uint64_t gas = estimate(params);
    const auto with_gas = [&](std::uint64_t limit) {
        std::string text = params;
        text.insert(text.find('}'), fmt::format(R"(,"gas":"{:#x}")", limit));
        return failure("eth_call", text).starts_with("accepted");
    };
    EXPECT_TRUE(with_gas(gas));
    EXPECT_FALSE(with_gas(gas - gas / 50));
}

TEST_F(EstimateGas, data_costs_at_least_the_floor) {
    const std::string data = "0x" + std::string(2'000, '1');
    const std::uint64_t gas = estimate(fmt::format(R"([{{"to":"{}","data":"{}"}}])", kPoor, data));
    EXPECT_GE(gas, 21'000u + 40'000u);
    EXPECT_LE(gas, 62'000u);
    EXPECT_EQ(failure("eth_estimateGas", fmt::format(R"([{{"to":"{}","data":"{}","gas":"{:#x}"}}])",
                                                     kPoor, data, 61'000 - 1)),
              "-32000: failed with 60999 gas: insufficient gas for floor data gas cost: "
              "have 60999, want 61000");
}

TEST_F(EstimateGas, what_never_succeeds_says_why) {
    EXPECT_EQ(why_not(on_code(revert_range(0, 0))), "3: execution reverted \"0x\"");
    EXPECT_EQ(why_not(on_code(OP_INVALID)), "-32000: invalid opcode: INVALID");
    // No transaction may have more (EIP-7825).
    EXPECT_EQ(why_not(on_code(OP_JUMPDEST + push(0) + OP_JUMP)),
              "-32000: gas required exceeds allowance (16777216)");
}

TEST_F(EstimateGas, no_gas_pays_for_memory_that_cannot_be_counted) {
    EXPECT_EQ(failure("eth_estimateGas", on_code(push(0) + push(~Uint256{}) + OP_MSTORE)),
              "-32000: gas uint64 overflow");
    EXPECT_EQ(failure("eth_estimateGas", on_code(push(0) + push(Uint256{1} << 40) + OP_MSTORE)),
              "-32000: gas required exceeds allowance (16777216)");
}

TEST_F(EstimateGas, gas_that_is_given_is_the_most_unless_it_is_no_gas_at_all) {
    const Bytecode code = sstore(1, 1);
    EXPECT_EQ(why_not(on_code(code, R"(,"gas":"0x5300")")),
              "-32000: gas required exceeds allowance (21248)");
    EXPECT_EQ(estimate(on_code(code, R"(,"gas":"0x10")")), estimate(on_code(code)));
}

TEST_F(EstimateGas, nobody_spends_more_than_they_own) {
    const auto params = [&](std::string_view price, std::string_view value,
                            std::string_view balance) {
        return fmt::format(R"([{{"from":"{}","to":"{}","gasPrice":"{}","value":"{}"}},"latest",)"
                           R"({{"{}":{{"balance":"{}"}}}}])",
                           kPoor, kOther, price, value, kPoor, balance);
    };
    EXPECT_EQ(why_not(params("0x3b9aca00", "0x1", "0x1")),
              "-32000: insufficient funds for transfer");
    // 10,000 gas at 10^9 wei, and the value.
    EXPECT_EQ(why_not(params("0x3b9aca00", "0x1", "0x9184e72a001")),
              "-32000: gas required exceeds allowance (10000)");
    EXPECT_EQ(estimate(params("0x3b9aca00", "0x1", "0xffffffffffffff")), 21'000u);
}

TEST_F(EstimateGas, prices_below_the_block_are_refused_with_the_gas_tried) {
    EXPECT_EQ(why_not(fmt::format(R"([{{"from":"{}","to":"{}","gasPrice":"0x1"}}])", kRich, kOther))
                  .substr(0, 63),
              "-32000: failed with 16777216 gas: max fee per gas less than blo");
}

TEST_F(EstimateGas, stops_at_the_deadline) {
    EXPECT_EQ(code_after_deadline("eth_estimateGas", on_code(sstore(1, 1))),
              static_cast<int>(rpc::Code::timed_out));
    EXPECT_EQ(code_after_deadline("eth_createAccessList", on_code(sstore(1, 1))),
              static_cast<int>(rpc::Code::timed_out));
    EXPECT_EQ(code_after_deadline("eth_simulateV1", R"([{"blockStateCalls":[{}]}])"),
              static_cast<int>(rpc::Code::timed_out));
}

/// A chain with state gas (EIP-8037).
class EstimateStateGas : public SimulationTest {
protected:
    [[nodiscard]] static Genesis genesis() {
        Genesis genesis = dev_genesis(Revision::amsterdam);
        genesis.header.gas_limit = 60'000'000;
        return genesis;
    }
    [[nodiscard]] std::uint64_t estimate(const std::string& params) const {
        const std::string quoted = amsterdam_.call("eth_estimateGas", params);
        return std::stoull(quoted.substr(1, quoted.size() - 2), nullptr, 16);
    }
    [[nodiscard]] bool suffices(std::uint64_t gas, const Bytecode& code) const {
        try {
            (void)amsterdam_.call("eth_call", on_code(code, fmt::format(R"(,"gas":"{:#x}")", gas)));
            return true;
        } catch (const rpc::RpcError&) {
            return false;
        }
    }
    [[nodiscard]] static std::string transfer(std::string_view from, std::string_view to) {
        return fmt::format(R"([{{"from":"{}","to":"{}","value":"0x1"}}])", from, to);
    }

    heddle::test::RpcNode amsterdam_{genesis()};
};

TEST_F(EstimateStateGas, a_transfer_costs_what_its_recipient_does) {
    EXPECT_EQ(estimate(transfer(kRich, kRich)), 12'000u);
    const std::uint64_t gas = estimate(transfer(kRich, kPoor));
    EXPECT_GE(gas, 21'000u + 183'600);
    EXPECT_LE(gas, (21'000u + 183'600) * 102 / 100);
}

// As geth: a call is tried with the gas of a transfer first, and what it takes is the answer.
TEST_F(EstimateStateGas, what_is_hardly_more_than_a_transfer_gets_exactly_what_it_needs) {
    const auto on = [](std::string_view to, std::string_view more) {
        return fmt::format(R"([{{"from":"{}","to":"{}"{}}}])", kRich, to, more);
    };
    const std::string identity = "0x0000000000000000000000000000000000000004";
    EXPECT_EQ(estimate(on(identity, "")), 15'015u);
    EXPECT_EQ(
        estimate(on(kRich,
                    fmt::format(R"(,"accessList":[{{"address":"{}","storageKeys":[]}}])", kPoor))),
        12'000u + 2'900 + 20 * 64);
}

TEST_F(EstimateStateGas, less_than_a_transfer_once_cost_is_no_limit) {
    const Bytecode code = sstore(1, 1);
    EXPECT_EQ(estimate(on_code(code, R"(,"gas":"0x5207")")), estimate(on_code(code)));
    EXPECT_THROW((void)estimate(on_code(code, R"(,"gas":"0x5208")")), rpc::RpcError);
}

TEST_F(EstimateStateGas, goes_beyond_the_cap_of_execution_where_state_needs_it) {
    Bytecode code;
    for (unsigned slot = 0; slot < 200; ++slot)
        code += sstore(slot, 1);
    const std::uint64_t gas = estimate(on_code(code));
    EXPECT_GT(gas, 16'777'216u);
    EXPECT_TRUE(suffices(gas, code));
    EXPECT_FALSE(suffices(gas - gas / 50, code)) << gas;
}

// As geth: who only asks may ask for more than a transaction may execute, where it pays nothing.
TEST_F(EstimateStateGas, a_call_may_execute_longer_than_a_transaction) {
    const Bytecode code = Bytecode{OP_GAS} + return_top();
    const auto gas_seen = [](std::string_view word) {
        return std::stoull(std::string{word.substr(word.find("0x") + 2, 64)}, nullptr, 16);
    };
    EXPECT_GT(gas_seen(amsterdam_.call("eth_call", on_code(code, R"(,"gas":"0x2625a00")"))),
              39'000'000u);
    const std::string traced = amsterdam_.call(
        "debug_traceCall",
        fmt::format(R"([{{"to":"{}","gas":"0x2625a00"}},"latest",{{"tracer":"callTracer",)"
                    R"("stateOverrides":{{"{}":{{"code":"{}"}}}}}}])",
                    kCode, kCode, to_hex(code.bytes())));
    EXPECT_GT(gas_seen(std::string_view{traced}.substr(traced.find("\"output\":"))), 39'000'000u);

    const auto simulated = [&](std::string_view options) {
        const std::string text = amsterdam_.call(
            "eth_simulateV1",
            fmt::format(R"([{{"blockStateCalls":[{{"stateOverrides":{{"{}":{{"code":"{}"}}}},)"
                        R"("calls":[{{"from":"{}","to":"{}","gas":"0x2625a00",)"
                        R"("maxFeePerGas":"0x77359400"}}]}}]{}}}])",
                        kCode, to_hex(code.bytes()), kRich, kCode, options));
        return gas_seen(std::string_view{text}.substr(text.find("\"returnData\":") + 13));
    };
    EXPECT_GT(simulated(""), 39'000'000u);
    EXPECT_LT(simulated(R"(,"validation":true)"), 16'777'216u);
}

// The head is the last block of Osaka: its rules are those of an estimate, and with them an account
// costs nothing. Once the next block is what is asked about, its own are.
TEST(EstimateAtTheFork, goes_by_the_rules_of_the_block_that_it_is_for) {
    Genesis genesis = dev_genesis(Revision::amsterdam);
    genesis.config.amsterdam_time = genesis.header.timestamp + 1;
    genesis.header.block_access_list_hash.reset();
    genesis.header.slot_number.reset();
    const heddle::test::RpcNode before{genesis};
    const heddle::test::RpcNode after{genesis, {.seals_at_once = true}};
    const std::string params =
        fmt::format(R"([{{"from":"{}","to":"{}","value":"0x1"}}])", kRich, kPoor);

    EXPECT_EQ(before.call("eth_estimateGas", params), "\"0x5208\"");
    const std::string quoted = after.call("eth_estimateGas", params);
    const std::uint64_t gas = std::stoull(quoted.substr(1, quoted.size() - 2), nullptr, 16);
    EXPECT_GE(gas, 21'000u + 183'600);
    EXPECT_LE(gas, (21'000u + 183'600) * 102 / 100);
}

/// A node that makes a block as soon as there is a transaction.
class SealedAtOnce : public SimulationTest {
protected:
    [[nodiscard]] static std::uint64_t number_of(const heddle::test::RpcNode& node,
                                                 std::string_view method,
                                                 const std::string& params) {
        const std::string quoted = node.call(method, params);
        return std::stoull(quoted.substr(1, quoted.size() - 2), nullptr, 16);
    }
    [[nodiscard]] static std::string at(std::string_view block, const Bytecode& code) {
        return fmt::format(R"([{{"to":"{}"}},{},{{"{}":{{"code":"{}"}}}}])", kCode, block, kCode,
                           to_hex(code.bytes()));
    }

    heddle::test::RpcNode sealing_{dev_genesis(), {.seals_at_once = true}};
};

TEST_F(SealedAtOnce, a_call_sees_the_block_that_comes_next) {
    const Bytecode number = Bytecode{OP_NUMBER} + return_top();
    for (const std::string_view block : {"null", "\"latest\"", "\"pending\""})
        EXPECT_EQ(number_of(sealing_, "eth_call", at(block, number)), 1u) << block;
    EXPECT_EQ(number_of(sealing_, "eth_call", at("\"0x0\"", number)), 0u) << "as it was asked for";
    EXPECT_EQ(number_of(sealing_, "eth_call", at("\"finalized\"", number)), 0u);
    EXPECT_EQ(number_of(node_, "eth_call", at("\"latest\"", number)), 0u);
}

// What a swap does: where time has passed since the last one it brings two sums forward, which the
// block of the last one does not show and the block of the next one costs gas for.
TEST_F(SealedAtOnce, an_estimate_covers_what_code_does_once_time_has_passed) {
    const std::uint64_t last = node_.chain().head().header.timestamp;
    const Bytecode code = push(last) + OP_TIMESTAMP + OP_EQ + OP_ISZERO + push(1) + OP_SSTORE;
    const std::uint64_t before = number_of(node_, "eth_estimateGas", at("\"latest\"", code));
    const std::uint64_t next = number_of(sealing_, "eth_estimateGas", at("\"latest\"", code));

    EXPECT_GE(next, before + 19'000) << "a slot is written";
    const auto with_gas = [&](std::uint64_t gas) {
        return fmt::format(R"([{{"to":"{}","gas":"{:#x}"}},"pending",{{"{}":{{"code":"{}"}}}}])",
                           kCode, gas, kCode, to_hex(code.bytes()));
    };
    EXPECT_EQ(sealing_.call("eth_call", with_gas(next)), "\"0x\"");
    EXPECT_THROW((void)sealing_.call("eth_call", with_gas(before)), rpc::RpcError);
}

}  // namespace
}  // namespace heddle::node::simulation::test
