// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a block access list lists of a transaction (EIP-7928): AccessRecord has nothing else from
// Amsterdam on.
#include "authority.hpp"
#include "transition_fixture.hpp"

namespace heddle::vm::test {
namespace {

constexpr Address kFresh = address_from_low64(0xf4e54);
constexpr std::uint64_t kBase = 15'000;  // of a message to somebody else (EIP-2780)

class ListedAccesses : public TransitionTest {
protected:
    ListedAccesses() {
        use(Revision::amsterdam);
        pre.set_balance(kTarget, 1'000);
        pre.set_balance(kOther, 1);
    }
    bool lists(const Bytecode& code, const Address& address) {
        return find_access(run(code).accesses, address) != nullptr;
    }
    /// With so much gas beyond what the transaction costs itself.
    bool lists(const Bytecode& code, const Address& address, std::uint64_t gas) {
        tx.gas_limit = kBase + gas;
        const bool found = lists(code, address);
        tx.gas_limit = 10'000'000;
        return found;
    }
    bool lists_slot(const Bytecode& code, std::uint64_t gas) {
        tx.gas_limit = kBase + gas;
        const bool found = !run(code).accesses.slots.empty();
        tx.gas_limit = 10'000'000;
        return found;
    }
    const AccountAccess& access(const Address& address) {
        static const AccountAccess none;
        const AccountAccess* found = find_access(run().accesses, address);
        EXPECT_NE(found, nullptr);
        return found == nullptr ? none : *found;
    }
    Address authorize(const Address& target, std::uint64_t chain = 1, std::uint64_t nonce = 0) {
        tx.type = TransactionType::set_code;
        tx.chain_id = 1;
        tx.authorization_list = {{chain, target, nonce, 0, 1, 1}};
        return heddle::test::authority_of(tx.authorization_list[0]).value();
    }
    static Bytes designator(const Address& target) {
        Bytes code{0xef, 0x01, 0x00};
        code.insert(code.end(), target.bytes.begin(), target.bytes.end());
        return code;
    }
};

TEST_F(ListedAccesses, sender_recipient_and_who_gets_the_fee_are_there_even_if_it_is_zero) {
    const AccessRecord& record = run(OP_STOP).accesses;
    EXPECT_EQ(record.accounts.size(), 3u);
    for (const Address& address : {kSender, kTarget, kBeneficiary})
        EXPECT_NE(find_access(record, address), nullptr);
}

TEST_F(ListedAccesses, what_is_only_named_in_an_access_list_is_not) {
    tx.type = TransactionType::access_list;
    tx.chain_id = 1;
    tx.access_list = {{kOther, {Hash{}}}};
    EXPECT_FALSE(lists(OP_STOP, kOther));
    EXPECT_TRUE(run(OP_STOP).accesses.slots.empty());
}

TEST_F(ListedAccesses, an_account_is_there_as_soon_as_its_access_is_paid) {
    for (const Opcode opcode : {OP_BALANCE, OP_EXTCODEHASH}) {
        EXPECT_FALSE(lists(push(kOther) + opcode, kOther, 3 + 2'999)) << opcode;
        EXPECT_TRUE(lists(push(kOther) + opcode, kOther, 3 + 3'000)) << opcode;
    }
    EXPECT_FALSE(lists(push(kOther) + OP_EXTCODESIZE, kOther, 3 + 3'099));
    EXPECT_TRUE(lists(push(kOther) + OP_EXTCODESIZE, kOther, 3 + 3'100));
}

TEST_F(ListedAccesses, copying_code_is_paid_with_memory_and_words) {
    const Bytecode copy = push(32) + push(0) + push(0) + push(kOther) + OP_EXTCODECOPY;
    EXPECT_FALSE(lists(copy, kOther, 12 + 3'100 + 3 + 3 - 1));
    EXPECT_TRUE(lists(copy, kOther, 12 + 3'100 + 3 + 3));
}

TEST_F(ListedAccesses, a_call_is_paid_with_memory_and_value) {
    EXPECT_FALSE(lists(call(kOther, 1), kOther, 20 + 3'000 + 11'300 - 1));
    EXPECT_TRUE(lists(call(kOther, 1), kOther, 20 + 3'000 + 11'300));
    const Bytecode with_memory = CallCode{.to = push(kOther), .output_size = 32};
    EXPECT_FALSE(lists(with_memory, kOther, 20 + 3'000 + 3 - 1));
    EXPECT_TRUE(lists(with_memory, kOther, 20 + 3'000 + 3));
}

TEST_F(ListedAccesses, what_only_state_can_tell_comes_too_late) {
    EXPECT_TRUE(lists(call(kFresh, 1), kFresh, 20 + 3'000 + 11'300));  // no gas to create it
    EXPECT_TRUE(lists(call(kOther, 2'000), kOther));                   // no balance
    EXPECT_TRUE(lists(push(kFresh) + OP_SELFDESTRUCT, kFresh, 3 + 8'000));
    EXPECT_FALSE(lists(push(kFresh) + OP_SELFDESTRUCT, kFresh, 3 + 7'999));
}

TEST_F(ListedAccesses, a_call_with_value_in_a_static_frame_fails_before) {
    pre.deploy(kOther, call(kThird, 1).bytes());
    EXPECT_FALSE(lists(call(OP_STATICCALL, kOther), kThird));
}

TEST_F(ListedAccesses, a_delegate_is_paid_for_by_itself) {
    pre.deploy(kOther, designator(kThird));
    EXPECT_FALSE(lists(call(kOther), kThird, 20 + 3'000 + 2'999));
    EXPECT_TRUE(lists(call(kOther), kOther, 20 + 3'000 + 2'999));
    EXPECT_TRUE(lists(call(kOther), kThird, 20 + 3'000 + 3'000));
    pre.deploy(kTarget, designator(kThird));
    tx.gas_limit = kBase + 2'999;
    EXPECT_EQ(find_access(run().accesses, kThird), nullptr);
    tx.gas_limit = kBase + 3'000;
    EXPECT_NE(find_access(run().accesses, kThird), nullptr);
}

TEST_F(ListedAccesses, a_slot_is_there_as_soon_as_its_access_is_paid) {
    EXPECT_FALSE(lists_slot(sload(0), 3 + 2'099));
    EXPECT_TRUE(lists_slot(sload(0), 3 + 2'100));
    EXPECT_FALSE(lists_slot(sstore(0, 1), 6 + 2'300));  // the sentry
    EXPECT_TRUE(lists_slot(sstore(0, 1), 6 + 2'301));
}

TEST_F(ListedAccesses, a_contract_is_there_once_nothing_but_itself_is_in_the_way) {
    const Address created = create_address(kTarget, 1);
    EXPECT_FALSE(lists(create(OP_STOP, 2'000), created));  // no balance
    EXPECT_TRUE(lists(create(OP_STOP), created, 20'000));  // no gas for its account
    EXPECT_TRUE(lists(create(revert_range(0, 0)), created));
    pre.set_nonce(created, 1);
    EXPECT_TRUE(lists(create(OP_STOP), created));  // a collision
}

TEST_F(ListedAccesses, an_authority_is_there_where_it_was_looked_at) {
    const Address authority = authorize(kOther);
    EXPECT_NE(find_access(run(OP_STOP).accesses, authority), nullptr);
    EXPECT_EQ(find_access(run(OP_STOP).accesses, kOther), nullptr);  // merely set as a target
    pre.set_nonce(authority, 5);
    EXPECT_NE(find_access(run(OP_STOP).accesses, authority), nullptr);
    const Address elsewhere = authorize(kOther, 2);
    EXPECT_EQ(find_access(run(OP_STOP).accesses, elsewhere), nullptr);
}

TEST_F(ListedAccesses, a_recipient_is_not_there_where_authorizations_cannot_be_paid) {
    const Address authority = authorize(kOther);
    tx.gas_limit = kBase + 7'816 + 9'000;
    const AccessRecord& record = run(OP_STOP).accesses;
    EXPECT_NE(find_access(record, authority), nullptr);
    EXPECT_EQ(find_access(record, kTarget), nullptr);
}

TEST_F(ListedAccesses, what_a_reverted_frame_accessed_stays_as_read) {
    pre.deploy(kOther, (push(kThird) + OP_BALANCE + sstore(3, 1) + revert_range(0, 0)).bytes());
    const AccessRecord& record = run(call(kOther)).accesses;
    EXPECT_NE(find_access(record, kThird), nullptr);
    ASSERT_EQ(record.slots.size(), 1u);
    EXPECT_FALSE(record.slots[0].is_written);
}

TEST_F(ListedAccesses, a_slot_that_ends_as_it_was_is_read) {
    pre.set_storage(kTarget, 1, 5);
    const AccessRecord& record = run(sstore(0, 1) + sstore(0, Uint256{}) + sstore(1, 5)).accesses;
    ASSERT_EQ(record.slots.size(), 2u);
    EXPECT_FALSE(record.slots[0].is_written);
    EXPECT_FALSE(record.slots[1].is_written);
}

TEST_F(ListedAccesses, slots_of_a_new_contract_are_fresh_ones) {
    const Address created = create_address(kTarget, 1);
    const AccessRecord& record = run(create(sstore(0, 1) + sload(2) + OP_STOP)).accesses;
    EXPECT_TRUE(record.slots.empty());
    ASSERT_EQ(record.fresh_slots.size(), 2u);
    EXPECT_EQ(record.accounts[record.fresh_slots[0].account].address, created);
    EXPECT_EQ(record.fresh_slots[0].slot, 0u);
    EXPECT_TRUE(record.fresh_slots[0].is_written);
    EXPECT_EQ(record.fresh_slots[1].slot, 2u);
    EXPECT_FALSE(record.fresh_slots[1].is_written);
}

TEST_F(ListedAccesses, a_contract_that_goes_again_changes_nothing_but_perhaps_its_balance) {
    const Address created = create_address(kTarget, 1);
    const Bytecode init = sstore(0, 1) + OP_ADDRESS + OP_SELFDESTRUCT;
    pre.deploy(kTarget, create(init, 3).bytes());
    EXPECT_TRUE(access(created).changes_balance);
    EXPECT_FALSE(access(created).changes_nonce);
    EXPECT_FALSE(access(created).changes_code);
    EXPECT_FALSE(run().accesses.fresh_slots.at(0).is_written);
}

TEST_F(ListedAccesses, changes_are_those_from_before_to_after) {
    pre.deploy(kOther, call(kTarget, 5).bytes());
    tx.value = 5;
    pre.deploy(kTarget, {});
    EXPECT_TRUE(access(kTarget).changes_balance);
    EXPECT_TRUE(access(kSender).changes_nonce);
    EXPECT_FALSE(access(kTarget).changes_nonce);
    tx.to = kOther;  // passes it on
    EXPECT_TRUE(access(kTarget).changes_balance);
    EXPECT_FALSE(access(kOther).changes_balance);
}

TEST_F(ListedAccesses, code_changes_where_it_is_another_one_afterwards) {
    run(create(deploy(OP_STOP)));
    pre.deploy(kTarget, create(deploy(OP_STOP)).bytes());
    EXPECT_TRUE(access(create_address(kTarget, 1)).changes_code);
    EXPECT_FALSE(access(kTarget).changes_code);
    const Address authority = authorize(kOther);
    EXPECT_TRUE(access(authority).changes_code);
    pre.deploy(authority, designator(kOther));
    pre.set_nonce(authority, 0);
    EXPECT_FALSE(access(authority).changes_code) << "the same again";
    tx.authorization_list.push_back({1, {}, 1, 0, 1, 1});
    EXPECT_FALSE(access(authority).changes_code) << "somebody else's";
    (void)authorize({});
    const Address cleared = heddle::test::authority_of(tx.authorization_list[0]).value();
    pre.deploy(cleared, designator(kOther));
    pre.set_nonce(cleared, 0);
    EXPECT_TRUE(access(cleared).changes_code);
}

TEST_F(ListedAccesses, creation_looks_at_nonce_and_code_only) {  // EIP-7610 is declined
    const Address created = create_address(kTarget, 1);
    pre.set_storage(created, 0, 7);
    pre.set_balance(created, 1);
    run(create(sstore(1, sload(0)) + OP_STOP));
    EXPECT_EQ(nonce(created), 1u);
    EXPECT_EQ(stored(created, 1), 7u);
    use(Revision::osaka);
    run(create(OP_STOP));
    EXPECT_EQ(nonce(created), 0u);
    EXPECT_EQ(stored(created, 0), 7u);
}

}  // namespace
}  // namespace heddle::vm::test
