// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "state_gas.hpp"

#include <types/signing.hpp>

#include "authority.hpp"
#include "transition_fixture.hpp"

namespace heddle::vm::test {
namespace {

// Numbers are those of EIP-2780, 8037 and 8038.
constexpr std::uint64_t kSlot = 97'920;
constexpr std::uint64_t kAccount = 183'600;
constexpr std::uint64_t kDelegation = 35'190;
constexpr std::uint64_t kCodeByte = 1'530;
constexpr std::uint64_t kMaxExecution = 16'777'216;
constexpr std::uint64_t kBase = 15'000;     // of a message to somebody else
constexpr std::uint64_t kNewSlot = 12'106;  // two pushes, a cold slot, a write
constexpr Address kFresh = address_from_low64(0xf4e54);

TEST(StateGas, is_taken_from_the_reservoir_before_the_gas_for_execution) {
    StateGas state;
    state.reset(100);
    std::int64_t gas = 50;
    EXPECT_TRUE(state.charge(80, gas));
    EXPECT_EQ(gas, 50);
    EXPECT_TRUE(state.charge(60, gas));
    EXPECT_EQ(gas, 10);
    EXPECT_EQ(state.reservoir(), 0);
    EXPECT_EQ(state.used(), 140);
}

TEST(StateGas, takes_nothing_where_all_of_it_does_not_suffice) {
    StateGas state;
    state.reset(100);
    std::int64_t gas = 50;
    EXPECT_FALSE(state.charge(151, gas));
    EXPECT_EQ(gas, 50);
    EXPECT_EQ(state.reservoir(), 100);
    EXPECT_EQ(state.used(), 0);
}

TEST(StateGas, gives_back_first_what_gas_for_execution_has_paid) {
    StateGas state;
    state.reset(100);
    std::int64_t gas = 50;
    ASSERT_TRUE(state.charge(130, gas));
    state.refill(50, gas);
    EXPECT_EQ(gas, 50);
    EXPECT_EQ(state.reservoir(), 20);
    EXPECT_EQ(state.used(), 80);
}

TEST(StateGas, knows_what_all_frames_have_lent) {
    StateGas state;
    state.reset(0);
    std::int64_t gas = 100;
    ASSERT_TRUE(state.charge(60, gas));
    const StateGas::Caller caller = state.enter();
    std::int64_t callee_gas = 50;
    ASSERT_TRUE(state.charge(30, callee_gas));
    EXPECT_EQ(state.lent(), 90);
    state.refill(10, callee_gas);
    EXPECT_EQ(state.lent(), 80);
    const StateGas::Caller callee = state.enter();
    state.refill(50, callee_gas);
    EXPECT_EQ(state.lent(), 80) << "what others have lent goes to the reservoir";
    EXPECT_EQ(state.leave(callee), 20);
    EXPECT_EQ(state.lent(), 60);
    EXPECT_EQ(state.leave(caller), 30);
    EXPECT_EQ(state.lent(), 30);
    const StateGas::Caller again = state.enter();
    ASSERT_TRUE(state.charge(5, callee_gas));
    EXPECT_EQ(state.undo(again), 5);
    EXPECT_EQ(state.lent(), 30);
    state.reset(0);
    EXPECT_EQ(state.lent(), 0);
}

TEST(StateGas, settles_what_a_caller_has_lent_when_its_callee_refills) {
    StateGas state;
    state.reset(0);
    std::int64_t gas = 100;
    ASSERT_TRUE(state.charge(60, gas));
    const StateGas::Caller caller = state.enter();
    std::int64_t callee_gas = 10;
    state.refill(60, callee_gas);
    EXPECT_EQ(callee_gas, 10);
    EXPECT_EQ(state.reservoir(), 60);
    EXPECT_EQ(state.used(), -60);

    EXPECT_EQ(state.leave(caller), 60);
    EXPECT_EQ(state.reservoir(), 0);
    EXPECT_EQ(state.used(), 0);
}

TEST(StateGas, is_as_at_its_start_when_a_callee_fails) {
    StateGas state;
    state.reset(100);
    std::int64_t gas = 50;
    ASSERT_TRUE(state.charge(30, gas));
    const StateGas::Caller caller = state.enter();
    ASSERT_TRUE(state.charge(90, gas));
    EXPECT_EQ(state.undo(caller), 20);
    EXPECT_EQ(state.reservoir(), 70);
    EXPECT_EQ(state.used(), 30);
}

class StateGasOf : public TransitionTest {
protected:
    StateGasOf() {
        use(Revision::amsterdam);
        pre.set_balance(kTarget, 1'000);
    }
    BlockGasUsed block_gas(const Bytecode& code) { return run(code).block_gas; }
    std::uint64_t state_gas(const Bytecode& code) { return block_gas(code).state; }
    /// Gives the transaction a reservoir of so much.
    void fill_reservoir(std::uint64_t gas) { tx.gas_limit = kMaxExecution + gas; }
    /// An authorization that somebody has signed, and who.
    Address authorize(const Address& target, std::uint64_t nonce = 0) {
        tx.type = TransactionType::set_code;
        tx.chain_id = 1;
        tx.authorization_list = {{1, target, nonce, 0, 1, 1}};
        return heddle::test::authority_of(tx.authorization_list[0]).value();
    }
    /// One after another by the same account, which is given.
    Address authorize_in_turn(const std::vector<Address>& targets) {
        const Hash secret = to_hash(Uint256{7});
        (void)authorize({});
        tx.authorization_list.clear();
        for (std::uint64_t nonce = 0; nonce < targets.size(); ++nonce) {
            tx.authorization_list.push_back({1, targets[nonce], nonce, 0, 0, 0});
            EXPECT_TRUE(sign_authorization(tx.authorization_list.back(), secret));
        }
        return address_from_secret(secret).value();
    }
    void delegate(const Address& authority, const Address& target) {
        Bytes designator{0xef, 0x01, 0x00};
        designator.insert(designator.end(), target.bytes.begin(), target.bytes.end());
        pre.deploy(authority, designator);
        pre.set_nonce(authority, 0);
    }
    static constexpr std::uint64_t kAuthorized = kBase + 7'816;
};

TEST_F(StateGasOf, a_new_slot_is_counted_apart_from_its_execution) {
    EXPECT_EQ(block_gas(sstore(0, 1)),
              (BlockGasUsed{.execution = kBase + kNewSlot, .state = kSlot}));
    EXPECT_EQ(gas_used(), kBase + kNewSlot + kSlot);
}

TEST_F(StateGasOf, a_slot_that_is_written_again_grows_nothing) {
    pre.set_storage(kTarget, 0, 7);
    EXPECT_EQ(block_gas(sstore(0, 8)), (BlockGasUsed{.execution = kBase + kNewSlot, .state = 0}));
}

TEST_F(StateGasOf, a_slot_that_is_gone_again_comes_back_at_once) {
    const BlockGasUsed gas = block_gas(sstore(0, 1) + sstore(0, Uint256{}));
    EXPECT_EQ(gas, (BlockGasUsed{.execution = kBase + kNewSlot + 106, .state = 0}));
    // The write is refunded as well, as far as a fifth; the block knows no refunds (EIP-7778).
    EXPECT_EQ(gas_used(), gas.execution - gas.execution / 5);
}

TEST_F(StateGasOf, what_comes_back_pays_for_the_very_instruction) {
    // Exactly enough for the second write, which needs less than the first gives back.
    tx.gas_limit = kBase + kNewSlot + kSlot + 6 + 2'301;
    EXPECT_EQ(run(sstore(0, 1) + sstore(0, Uint256{})).status, Status::success);
    --tx.gas_limit;  // the sentry looks at what is left before that
    EXPECT_EQ(run(sstore(0, 1) + sstore(0, Uint256{})).status, Status::out_of_gas);
}

TEST_F(StateGasOf, gas_beyond_the_cap_is_a_reservoir_that_execution_does_not_see) {
    fill_reservoir(kSlot);
    EXPECT_EQ(eval(OP_GAS), Uint256{kMaxExecution - kBase - 2});
    EXPECT_EQ(eval(sstore(0, 1) + OP_GAS), Uint256{kMaxExecution - kBase - kNewSlot - 2});
    EXPECT_EQ(eval(sstore(0, 1) + sstore(1, 1) + OP_GAS),
              Uint256{kMaxExecution - kBase - 2 * kNewSlot - kSlot - 2});
}

TEST_F(StateGasOf, a_failed_transaction_keeps_its_reservoir) {
    fill_reservoir(1'000'000);
    EXPECT_EQ(run(sstore(0, 1) + OP_INVALID).block_gas,
              (BlockGasUsed{.execution = kMaxExecution, .state = 0}));
    EXPECT_EQ(gas_used(), kMaxExecution);
}

TEST_F(StateGasOf, a_reverted_call_pays_for_no_state) {
    pre.deploy(kOther, (sstore(0, 1) + revert_range(0, 0)).bytes());
    EXPECT_EQ(state_gas(call(kOther)), 0u);
    EXPECT_LT(gas_used(), kBase + 2 * kNewSlot);
    fill_reservoir(10);
    EXPECT_EQ(state_gas(call(kOther) + sstore(0, 1)), kSlot);
}

TEST_F(StateGasOf, a_halted_call_burns_what_it_had_lent) {
    pre.deploy(kOther, (sstore(0, 1) + OP_INVALID).bytes());
    const Bytecode limited = CallCode{.to = push(kOther), .gas = push(200'000)};
    EXPECT_EQ(block_gas(limited),
              (BlockGasUsed{.execution = kBase + 21 + 3'000 + 200'000, .state = 0}));
}

TEST_F(StateGasOf, value_brings_an_empty_account_to_life) {
    EXPECT_EQ(block_gas(call(kFresh, 1)),
              (BlockGasUsed{.execution = kBase + 20 + 3'000 + 11'300 - 2'300, .state = kAccount}));
    EXPECT_EQ(state_gas(call(kFresh)), 0u);
    EXPECT_EQ(state_gas(CallCode{.opcode = OP_CALLCODE, .to = push(kFresh), .value = push(1)}), 0u);
    pre.set_balance(kFresh, 1);
    EXPECT_EQ(state_gas(call(kFresh, 1)), 0u);
}

TEST_F(StateGasOf, an_account_that_does_not_come_to_life_is_paid_back) {
    EXPECT_EQ(state_gas(call(kFresh, 2'000)), 0u);  // more than there is
    pre.set_balance(kTarget, 1'000);
    const Address failing = address_from_low64(8);  // bn254 pairing of a single byte
    EXPECT_EQ(state_gas(CallCode{.to = push(failing), .value = push(1), .input_size = 1}), 0u);
}

TEST_F(StateGasOf, a_contract_costs_its_account_and_its_code) {
    EXPECT_EQ(state_gas(create(deploy(OP_STOP))), kAccount + kCodeByte);
    EXPECT_EQ(state_gas(create(revert_range(0, 0))), 0u);
    EXPECT_EQ(state_gas(create(OP_INVALID)), 0u);
    pre.set_balance(create_address(kTarget, 1), 1);
    EXPECT_EQ(state_gas(create(deploy(OP_STOP))), kCodeByte);
}

TEST_F(StateGasOf, a_creation_that_is_refused_costs_no_state) {
    EXPECT_EQ(state_gas(create(deploy(OP_STOP), 2'000)), 0u);
    pre.set_nonce(create_address(kTarget, 1), 1);
    EXPECT_EQ(state_gas(create(deploy(OP_STOP))), 0u);
}

TEST_F(StateGasOf, a_creator_keeps_a_64th_of_what_is_left_after_its_contract_was_paid_for) {
    tx.gas_limit = 1'000'000;
    EXPECT_EQ(run(create(OP_INVALID)).status, Status::success);
    // Two pushes and a store in memory that is new, three pushes, a creation, a word of init code.
    constexpr std::uint64_t kLeft = 1'000'000 - kBase - 12 - 9 - 12'000 - 2 - kAccount;
    EXPECT_EQ(gas_used(), 1'000'000 - kAccount - kLeft / 64);
}

TEST_F(StateGasOf, a_contract_that_cannot_be_paid_for_halts_its_creator) {
    tx.gas_limit = 100'000;
    EXPECT_EQ(run(create(OP_STOP)).status, Status::out_of_gas);
    EXPECT_EQ(nonce(kTarget), 1u);
    EXPECT_EQ(gas_used(), 100'000u);
}

TEST_F(StateGasOf, self_destruction_pays_for_whom_it_brings_to_life) {
    const std::uint64_t cold = kBase + 3 + 5'000 + 3'000;
    EXPECT_EQ(block_gas(push(kFresh) + OP_SELFDESTRUCT),
              (BlockGasUsed{.execution = cold + 9'000, .state = kAccount}));
    EXPECT_EQ(block_gas(push(kSender) + OP_SELFDESTRUCT),
              (BlockGasUsed{.execution = cold - 3'000, .state = 0}));
}

TEST_F(StateGasOf, a_transfer_brings_its_recipient_to_life) {
    tx.to = kFresh;
    tx.value = 1;
    EXPECT_EQ(run().block_gas, (BlockGasUsed{.execution = 21'000, .state = kAccount}));
    tx.gas_limit = 21'000 + kAccount - 1;
    EXPECT_EQ(run().status, Status::out_of_gas);
    EXPECT_EQ(gas_used(), tx.gas_limit);
    EXPECT_FALSE(exists(kFresh));
    EXPECT_EQ(nonce(kSender), 1u);
}

TEST_F(StateGasOf, a_creating_transaction_pays_for_its_account) {
    tx.to.reset();
    tx.data = deploy(OP_STOP).bytes();
    EXPECT_EQ(run().block_gas.state, kAccount + kCodeByte);
    tx.data = {OP_INVALID};
    EXPECT_EQ(run().block_gas.state, 0u);
    EXPECT_EQ(gas_used(), tx.gas_limit);
}

TEST_F(StateGasOf, an_authorization_pays_for_its_account_and_its_delegation) {
    const Address authority = authorize(kOther);
    EXPECT_EQ(run().block_gas,
              (BlockGasUsed{.execution = kAuthorized + 9'000, .state = kAccount + kDelegation}));
    pre.set_balance(authority, 1);
    EXPECT_EQ(run().block_gas.state, kDelegation);
    EXPECT_EQ(code_at(authority).size(), 23u);
}

TEST_F(StateGasOf, an_invalid_authorization_costs_no_more_than_was_known_before) {
    const Address authority = authorize(kOther);
    pre.set_nonce(authority, 5);
    EXPECT_EQ(run().block_gas, (BlockGasUsed{.execution = kAuthorized, .state = 0}));
}

TEST_F(StateGasOf, an_authority_that_is_written_anyway_pays_for_no_write) {
    const Address authority = authorize(kOther);
    tx.to = authority;
    tx.value = 1;
    EXPECT_EQ(run().block_gas.execution, kAuthorized + 6'000 + 3'000);  // a cold delegate
    tx.authorization_list.push_back(tx.authorization_list[0]);          // its nonce is used up
    tx.to = kTarget;
    EXPECT_EQ(run().block_gas.execution, kAuthorized + 7'816 + 6'000 + 9'000);
}

TEST_F(StateGasOf, an_authority_that_is_called_without_value_pays_for_its_write) {
    const Address authority = authorize(kOther);
    tx.to = authority;
    EXPECT_EQ(run().block_gas.execution, kAuthorized + 9'000 + 3'000);  // a cold delegate
}

TEST_F(StateGasOf, a_sender_that_authorizes_is_written_already) {
    tx.sender = authorize(kOther, 1);
    pre.set_balance(*tx.sender, Uint256{1} << 100);
    EXPECT_EQ(run().block_gas, (BlockGasUsed{.execution = kAuthorized, .state = kDelegation}));
}

TEST_F(StateGasOf, a_transaction_pays_once_for_an_authoritys_delegation) {
    const Address authority = authorize_in_turn({kOther, kThird});
    EXPECT_EQ(run().block_gas, (BlockGasUsed{.execution = kAuthorized + 7'816 + 9'000,
                                             .state = kAccount + kDelegation}));
    // Though one that was cleared is set again.
    EXPECT_EQ(authorize_in_turn({kOther, {}, kThird}), authority);
    EXPECT_EQ(run().block_gas.state, kAccount + kDelegation);
    delegate(authority, kOther);  // what it had before the transaction it may have again
    EXPECT_EQ(run().block_gas.state, 0u);
}

TEST_F(StateGasOf, what_comes_before_the_message_is_undone_where_it_cannot_be_paid) {
    const Address authority = authorize(kOther);
    tx.gas_limit = kAuthorized + 9'000 + kAccount + kDelegation - 1;
    const Outcome& outcome = run();
    EXPECT_FALSE(outcome.receipt.success);
    EXPECT_EQ(outcome.block_gas, (BlockGasUsed{.execution = tx.gas_limit, .state = 0}));
    EXPECT_FALSE(exists(authority));
    EXPECT_EQ(nonce(kSender), 1u);
}

TEST_F(StateGasOf, a_delegate_is_paid_for_before_it_runs) {
    delegate(kTarget, kOther);
    pre.deploy(kOther, Bytes{OP_STOP});
    EXPECT_EQ(run().block_gas.execution, kBase + 3'000);
    tx.gas_limit = kBase + 2'999;
    EXPECT_EQ(run().status, Status::out_of_gas);
}

TEST_F(StateGasOf, the_floor_holds_in_the_block_and_for_the_sender) {
    tx.data = Bytes(1'000);
    const std::uint64_t floor = kBase + 64 * 1'000;
    EXPECT_EQ(run().block_gas, (BlockGasUsed{.execution = floor, .state = 0}));
    EXPECT_EQ(gas_used(), floor);
}

}  // namespace
}  // namespace heddle::vm::test
