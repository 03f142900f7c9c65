// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <vm/access.hpp>

#include <vm/moved_balance.hpp>

#include "authority.hpp"
#include "system_call.hpp"
#include "transition_fixture.hpp"

namespace heddle::vm::test {
namespace {

class AccessRecords : public TransitionTest {
protected:
    AccessRecords() {
        pre.set_balance(kSender, kFunds);
        pre.set_balance(kOther, 1);
        pre.set_balance(kThird, 1);
        pre.set_balance(kBeneficiary, 1);
        pre.deploy(kTarget, {});
    }

    void price(std::uint64_t fee) {
        env.base_fee_per_gas = 0;
        tx.max_fee_per_gas = fee;
        tx.max_priority_fee_per_gas = fee;
        tx.gas_limit = 1'000'000;
    }
    AccessRecord record(const Bytecode& code) { return run(code).accesses; }
    std::string after(const Bytecode& code, const Address& address) {
        return accessed(record(code), address);
    }
    std::string of(const Address& address) { return accessed(run().accesses, address); }
    const AccountAccess& access(const AccessRecord& record, const Address& address) {
        static const AccountAccess none;
        const AccountAccess* found = find_access(record, address);
        EXPECT_NE(found, nullptr);
        return found == nullptr ? none : *found;
    }
    /// An authorization that somebody has signed, and who.
    Address authorize(const Address& target, std::uint64_t nonce = 0) {
        tx.type = TransactionType::set_code;
        tx.chain_id = 1;
        tx.authorization_list = {{1, target, nonce, 0, 1, 1}};
        return heddle::test::authority_of(tx.authorization_list[0]).value();
    }
    void delegate(const Address& authority, const Address& target) {
        Bytes designator{0xef, 0x01, 0x00};
        designator.insert(designator.end(), target.bytes.begin(), target.bytes.end());
        pre.deploy(authority, designator);
    }
    static Bytecode self_destruct(const Address& heir) { return push(heir) + OP_SELFDESTRUCT; }

