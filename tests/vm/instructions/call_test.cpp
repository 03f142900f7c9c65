// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "transition_fixture.hpp"

#include <algorithm>

namespace heddle::vm::test {
namespace {

class Calls : public TransitionTest {
protected:
    /// Runs `callee` at kOther by `opcode` and gives the word it returns.
    Uint256 ask(Opcode opcode, const Bytecode& callee, const Uint256& value = {}) {
        pre.deploy(kOther, (callee + return_top()).bytes());
        return eval(
            CallCode{
                .opcode = opcode, .to = push(kOther), .value = push(value), .output_size = 32} +
            OP_POP + push(0) + OP_MLOAD);
    }
    /// Whether the call succeeds, as it says itself.
    bool succeeds(const Bytecode& call) { return eval(call) == Uint256{1}; }
};

TEST_F(Calls, each_kind_has_its_own_context) {
    tx.value = 9;
    EXPECT_EQ(ask(OP_CALL, OP_ADDRESS), to_word(kOther));
    EXPECT_EQ(ask(OP_CALL, OP_CALLER), to_word(kTarget));
    EXPECT_EQ(ask(OP_CALL, OP_CALLVALUE, 4), 4u);
    EXPECT_EQ(ask(OP_CALLCODE, OP_ADDRESS), to_word(kTarget));
    EXPECT_EQ(ask(OP_CALLCODE, OP_CALLER), to_word(kTarget));
    EXPECT_EQ(ask(OP_CALLCODE, OP_CALLVALUE, 4), 4u);
    EXPECT_EQ(ask(OP_DELEGATECALL, OP_ADDRESS), to_word(kTarget));
    EXPECT_EQ(ask(OP_DELEGATECALL, OP_CALLER), to_word(kSender));
    EXPECT_EQ(ask(OP_DELEGATECALL, OP_CALLVALUE), 9u);
    EXPECT_EQ(ask(OP_STATICCALL, OP_ADDRESS), to_word(kOther));
    EXPECT_EQ(ask(OP_STATICCALL, OP_CALLVALUE), 0u);
}

TEST_F(Calls, value_moves_with_a_call_and_stays_with_a_callcode) {
    tx.value = 9;
    run(call(kOther, 4));
    EXPECT_EQ(balance(kOther), 4u);
    EXPECT_EQ(balance(kTarget), 5u);
    run(CallCode{.opcode = OP_CALLCODE, .to = push(kOther), .value = push(4)});
    EXPECT_EQ(balance(kTarget), 9u);
    EXPECT_FALSE(exists(kOther));
}

TEST_F(Calls, a_call_that_sends_more_than_there_is_fails_and_gives_the_gas_back) {
    EXPECT_FALSE(succeeds(call(kOther, 1)));
    tx.value = 1;
    EXPECT_TRUE(succeeds(call(kOther, 1)));
}

TEST_F(Calls, all_but_one_64th_of_the_gas_can_be_passed_on) {  // EIP-150
    constexpr std::uint64_t kGas = 100'000;
    tx.gas_limit = kTransferGas + kGas;
    const std::uint64_t left = kGas - 7 * 3ULL - 3 - 2'600;  // operands, memory, the call itself
    pre.deploy(kOther, (OP_GAS + return_top()).bytes());
    const auto seen_with = [&](const Uint256& gas) {
        return eval(CallCode{.to = push(kOther), .gas = push(gas), .output_size = 32} + OP_POP +
                    push(0) + OP_MLOAD);
    };
    EXPECT_EQ(seen_with(Uint256::max()), left - left / 64 - 2);
    EXPECT_EQ(seen_with(Uint256{1} << 64), left - left / 64 - 2);
    EXPECT_EQ(seen_with(5'000), 4'998u);
}

TEST_F(Calls, before_that_asking_for_too_much_was_fatal) {
    use(Revision::homestead);
    const Bytecode all = CallCode{.to = push(kOther), .gas = push(Uint256::max())};
    pre.set_balance(kOther, 1);
    EXPECT_EQ(run(all).status, Status::out_of_gas);
    EXPECT_EQ(run(CallCode{.to = push(kOther), .gas = push(1'000)}).status, Status::success);
}

TEST_F(Calls, value_brings_a_stipend) {
    tx.value = 1;
    pre.set_balance(kOther, 1);
    pre.deploy(kOther, (OP_GAS + return_top()).bytes());
    for (const Opcode opcode : {OP_CALL, OP_CALLCODE})
        EXPECT_EQ(eval(CallCode{.opcode = opcode,
                                .to = push(kOther),
                                .gas = push(0),
                                .value = push(1),
                                .output_size = 32} +
                       OP_POP + push(0) + OP_MLOAD),
                  2'300u - 2);
}

TEST_F(Calls, the_new_account_is_paid_for_with_value_only_since_spurious_dragon) {
    const auto cost = [&](const Uint256& value) {
        return gas_of(CallCode{.to = push(kThird), .gas = push(0), .value = push(value)}) -
               7 * 3ULL;
    };
    tx.value = 1;
    EXPECT_EQ(cost(0), 2'600u);
    EXPECT_EQ(cost(1), 2'600u + 9'000 + 25'000 - 2'300);
    // The value of a CALLCODE stays where it is.
    EXPECT_EQ(gas_of(CallCode{
                  .opcode = OP_CALLCODE, .to = push(kThird), .gas = push(0), .value = push(1)}),
              7 * 3u + 2'600 + 9'000 - 2'300);
    use(Revision::istanbul);
    EXPECT_EQ(cost(0), 700u);
    use(Revision::tangerine_whistle);
    EXPECT_EQ(cost(0), 700u + 25'000);
    use(Revision::frontier);
    EXPECT_EQ(cost(0), 40u + 25'000);
}

TEST_F(Calls, an_untouched_empty_account_is_not_left_behind) {  // EIP-161
    run(call(kThird));
    EXPECT_FALSE(exists(kThird));
    use(Revision::tangerine_whistle);
    run(call(kThird));
    EXPECT_TRUE(exists(kThird));
}

TEST_F(Calls, a_call_of_an_empty_account_ends_it_whether_static_or_not) {  // EIP-161
    for (const Opcode opcode : {OP_CALL, OP_STATICCALL}) {
        pre.accounts[kOther] = {};
        run(call(opcode, kOther));
        EXPECT_FALSE(exists(kOther)) << opcode;
    }
    for (const Opcode opcode : {OP_CALLCODE, OP_DELEGATECALL}) {
        pre.accounts[kOther] = {};
        run(call(opcode, kOther));
        EXPECT_TRUE(exists(kOther)) << opcode;
    }
}

TEST_F(Calls, output_is_cut_to_the_space_given_and_the_rest_stays) {
    pre.deploy(kOther, (mstore(0, push(Uint256::max())) + return_range(0, 4)).bytes());
    const auto memory_after = [&](unsigned size) {
        return eval(mstore(0, push(Uint256{1, 1, 1, 1})) +
                    CallCode{.to = push(kOther), .output_size = Uint256{size}} + OP_POP + push(0) +
                    OP_MLOAD);
    };
    EXPECT_EQ(memory_after(0), (Uint256{1, 1, 1, 1}));
    EXPECT_EQ(memory_after(2), (Uint256{1, 1, 1, 0xffff000000000001}));
    EXPECT_EQ(memory_after(32), (Uint256{1, 1, 1, 0xffffffff00000001}));
}

TEST_F(Calls, return_data_is_the_last_calls) {
    pre.deploy(kOther, (mstore(0, push(0xabc)) + return_range(0, 40)).bytes());
    pre.deploy(kThird, (mstore(0, push(0xdef)) + revert_range(0, 32)).bytes());
    const Bytecode copy = push(32) + push(0) + push(0) + OP_RETURNDATACOPY + push(0) + OP_MLOAD;
    EXPECT_EQ(eval(OP_RETURNDATASIZE), 0u);
    EXPECT_EQ(eval(call(kOther) + OP_RETURNDATASIZE), 40u);
    EXPECT_EQ(eval(call(kOther) + copy), 0xabcu);
    EXPECT_EQ(eval(call(kOther) + call(kThird) + copy), 0xdefu);
    EXPECT_EQ(eval(call(kOther) + call(kThird) + OP_RETURNDATASIZE), 32u);
    // A call that is not even started, one to no code and a creation leave none.
    EXPECT_EQ(eval(call(kOther) + call(kOther, 1) + OP_RETURNDATASIZE), 0u);
    EXPECT_EQ(eval(call(kOther) + call(kSender) + OP_RETURNDATASIZE), 0u);
    EXPECT_EQ(eval(call(kOther) + create(OP_STOP) + OP_RETURNDATASIZE), 0u);
    EXPECT_EQ(eval(create(deploy(OP_STOP)) + OP_RETURNDATASIZE), 0u) << "its code is none";
    EXPECT_EQ(eval(create(mstore(0, push(9)) + revert_range(0, 32)) + OP_RETURNDATASIZE), 32u);
}

TEST_F(Calls, reading_beyond_the_return_data_halts) {  // EIP-211
    pre.deploy(kOther, return_range(0, 40).bytes());
    const auto copy = [](const Uint256& offset, const Uint256& size) {
        return call(kOther) + push(size) + push(offset) + push(0) + OP_RETURNDATACOPY;
    };
    EXPECT_EQ(run(copy(0, 40)).status, Status::success);
    EXPECT_EQ(run(copy(40, 0)).status, Status::success);
    EXPECT_EQ(run(copy(41, 0)).status, Status::return_data_out_of_bounds);
    EXPECT_EQ(run(copy(0, 41)).status, Status::return_data_out_of_bounds);
    EXPECT_EQ(run(copy(Uint256::max(), 1)).status, Status::return_data_out_of_bounds);
    EXPECT_EQ(run(copy((Uint256{1} << 64) - 1u, 2)).status, Status::return_data_out_of_bounds);
}

TEST_F(Calls, a_static_call_forbids_every_change) {  // EIP-214
    tx.value = 1;
    for (const Bytecode& code :
         {sstore(0, 1), push(1) + push(0) + OP_TSTORE, push(0) + push(0) + OP_LOG0,
          3 * push(0) + numbered(OP_LOG0, 1), 3 * push(0) + OP_CREATE, 4 * push(0) + OP_CREATE2,
          push(0) + OP_SELFDESTRUCT, call(kThird, 1)}) {
        pre.deploy(kOther, code.bytes());
        EXPECT_FALSE(succeeds(call(OP_STATICCALL, kOther)));
    }
    // Reading, calls without value and CALLCODE with value are allowed.
    pre.set_balance(kOther, 1);
    for (const Bytecode& code :
         {sload(0), call(kThird), push(0) + OP_TLOAD,
          Bytecode{CallCode{.opcode = OP_CALLCODE, .to = push(kThird), .value = push(1)}}}) {
        pre.deploy(kOther, code.bytes());
        EXPECT_TRUE(succeeds(call(OP_STATICCALL, kOther)));
    }
}

TEST_F(Calls, static_mode_is_handed_down) {
    pre.deploy(kThird, sstore(0, 1).bytes());
    pre.deploy(kOther, (call(kThird) + return_top()).bytes());
    const Bytecode inner_result = OP_POP + push(0) + OP_MLOAD;
    EXPECT_EQ(eval(CallCode{.opcode = OP_STATICCALL, .to = push(kOther), .output_size = 32} +
                   inner_result),
              0u);
    EXPECT_EQ(eval(CallCode{.to = push(kOther), .output_size = 32} + inner_result), 1u);
}

TEST_F(Calls, a_failed_call_takes_all_its_gas_and_a_reverted_one_what_it_used) {
    const auto cost = [&](const Bytecode& callee) {
        pre.deploy(kOther, callee.bytes());
        return gas_of(CallCode{.to = push(kOther), .gas = push(50'000)}) - 7 * 3ULL - 2'600;
    };
    EXPECT_EQ(cost(OP_INVALID), 50'000u);
    EXPECT_EQ(cost(Bytecode{OP_ADD}), 50'000u);
    EXPECT_EQ(cost(revert_range(0, 0)), 6u);
    EXPECT_EQ(cost(OP_STOP), 0u);
}

TEST_F(Calls, precompiled_contracts_answer_and_fail) {
    const auto identity = address_from_low64(4);
    EXPECT_EQ(
        eval(mstore(0, push(0xabc)) +
             CallCode{
                 .to = push(identity), .input_size = 32, .output_offset = 32, .output_size = 32} +
             OP_POP + push(32) + OP_MLOAD),
        0xabcu);
    EXPECT_EQ(eval(mstore(0, push(0xabc)) + CallCode{.to = push(identity), .input_size = 32} +
                   OP_RETURNDATASIZE),
              32u);
    EXPECT_FALSE(succeeds(CallCode{.to = push(identity), .gas = push(14)}));
    EXPECT_TRUE(succeeds(CallCode{.to = push(identity), .gas = push(15)}));
    // A failed one gives the value back.
    tx.value = 1;
    run(CallCode{.to = push(address_from_low64(9)), .value = push(1)});
    EXPECT_EQ(balance(kTarget), 1u);
}

TEST_F(Calls, a_reverted_call_undoes_everything) {
    tx.value = 100;
    const Address unseen = address_from_low64(0xabcdef);
    pre.deploy(kThird, (push(0) + OP_SELFDESTRUCT).bytes());
    const Bytecode changes = sstore(0, 1) + push(1) + push(0) + OP_TSTORE + push(0) + push(0) +
                             OP_LOG0 + call(unseen, 7) + create(sstore(1, 1) + deploy(OP_STOP)) +
                             call(kThird) + revert_range(0, 0);
    const auto in_place = [&](const Bytecode& end) {
        pre.deploy(kOther, (changes + end).bytes());
        return CallCode{.opcode = OP_CALL, .to = push(kOther), .value = push(50)};
    };
    pre.set_balance(kThird, 3);
    for (const Revision revision : {Revision::byzantium, Revision::shanghai, Revision::osaka}) {
        use(revision);
        if (revision < Revision::cancun) pre.deploy(kTarget, {});
        for (const Bytecode& end : {revert_range(0, 0), Bytecode{OP_INVALID}}) {
            const Outcome& outcome = run(in_place(end) + OP_POP);
            EXPECT_EQ(outcome.status, Status::success);
            EXPECT_TRUE(outcome.receipt.logs.empty());
            EXPECT_EQ(balance(kTarget), 100u);
            EXPECT_EQ(balance(kThird), 3u);
            EXPECT_EQ(nonce(kOther), 1u);
            EXPECT_FALSE(exists(unseen));
            EXPECT_EQ(stored(kOther, 0), 0u);
            EXPECT_TRUE(outcome.diff.codes.empty() ||
                        std::ranges::none_of(outcome.diff.accounts, [](const AccountChange& a) {
                            return a.account && a.account->has_code() && a.address != kTarget;
                        }));
        }
    }
}

TEST_F(Calls, warmth_and_transient_values_of_a_reverted_call_are_forgotten) {
    pre.deploy(kOther, (push(kThird) + OP_BALANCE + sload(5) + push(1) + push(0) + OP_TSTORE +
                        revert_range(0, 0))
                           .bytes());
    const Bytecode measured =
        OP_GAS + push(kThird) + OP_BALANCE + OP_POP + OP_GAS + numbered(OP_SWAP1, 1) + OP_SUB;
    constexpr std::uint64_t kAround = 3 + 2 + 2;  // PUSH, POP, GAS
    EXPECT_EQ(eval(call(kOther) + OP_POP + measured), 2'600u + kAround);
    EXPECT_EQ(eval(call(kOther) + OP_POP + push(kThird) + OP_BALANCE + OP_POP + measured),
              100u + kAround);
    EXPECT_EQ(eval(call(OP_DELEGATECALL, kOther) + OP_POP + push(0) + OP_TLOAD), 0u);
}

}  // namespace
}  // namespace heddle::vm::test
