// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "system_call.hpp"

#include <iterator>

#include "code.hpp"
#include "transition_fixture.hpp"

namespace heddle::vm::test {
namespace {

class SystemCalls : public testing::Test {
protected:
    SystemCallOutcome& call(const Bytecode& code, const Bytes& input = {}) {
        state.deploy(kTarget, code.bytes());
        return call_deployed(input);
    }
    SystemCallOutcome& call_deployed(const Bytes& input = {}) {
        system_call(state, NumberedBlockHashes{}, env, kTarget, input, evm, outcome);
        return outcome;
    }

public:
    RecordedState state;
    BlockEnv env;
    Evm evm;
    SystemCallOutcome outcome;
};

TEST_F(SystemCalls, the_system_address_calls_and_is_not_changed) {
    const SystemCallOutcome& result =
        call(sstore(0, Bytecode{OP_CALLER}) + OP_ORIGIN + return_top());

    EXPECT_EQ(to_hex(result.output),
              "0x000000000000000000000000fffffffffffffffffffffffffffffffffffffffe");
    ASSERT_EQ(result.diff.accounts.size(), 1u);
    EXPECT_EQ(result.diff.accounts[0].address, kTarget);
    EXPECT_EQ(to_word(to_hash(result.diff.accounts[0].storage[0].value)),
              load_be(result.output.data()));
}

TEST_F(SystemCalls, thirty_million_gas_are_there_for_nothing) {
    const SystemCallOutcome& result = call(OP_GAS + return_top());
    EXPECT_EQ(load_be(result.output.data()), 29'999'998u);
}

TEST_F(SystemCalls, sixteen_new_slots_are_paid_for_beside_that) {  // EIP-8037
    Bytecode code;
    for (unsigned slot = 0; slot < 16; ++slot)
        code += sstore(slot, 1);
    constexpr std::uint64_t kExecution = 16 * (6 + 12'100);
    env.revision = Revision::amsterdam;
    EXPECT_EQ(load_be(call(code + OP_GAS + return_top()).output.data()),
              30'000'000u - kExecution - 2);
    const auto left = load_be(call(code + sstore(16, 1) + OP_GAS + return_top()).output.data());
    EXPECT_EQ(left, 30'000'000u - kExecution - 12'106 - 97'920 - 2);
}

TEST_F(SystemCalls, an_account_without_code_succeeds_and_changes_nothing) {
    EXPECT_EQ(call_deployed().status, Status::success);
    EXPECT_TRUE(outcome.diff.empty());
}

TEST_F(SystemCalls, an_empty_account_is_not_touched) {  // EIP-161
    state.set_balance(kTarget, {});
    ASSERT_TRUE(state.account(kTarget).has_value());
    for (const Revision revision : {Revision::cancun, Revision::amsterdam}) {
        env.revision = revision;
        EXPECT_EQ(call_deployed().status, Status::success);
        EXPECT_TRUE(outcome.diff.empty());
    }
}

TEST_F(SystemCalls, a_failed_call_changes_nothing) {
    EXPECT_EQ(call(sstore(0, 1) + OP_INVALID).status, Status::invalid_instruction);
    EXPECT_TRUE(outcome.diff.empty());
}

TEST_F(SystemCalls, nothing_is_warm_not_even_precompiled_contracts) {
    const Bytecode code = Bytecode{OP_GAS} + push(4) + OP_BALANCE + OP_POP + OP_GAS + OP_SWAP1 +
                          OP_SUB + return_top();
    constexpr std::uint64_t kSteps = 3 + 2 + 2;
    env.revision = Revision::osaka;
    EXPECT_EQ(load_be(call(code).output.data()), 2'600u + kSteps);
}

TEST_F(SystemCalls, a_contract_that_delegates_runs_what_it_names) {  // EIP-7702
    constexpr Address kDelegate = address_from_low64(0xde1e);
    Bytes designator(std::begin(kDelegationPrefix), std::end(kDelegationPrefix));
    designator.insert(designator.end(), kDelegate.bytes.begin(), kDelegate.bytes.end());
    state.deploy(kTarget, designator);
    env.revision = Revision::prague;
    EXPECT_EQ(call_deployed().status, Status::success) << "there is no code to run";

    state.deploy(kDelegate, (sstore(0, 1) + OP_ADDRESS + return_top()).bytes());
    EXPECT_EQ(call_deployed().status, Status::success);
    EXPECT_EQ(load_be(outcome.output.data()), to_word(kTarget));
    ASSERT_EQ(outcome.diff.accounts.size(), 1u);
    EXPECT_EQ(outcome.diff.accounts[0].address, kTarget);

    env.revision = Revision::cancun;
    EXPECT_EQ(call_deployed().status, Status::invalid_instruction) << "that is only code";
}

TEST_F(SystemCalls, input_is_handed_over) {
    const SystemCallOutcome& result =
        call(push(0) + OP_CALLDATALOAD + return_top(), Bytes(32, 0xab));
    EXPECT_EQ(result.output, Bytes(32, 0xab));
}

}  // namespace
}  // namespace heddle::vm::test