    static constexpr std::uint64_t kFunds = 1'000'000'000'000;
};

TEST_F(AccessRecords, a_transfer_debits_the_sender_and_adds_to_everybody_else) {
    price(3);
    tx.value = 500;
    const AccessRecord& record = run().accesses;

    EXPECT_EQ(accessed(record, kSender), "balance debit, nonce add, code read");
    EXPECT_EQ(accessed(record, kTarget), "balance add, code read");
    EXPECT_EQ(accessed(record, kBeneficiary), "balance add");
    EXPECT_EQ(record.accounts.size(), 3u);
    EXPECT_TRUE(record.slots.empty());
}

TEST_F(AccessRecords, all_gas_and_the_value_have_to_be_covered) {
    price(3);
    tx.value = 500;
    const AccountAccess sender = access(run().accesses, kSender);
    EXPECT_EQ(sender.seen_balance, kFunds);
    EXPECT_EQ(sender.required_balance, 3'000'500u);
    EXPECT_EQ(access(run().accesses, kTarget).required_balance, 0u);
}

TEST_F(AccessRecords, what_is_only_prewarmed_does_not_appear) {
    tx.type = TransactionType::access_list;
    tx.chain_id = 1;
    tx.access_list = {{kOther, {Hash{}}}, {kThird, {}}};
    const AccessRecord made = record(push(kThird) + OP_BALANCE + sload(5));
    EXPECT_EQ(accessed(made, kOther), "nothing");
    EXPECT_EQ(accessed(made, kThird), "balance read, code read");
    EXPECT_EQ(made.slots.size(), 1u);
}

TEST_F(AccessRecords, looking_at_code_reads_the_code) {
    for (const Opcode opcode : {OP_EXTCODESIZE, OP_EXTCODEHASH})
        EXPECT_EQ(after(push(kOther) + opcode, kOther), "code read");
    EXPECT_EQ(after(push(0) + push(0) + push(0) + push(kOther) + OP_EXTCODECOPY, kOther),
              "code read");
    for (const Opcode opcode : {OP_DELEGATECALL, OP_STATICCALL, OP_CALLCODE, OP_CALL})
        EXPECT_EQ(after(call(opcode, kOther), kOther), "code read");
}

TEST_F(AccessRecords, looking_at_a_balance_reads_it) {
    EXPECT_EQ(after(push(kOther) + OP_BALANCE, kOther), "balance read, code read");
    EXPECT_EQ(after(OP_SELFBALANCE, kTarget), "balance read, code read");
    EXPECT_EQ(after(push(kSender) + OP_BALANCE, kSender), "balance read, nonce add, code read");
}

TEST_F(AccessRecords, a_balance_looked_at_and_moved_is_written) {
    pre.set_balance(kTarget, 100);
    EXPECT_EQ(after(call(kOther, 1) + OP_SELFBALANCE, kTarget), "balance write, code read");
    EXPECT_EQ(after(push(kOther) + OP_BALANCE + call(kOther, 1), kOther),
              "balance write, code read");
    price(3);
    EXPECT_EQ(after(push(kSender) + OP_BALANCE, kSender), "balance write, nonce add, code read");
}

TEST_F(AccessRecords, nothing_is_added_by_a_credit_of_zero) {
    EXPECT_EQ(after(call(kOther), kOther), "code read");
    EXPECT_EQ(of(kTarget), "code read");
    EXPECT_EQ(of(kSender), "nonce add, code read");
}

TEST_F(AccessRecords, cover_that_suffices_requires_no_more_than_was_taken) {
    pre.set_balance(kTarget, 100);
    const AccessRecord made = record(call(kOther, 30) + call(kThird, 20));
    EXPECT_EQ(accessed(made, kTarget), "balance debit, code read");
    EXPECT_EQ(access(made, kTarget).required_balance, 50u);
    EXPECT_EQ(accessed(made, kOther), "balance add, code read");
}

TEST_F(AccessRecords, what_came_in_before_need_not_have_been_there) {
    pre.set_balance(kTarget, 100);
    tx.value = 500;
    const AccessRecord made = record(call(kOther, 550));
    EXPECT_EQ(accessed(made, kTarget), "balance debit, code read");
    EXPECT_EQ(access(made, kTarget).required_balance, 50u);
    EXPECT_EQ(access(record(call(kOther, 400)), kTarget).required_balance, 0u);
}

/// On another balance it might begin anew, and not cover what it covers here.
TEST_F(AccessRecords, a_balance_that_rises_to_where_sums_have_no_room_is_read) {
    tx.value = 500;
    const auto after_payment = [&](const Uint256& before) {
        pre.set_balance(kTarget, before);
        return after(OP_STOP, kTarget);
    };
    EXPECT_EQ(after_payment(100), "balance add, code read");
    EXPECT_EQ(after_payment(kMostMovedBalance - Uint256{501}), "balance add, code read");
    EXPECT_EQ(after_payment(kMostMovedBalance - Uint256{500}), "balance write, code read");
    EXPECT_EQ(after_payment(Uint256::max()), "balance write, code read");
    pre.set_balance(kSender, Uint256::max());
    EXPECT_EQ(after_payment(100), "balance add, code read");
    EXPECT_EQ(of(kSender), "balance debit, nonce add, code read") << "what comes back was its own";
}

TEST_F(AccessRecords, what_was_given_back_by_a_revert_is_required_once) {
    pre.set_balance(kTarget, 100);
    pre.deploy(kOther, revert_range(0, 0).bytes());
    const AccessRecord made = record(call(kOther, 60) + call(kOther, 70));
    EXPECT_EQ(access(made, kTarget).required_balance, 70u);
}

TEST_F(AccessRecords, cover_that_fails_reads_the_balance) {
    pre.set_balance(kTarget, 100);
    const AccessRecord made = record(call(kOther, 101));
    EXPECT_EQ(accessed(made, kTarget), "balance read, code read");
    EXPECT_EQ(accessed(made, kOther), "code read");
    EXPECT_EQ(access(made, kTarget).required_balance, 0u);
    EXPECT_EQ(after(create(OP_STOP, 101), kTarget), "balance read, code read");
}

TEST_F(AccessRecords, cover_checked_for_a_callcode_is_required_though_nothing_moves) {
    pre.set_balance(kTarget, 100);
    const AccessRecord made =
        record(CallCode{.opcode = OP_CALLCODE, .to = push(kOther), .value = push(40)});
    EXPECT_EQ(accessed(made, kTarget), "balance debit, code read");
    EXPECT_EQ(access(made, kTarget).required_balance, 40u);
}

TEST_F(AccessRecords, a_slot_is_read_or_written_and_its_account_shared) {
    const AccessRecord made = record(sload(7) + sstore(8, 1) + sload(8));
    EXPECT_EQ(accessed(made, kTarget), "code read, storage read");
    ASSERT_EQ(made.slots.size(), 2u);
    EXPECT_EQ(made.slots[0], (SlotAccess{7, 1, false}));
    EXPECT_EQ(made.slots[1], (SlotAccess{8, 1, true}));
    EXPECT_EQ(made.changed_slots, std::vector<std::uint32_t>{1});
}

TEST_F(AccessRecords, a_slot_that_comes_back_to_its_value_is_only_read) {
    const AccessRecord made = record(sstore(8, 1) + sstore(8, Uint256{}));
    ASSERT_EQ(made.slots.size(), 1u);
    EXPECT_FALSE(made.slots[0].is_written);
    EXPECT_TRUE(made.changed_slots.empty());
    EXPECT_FALSE(record(sstore(8, Uint256{})).slots[0].is_written);
}

TEST_F(AccessRecords, a_revert_undoes_no_access) {
    pre.set_balance(kTarget, 100);
    pre.deploy(kOther, (sstore(1, 1) + call(kThird, 5) + revert_range(0, 0)).bytes());
    pre.set_balance(kOther, 50);
    const AccessRecord made = record(call(kOther, 10));
    EXPECT_EQ(accessed(made, kTarget), "balance debit, code read");
    EXPECT_EQ(accessed(made, kOther), "balance debit, code read, storage read");
    EXPECT_EQ(accessed(made, kThird), "balance add, code read");
    ASSERT_EQ(made.slots.size(), 1u);
    EXPECT_FALSE(made.slots[0].is_written);       // it came back to what it was
    EXPECT_EQ(made.changed_accounts.size(), 1u);  // the sender
}

TEST_F(AccessRecords, an_account_that_comes_into_being_is_written) {
    pre.accounts.erase(kOther);
    pre.set_balance(kTarget, 100);
    EXPECT_EQ(after(call(kOther, 1), kOther), "balance write, code write");
    EXPECT_EQ(after(call(kOther), kOther), "code read");
}

TEST_F(AccessRecords, an_empty_account_that_is_cleared_is_written) {
    pre.accounts[kOther] = {};
    EXPECT_EQ(after(call(kOther), kOther), "code write");
    EXPECT_FALSE(exists(kOther));
}

TEST_F(AccessRecords, an_empty_account_that_is_no_longer_dead_is_written) {
    pre.accounts[kOther] = {};
    pre.set_balance(kTarget, 100);
    EXPECT_EQ(after(call(kOther, 1), kOther), "balance write, code write");
    // Nothing was dead that existed before EIP-161, but whoever looks later may ask by its rules.
    use(Revision::tangerine_whistle);
    EXPECT_EQ(after(call(kOther, 1), kOther), "balance write, code write");
}

TEST_F(AccessRecords, creation_writes_both_nonces_and_the_whole_storage) {
    pre.set_balance(kTarget, 100);
    const AccessRecord made = record(create(sstore(1, 2) + OP_STOP, 5));
    const Address created = create_address(kTarget, 1);
    EXPECT_EQ(accessed(made, kTarget), "balance debit, nonce write, code read");
    EXPECT_EQ(accessed(made, created), "balance write, nonce write, code write, storage write");
}

TEST_F(AccessRecords, slots_of_a_fresh_contract_are_not_asked_for) {
    const AccessRecord made = record(create(sload(3) + sstore(1, 2) + OP_STOP) + sstore(9, 9));
    ASSERT_EQ(made.slots.size(), 1u);
    EXPECT_EQ(made.slots[0].slot, 9u);
    EXPECT_EQ(made.changed_slots, (std::vector<std::uint32_t>{0, AccessRecord::kNone}));
}

TEST_F(AccessRecords, a_failed_creation_writes_the_storage_all_the_same) {
    pre.set_balance(create_address(kTarget, 1), 1);
    const AccessRecord made = record(create(revert_range(0, 0)));
    EXPECT_EQ(accessed(made, kTarget), "nonce write, code read");
    EXPECT_EQ(accessed(made, create_address(kTarget, 1)), "nonce write, code read, storage write");
}

TEST_F(AccessRecords, a_collision_reads_no_more_than_it_takes_to_see_it) {
    const Address created = create_address(kTarget, 1);
    pre.accounts[created].nonce = 1;
    EXPECT_EQ(after(create(OP_STOP), created), "nonce read, code read");
    pre.accounts[created].nonce = 0;
    pre.accounts[created].balance = 1;
    pre.set_storage(created, 1, 1);
    EXPECT_EQ(after(create(OP_STOP), created), "nonce read, code read, storage read");
}

TEST_F(AccessRecords, a_creation_refused_for_its_creators_nonce_reads_it) {  // EIP-2681
    pre.deploy(kOther, create(OP_STOP).bytes());
    pre.accounts[kOther].nonce = ~std::uint64_t{0};
    EXPECT_EQ(after(call(kOther), kOther), "nonce read, code read");
}

TEST_F(AccessRecords, a_creation_by_the_transaction_counts_its_senders_nonce) {
    tx.to.reset();
    tx.data = deploy(OP_STOP).bytes();
    const AccessRecord& record = run().accesses;
    EXPECT_EQ(accessed(record, kSender), "nonce add, code read");
    EXPECT_EQ(accessed(record, create_address(kSender, 0)),
              "nonce write, code write, storage write");
}

TEST_F(AccessRecords, selfdestruct_before_cancun_writes_everything) {
    use(Revision::shanghai);
    pre.set_balance(kTarget, 100);
    const AccessRecord made = record(self_destruct(kOther));
    EXPECT_EQ(accessed(made, kTarget), "balance write, nonce write, code write, storage write");
    EXPECT_EQ(accessed(made, kOther), "balance add, code read");
}

TEST_F(AccessRecords, selfdestruct_in_cancun_moves_the_balance_only) {
    pre.set_balance(kTarget, 100);
    const AccessRecord made = record(self_destruct(kOther));
    EXPECT_EQ(accessed(made, kTarget), "balance write, code read");
    EXPECT_EQ(accessed(made, kOther), "balance add, code read");
    EXPECT_EQ(after(self_destruct(kTarget), kTarget), "balance read, code read");
}

TEST_F(AccessRecords, selfdestruct_in_cancun_ends_what_the_transaction_created) {
    const AccessRecord made = record(create(self_destruct(kOther)));
    EXPECT_EQ(accessed(made, create_address(kTarget, 1)),
              "balance read, nonce write, code read, storage write");
    EXPECT_FALSE(exists(create_address(kTarget, 1)));
}

TEST_F(AccessRecords, an_undone_selfdestruct_destroys_no_storage) {
    use(Revision::shanghai);
    pre.deploy(kOther, self_destruct(kThird).bytes());
    pre.deploy(kThird, (call(kOther) + revert_range(0, 0)).bytes());
    EXPECT_EQ(after(call(kThird), kOther), "balance read, code read");
}

TEST_F(AccessRecords, a_contract_is_made_again_where_one_was_destroyed) {
    use(Revision::shanghai);
    const Bytecode runtime = sload(1) + sstore(2, 2) + self_destruct(kThird);
    const Bytecode init = sstore(1, 7) + deploy(runtime);
    const Address created = create2_address(kTarget, Uint256{5}, keccak256(init.bytes()));
    const Bytecode makes = create2(init, 5);

    EXPECT_EQ(after(makes, created), "nonce write, code write, storage write");
    EXPECT_EQ(stored(created, 1), 7u);
    pre = post;
    tx.nonce = 1;
    const AccessRecord ended = record(call(created));
    EXPECT_EQ(accessed(ended, created), "balance write, nonce write, code write, storage write");
    ASSERT_EQ(ended.slots.size(), 2u);
    EXPECT_TRUE(ended.changed_slots.empty());
    pre = post;
    tx.nonce = 2;
    EXPECT_EQ(after(makes, created), "nonce write, code write, storage write");
    EXPECT_EQ(stored(created, 1), 7u);
}

TEST_F(AccessRecords, an_authorization_reads_the_nonce_and_writes_it_where_it_fits) {
    const Address authority = authorize(kOther);
    pre.set_balance(authority, 1);
    EXPECT_EQ(of(authority), "nonce write, code write");
    pre.accounts[authority].nonce = 3;
    EXPECT_EQ(of(authority), "nonce read, code read");
    pre.deploy(authority, {0x00});  // looked at first
    EXPECT_EQ(of(authority), "code read");
}

TEST_F(AccessRecords, an_authorization_for_the_same_target_does_not_change_the_code) {
    const Address authority = authorize(kOther);
    delegate(authority, kOther);
    pre.accounts[authority].nonce = 0;
    EXPECT_EQ(of(authority), "nonce write, code read");
}

TEST_F(AccessRecords, an_authorization_by_the_sender_writes_its_nonce) {
    tx.sender = authorize(kOther, 1);
    pre.set_balance(*tx.sender, kFunds);
    EXPECT_EQ(of(*tx.sender), "nonce write, code write");
}

// Its nonce has risen, and was asked for: that is more than the counting nobody depends on.
TEST_F(AccessRecords, an_authorization_by_the_sender_that_does_not_fit_writes_its_nonce) {
    tx.sender = authorize(kOther, 0);
    pre.set_balance(*tx.sender, kFunds);
    EXPECT_EQ(of(*tx.sender), "nonce write, code read");
}

TEST_F(AccessRecords, a_delegated_accounts_slots_are_its_own) {
    delegate(kThird, kOther);
    pre.deploy(kOther, sstore(1, 1).bytes());
    const AccessRecord made = record(call(kThird));
    EXPECT_EQ(accessed(made, kThird), "code read, storage read");
    EXPECT_EQ(accessed(made, kOther), "code read");
}

TEST_F(AccessRecords, a_fee_adds_to_the_beneficiary_and_asks_nothing_of_it) {
    price(3);
    EXPECT_EQ(of(kBeneficiary), "balance add");
    price(0);
    EXPECT_EQ(of(kBeneficiary), "balance add");  // the same for a fee of zero
    price(3);
    pre.accounts.erase(kBeneficiary);  // whoever adds up the fees sees that
    EXPECT_EQ(of(kBeneficiary), "balance add");
}

TEST_F(AccessRecords, a_beneficiary_of_other_concern_is_like_any_account) {
    price(3);
    EXPECT_EQ(after(push(kBeneficiary) + OP_EXTCODESIZE, kBeneficiary), "balance add, code read");
    EXPECT_EQ(after(push(kBeneficiary) + OP_BALANCE, kBeneficiary), "balance write, code read");
    env.beneficiary = kSender;
    EXPECT_EQ(of(kSender), "balance debit, nonce add, code read");
}

TEST_F(AccessRecords, a_fee_of_no_other_concern_can_be_left_to_the_caller) {
    defer_fees();
    price(3);
    EXPECT_EQ(run().deferred_fee, Uint256{63'000});
    EXPECT_EQ(of(kBeneficiary), "nothing");
    EXPECT_EQ(balance(kBeneficiary), 1u);
    EXPECT_EQ(reads().size(), 2u);
    price(0);
    EXPECT_EQ(run().deferred_fee, Uint256{});
}

TEST_F(AccessRecords, a_fee_is_paid_at_once_where_the_beneficiary_was_looked_at) {
    defer_fees();
    price(3);
    const Outcome& outcome = run(push(kBeneficiary) + OP_EXTCODESIZE);
    EXPECT_EQ(outcome.deferred_fee, std::nullopt);
    EXPECT_EQ(accessed(outcome.accesses, kBeneficiary), "balance add, code read");
    EXPECT_EQ(balance(kBeneficiary), 1 + 3 * gas_used());
}

TEST_F(AccessRecords, the_object_set_says_the_same) {
    defer_fees();
    price(3);
    const AccessRecord made = record(sload(7) + sstore(8, 1));
    const ObjectSet set = made.object_set(kBeneficiary);
    const auto mode = [&](const Address& address, ObjectKind kind, const Uint256& slot = {}) {
        const Access* access = set.find({address, kind, slot});
        return access == nullptr ? std::nullopt : std::optional{access->mode};
    };
    EXPECT_EQ(mode(kSender, ObjectKind::balance), AccessMode::debit);
    EXPECT_EQ(mode(kSender, ObjectKind::nonce), AccessMode::add);
    EXPECT_EQ(mode(kSender, ObjectKind::storage_all), std::nullopt);
    EXPECT_EQ(mode(kTarget, ObjectKind::code), AccessMode::read);
    EXPECT_EQ(mode(kTarget, ObjectKind::storage_all), AccessMode::read);
    EXPECT_EQ(mode(kTarget, ObjectKind::storage, 7), AccessMode::read);
    EXPECT_EQ(mode(kTarget, ObjectKind::storage, 8), AccessMode::write);
    EXPECT_EQ(mode(kBeneficiary, ObjectKind::balance), AccessMode::add);
    EXPECT_EQ(mode(kBeneficiary, ObjectKind::code), std::nullopt);
}

TEST_F(AccessRecords, a_system_call_is_recorded_too) {
    EvmOptions options;
    options.record_accesses = true;
    Evm evm(options);
    SystemCallOutcome outcome;
    pre.deploy(kTarget, sstore(1, 1).bytes());
    system_call(pre, NumberedBlockHashes{}, env, kTarget, {}, evm, outcome);
    EXPECT_EQ(accessed(outcome.accesses, kTarget), "code read, storage read");
    EXPECT_EQ(outcome.accesses.accounts.size(), 1u);
    EXPECT_EQ(outcome.accesses.changed_slots, std::vector<std::uint32_t>{0});
}

TEST_F(AccessRecords, who_is_not_asked_records_nothing) {
    Evm evm;
    Outcome outcome;
    const auto valid = validate(tx, pre, env, BlockGas::whole(env));
    transition(pre, NumberedBlockHashes{}, env, *valid, evm, outcome);
    EXPECT_EQ(outcome.accesses, AccessRecord{});
    EXPECT_EQ(outcome.deferred_fee, std::nullopt);
}

}  // namespace
}  // namespace heddle::vm::test
