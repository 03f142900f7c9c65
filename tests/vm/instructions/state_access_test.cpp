// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "transition_fixture.hpp"

namespace heddle::vm::test {
namespace {

class StateAccess : public TransitionTest {};

TEST_F(StateAccess, storage_is_read_and_written_by_slot) {
    pre.set_storage(kTarget, 1, 11);
    EXPECT_EQ(eval(sload(1)), 11u);
    EXPECT_EQ(eval(sload(2)), 0u);
    EXPECT_EQ(eval(sstore(2, 22) + sload(2)), 22u);
    EXPECT_EQ(stored(kTarget, 2), 22u);
    EXPECT_EQ(stored(kTarget, 1), 11u);
}

TEST_F(StateAccess, writing_zero_removes_a_slot) {
    pre.set_storage(kTarget, 1, 11);
    run(sstore(1, Uint256{}));

    EXPECT_EQ(stored(kTarget, 1), 0u);
}

TEST_F(StateAccess, a_slot_is_cold_once) {
    EXPECT_EQ(gas_of(sload(1) + OP_POP), 3u + 2'100 + 2);
    EXPECT_EQ(gas_of(sload(1) + OP_POP + sload(1) + OP_POP), 3u + 2'100 + 2 + 3 + 100 + 2);
    EXPECT_EQ(gas_of(sstore(1, 7)), 6u + 22'100);
    EXPECT_EQ(gas_of(sload(1) + OP_POP + sstore(1, 7)), 3u + 2'100 + 2 + 6 + 20'000);
}

TEST_F(StateAccess, an_account_is_cold_once) {
    EXPECT_EQ(gas_of(push(kOther) + OP_BALANCE), 3u + 2'600);
    EXPECT_EQ(gas_of(push(kOther) + OP_BALANCE + push(kOther) + OP_EXTCODESIZE), 6u + 2'700);
    EXPECT_EQ(gas_of(push(kOther) + OP_EXTCODEHASH), 3u + 2'600);
    EXPECT_EQ(gas_of(3 * push(0) + push(kOther) + OP_EXTCODECOPY), 12u + 2'600);
}

TEST_F(StateAccess, sender_recipient_and_precompiled_contracts_are_warm_from_the_start) {
    for (const Address& address : {kSender, kTarget, address_from_low64(1),
                                   address_from_low64(0x11), address_from_low64(0x100)})
        EXPECT_EQ(gas_of(push(address) + OP_BALANCE), 3u + 100);
    EXPECT_EQ(gas_of(push(address_from_low64(0x12)) + OP_BALANCE), 3u + 2'600);

    use(Revision::prague);
    EXPECT_EQ(gas_of(push(address_from_low64(0x100)) + OP_BALANCE), 3u + 2'600);
    use(Revision::cancun);
    EXPECT_EQ(gas_of(push(address_from_low64(0x0b)) + OP_BALANCE), 3u + 2'600);
    EXPECT_EQ(gas_of(push(address_from_low64(0x0a)) + OP_BALANCE), 3u + 100);
    use(Revision::berlin);
    EXPECT_EQ(gas_of(push(address_from_low64(0x0a)) + OP_BALANCE), 3u + 2'600);
}

TEST_F(StateAccess, the_beneficiary_is_warm_from_shanghai_on) {
    EXPECT_EQ(gas_of(OP_COINBASE + OP_BALANCE), 2u + 100);
    use(Revision::paris);
    EXPECT_EQ(gas_of(OP_COINBASE + OP_BALANCE), 2u + 2'600);
}

TEST_F(StateAccess, the_access_list_warms_accounts_and_slots) {
    tx.type = TransactionType::access_list;
    tx.chain_id = 1;
    tx.access_list = {{kTarget, {to_hash(5)}}, {kOther, {}}};
    constexpr std::uint64_t kListGas = 2 * 2'400 + 1'900;
    EXPECT_EQ(gas_of(sload(5) + OP_POP), kListGas + 3 + 100 + 2);
    EXPECT_EQ(gas_of(sload(6) + OP_POP), kListGas + 3 + 2'100 + 2);
    EXPECT_EQ(gas_of(push(kOther) + OP_BALANCE), kListGas + 3 + 100);
}

TEST_F(StateAccess, state_access_was_repriced_again_and_again) {
    const auto costs = [&](Revision revision) {
        use(revision);
        return std::array{gas_of(push(kOther) + OP_BALANCE) - 3, gas_of(sload(1)) - 3,
                          gas_of(push(kOther) + OP_EXTCODESIZE) - 3};
    };
    using Costs = std::array<std::uint64_t, 3>;
    EXPECT_EQ(costs(Revision::frontier), (Costs{20, 50, 20}));
    EXPECT_EQ(costs(Revision::tangerine_whistle), (Costs{400, 200, 700}));  // EIP-150
    EXPECT_EQ(costs(Revision::istanbul), (Costs{700, 800, 700}));           // EIP-1884
    EXPECT_EQ(costs(Revision::berlin), (Costs{2'600, 2'100, 2'600}));       // EIP-2929
}

TEST_F(StateAccess, no_change_happens_on_a_stipend) {
    // EIP-2200: SSTORE needs more than 2300 gas, even where it would cost less.
    const Bytecode code = sstore(1, 7);
    tx.type = TransactionType::access_list;
    tx.chain_id = 1;
    tx.access_list = {{kTarget, {to_hash(1)}}};
    pre.set_storage(kTarget, 1, 7);
    tx.gas_limit = kTransferGas + 4'300 + 6 + 2'301;
    EXPECT_EQ(run(code).status, Status::success);
    tx.gas_limit -= 1;
    EXPECT_EQ(run(code).status, Status::out_of_gas);
}

struct StoreCase {
    std::vector<unsigned> values;  // written one after another
    unsigned original;
    std::uint64_t gas;
    std::uint64_t refund;
};

class StoreGas : public TransitionTest {
protected:
    /// Runs with the slot warm and so much gas used that no cap hides the refund.
    void expect(const StoreCase& c, std::uint64_t refund_quotient) {
        if (c.original != 0)
            pre.set_storage(kTarget, 0, c.original);
        else
            pre.slots.clear();
        Bytecode code;
        for (const unsigned value : c.values)
            code += sstore(0, Uint256{value});
        std::uint64_t list_gas = 0;
        if (env.revision >= Revision::berlin) {
            tx.type = TransactionType::access_list;
            tx.chain_id = 1;
            tx.access_list = {{kTarget, {to_hash(0)}}};
            list_gas = 4'300;
        }
        const std::uint64_t spent = c.gas + list_gas + kPaddingGas;
        ASSERT_LE(c.refund, (kTransferGas + spent) / refund_quotient);
        EXPECT_EQ(gas_of(padding_ + code), spent - c.refund)
            << testing::PrintToString(c.values) << " from " << c.original;
        EXPECT_EQ(stored(kTarget, 0), c.values.back());
    }

private:
    static constexpr std::uint64_t kPaddingGas = 100'000;
    const Bytecode padding_ = kPaddingGas * Bytecode{OP_JUMPDEST};
};

TEST_F(StoreGas, istanbul_meters_the_net_change) {  // table of EIP-2200
    use(Revision::istanbul);
    for (const StoreCase& c : std::initializer_list<StoreCase>{{{0, 0}, 0, 1'612, 0},
                                                               {{0, 1}, 0, 20'812, 0},
                                                               {{1, 0}, 0, 20'812, 19'200},
                                                               {{1, 2}, 0, 20'812, 0},
                                                               {{1, 1}, 0, 20'812, 0},
                                                               {{0, 0}, 1, 5'812, 15'000},
                                                               {{0, 1}, 1, 5'812, 4'200},
                                                               {{0, 2}, 1, 5'812, 0},
                                                               {{2, 0}, 1, 5'812, 15'000},
                                                               {{2, 3}, 1, 5'812, 0},
                                                               {{2, 1}, 1, 5'812, 4'200},
                                                               {{2, 2}, 1, 5'812, 0},
                                                               {{1, 0}, 1, 5'812, 15'000},
                                                               {{1, 2}, 1, 5'812, 0},
                                                               {{1, 1}, 1, 1'612, 0},
                                                               {{1, 0, 1}, 0, 40'818, 19'200},
                                                               {{0, 1, 0}, 1, 10'818, 19'200}})
        expect(c, 2);
}

TEST_F(StoreGas, london_refunds_less) {  // table of EIP-3529, slot warm
    use(Revision::london);
    for (const StoreCase& c : std::initializer_list<StoreCase>{{{0, 0}, 0, 212, 0},
                                                               {{0, 1}, 0, 20'112, 0},
                                                               {{1, 0}, 0, 20'112, 19'900},
                                                               {{1, 2}, 0, 20'112, 0},
                                                               {{1, 1}, 0, 20'112, 0},
                                                               {{0, 0}, 1, 3'012, 4'800},
                                                               {{0, 1}, 1, 3'012, 2'800},
                                                               {{0, 2}, 1, 3'012, 0},
                                                               {{2, 0}, 1, 3'012, 4'800},
                                                               {{2, 3}, 1, 3'012, 0},
                                                               {{2, 1}, 1, 3'012, 2'800},
                                                               {{2, 2}, 1, 3'012, 0},
                                                               {{1, 0}, 1, 3'012, 4'800},
                                                               {{1, 2}, 1, 3'012, 0},
                                                               {{1, 1}, 1, 212, 0},
                                                               {{1, 0, 1}, 0, 40'118, 19'900},
                                                               {{0, 1, 0}, 1, 5'918, 7'600}})
        expect(c, 5);
}

TEST_F(StoreGas, petersburg_took_net_metering_back) {  // EIP-1716
    use(Revision::constantinople);
    expect({{1, 0}, 0, 20'212, 19'800}, 2);  // EIP-1283
    use(Revision::petersburg);
    expect({{1, 0}, 0, 25'012, 15'000}, 2);
    expect({{1, 1}, 1, 10'012, 0}, 2);
    use(Revision::frontier);
    expect({{0, 1}, 1, 25'012, 15'000}, 2);
}

TEST_F(StateAccess, transient_storage_ends_with_the_transaction) {
    EXPECT_EQ(eval(push(7) + push(1) + OP_TSTORE + push(1) + OP_TLOAD), 7u);
    EXPECT_EQ(stored(kTarget, 1), 0u);
    EXPECT_EQ(eval(push(1) + OP_TLOAD), 0u);
    EXPECT_EQ(gas_of(push(7) + push(1) + OP_TSTORE), 6u + 100);
}

TEST_F(StateAccess, transient_storage_belongs_to_the_account) {
    pre.deploy(kOther, (push(1) + OP_TLOAD + return_top()).bytes());
    const Bytecode set = push(7) + push(1) + OP_TSTORE;
    const Bytecode result = OP_POP + push(0) + OP_MLOAD;
    EXPECT_EQ(eval(set + CallCode{.to = push(kOther), .output_size = 32} + result), 0u);
    EXPECT_EQ(
        eval(set + CallCode{.opcode = OP_DELEGATECALL, .to = push(kOther), .output_size = 32} +
             result),
        7u);
}

TEST_F(StateAccess, selfdestruct_ends_the_account_before_cancun) {
    use(Revision::shanghai);
    pre.set_storage(kTarget, 1, 1);
    tx.value = 5;
    run(push(kOther) + OP_SELFDESTRUCT + OP_INVALID);

    EXPECT_FALSE(exists(kTarget));
    EXPECT_EQ(balance(kOther), 5u);
    EXPECT_EQ(stored(kTarget, 1), 0u);
}

TEST_F(StateAccess, selfdestruct_moves_only_the_balance_from_cancun_on) {
    pre.set_storage(kTarget, 1, 1);
    tx.value = 5;
    run(push(kOther) + OP_SELFDESTRUCT);

    EXPECT_TRUE(exists(kTarget));
    EXPECT_EQ(balance(kTarget), 0u);
    EXPECT_EQ(balance(kOther), 5u);
    EXPECT_EQ(stored(kTarget, 1), 1u);
}

TEST_F(StateAccess, selfdestruct_to_itself_burns_unless_the_account_stays) {
    tx.value = 5;
    run(OP_ADDRESS + OP_SELFDESTRUCT);
    EXPECT_EQ(balance(kTarget), 5u);

    use(Revision::shanghai);
    run(OP_ADDRESS + OP_SELFDESTRUCT);
    EXPECT_FALSE(exists(kTarget));
}

TEST_F(StateAccess, a_contract_of_the_same_transaction_ends_by_selfdestruct) {  // EIP-6780
    const Bytecode code = create(push(kOther) + OP_SELFDESTRUCT, 3) + push(0) + OP_SSTORE;
    tx.value = 3;
    run(code);

    EXPECT_FALSE(exists(address_from_word(stored(kTarget, 0))));
    EXPECT_EQ(balance(kOther), 3u);
}

TEST_F(StateAccess, selfdestruct_pays_for_what_it_touches) {
    const Bytecode code = push(kOther) + OP_SELFDESTRUCT;
    EXPECT_EQ(gas_of(code), 3u + 5'000 + 2'600);
    tx.value = 1;
    EXPECT_EQ(gas_of(code), 3u + 5'000 + 2'600 + 25'000);
    pre.set_balance(kOther, 1);
    EXPECT_EQ(gas_of(code), 3u + 5'000 + 2'600);

    use(Revision::istanbul);  // 24000 back, at most half of all
    EXPECT_EQ(gas_of(code) + kTransferGas, (kTransferGas + 3 + 5'000 + 1) / 2);
    use(Revision::frontier);
    EXPECT_EQ(gas_of(code) + kTransferGas, (kTransferGas + 3 + 1) / 2);
}

TEST_F(StateAccess, whom_selfdestruct_pays_is_warm_afterwards) {  // EIP-2929
    pre.deploy(kOther, (push(kThird) + OP_SELFDESTRUCT).bytes());
    const std::uint64_t without = gas_of(call(kOther));
    EXPECT_EQ(gas_of(call(kOther) + push(kThird) + OP_BALANCE) - without, 3u + 100);
}

TEST_F(StateAccess, the_code_hash_of_an_empty_account_is_zero) {  // EIP-1052
    pre.accounts[kOther] = {};
    EXPECT_EQ(eval(push(kOther) + OP_EXTCODEHASH), 0u);
    pre.set_balance(kOther, 1);
    EXPECT_EQ(eval(push(kOther) + OP_EXTCODEHASH), to_word(kEmptyCodeHash));
}

TEST_F(StateAccess, selfdestruct_twice_is_refunded_once) {
    use(Revision::istanbul);
    pre.deploy(kOther, (push(kThird) + OP_SELFDESTRUCT).bytes());
    pre.set_balance(kThird, 1);
    const Bytecode padding = 100'000 * Bytecode{OP_JUMPDEST};
    const std::uint64_t once = gas_of(padding + call(kOther));
    const std::uint64_t twice = gas_of(padding + call(kOther) + call(kOther));
    EXPECT_EQ(twice - once, 6 * 3u + 2 + 700 + 3 + 5'000);
}

}  // namespace
}  // namespace heddle::vm::test
