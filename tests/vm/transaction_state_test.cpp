// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "transaction_state.hpp"

#include <gtest/gtest.h>

#include "recorded_state.hpp"

namespace heddle::vm::test {
namespace {

constexpr Address kA = address_from_low64(0xaaa);
constexpr Address kB = address_from_low64(0xbbb);
constexpr Address kRipemd = address_from_low64(3);

class TransactionStates : public testing::Test {
protected:
    TransactionStates() { view.set_balance(kA, 100); }

    TransactionState& begin(Revision revision = kLatestRevision) {
        state.reset(view, revision);
        return state;
    }
    StateDiff finish() {
        StateDiff diff;
        state.finish(diff);
        return diff;
    }

public:
    RecordedState view;
    TransactionState state;
};

TEST_F(TransactionStates, an_account_is_read_once) {
    begin();
    (void)state.account(kA);
    (void)state.account(kA);

    EXPECT_EQ(view.reads.size(), 1u);
}

TEST_F(TransactionStates, warming_reads_nothing) {
    begin();
    state.prewarm_account(kA);
    state.prewarm_slot(kA, 5);

    EXPECT_TRUE(view.reads.empty());
    EXPECT_TRUE(state.account(kA).is_warm);
    EXPECT_TRUE(state.slot_entry(state.account(kA), 5).is_warm);
    EXPECT_FALSE(state.slot_entry(state.account(kA), 6).is_warm);
}

TEST_F(TransactionStates, what_was_only_read_is_not_in_the_diff) {
    begin();
    AccountEntry& a = state.account(kA);
    state.ensure_loaded(a, state.slot_entry(a, 1));
    (void)state.account(kB);

    EXPECT_TRUE(finish().empty());
}

TEST_F(TransactionStates, what_came_back_to_its_value_is_not_in_the_diff) {
    begin();
    AccountEntry& a = state.account(kA);
    SlotEntry& slot = state.slot_entry(a, 1);
    state.ensure_loaded(a, slot);
    state.set_slot(slot, 7);
    state.set_slot(slot, 0);
    state.sub_balance(a, 5);
    state.add_balance(a, 5);

    EXPECT_TRUE(finish().empty());
}

TEST_F(TransactionStates, changes_are_in_the_diff_by_account) {
    begin();
    AccountEntry& a = state.account(kA);
    SlotEntry& slot = state.slot_entry(a, 1);
    state.ensure_loaded(a, slot);
    state.set_slot(slot, 7);
    state.sub_balance(a, 30);
    state.add_balance(state.account(kB), 30);
    state.set_code(a, Bytes{1, 2});
    const StateDiff diff = finish();

    ASSERT_EQ(diff.accounts.size(), 2u);
    EXPECT_EQ(diff.accounts[0].address, kA);
    EXPECT_EQ(diff.accounts[0].account->balance, 70u);
    EXPECT_EQ(diff.accounts[0].account->code_hash, keccak256(Bytes{1, 2}));
    EXPECT_EQ(diff.accounts[0].storage, (std::vector<StorageChange>{{1, 7}}));
    EXPECT_EQ(diff.accounts[1].account->balance, 30u);
    ASSERT_EQ(diff.codes.size(), 1u);
    EXPECT_EQ(diff.codes[0].code, (Bytes{1, 2}));
}

TEST_F(TransactionStates, reverting_undoes_every_kind_of_change) {
    begin();
    AccountEntry& a = state.account(kA);
    AccountEntry& b = state.account(kB);
    SlotEntry& slot = state.slot_entry(a, 1);
    state.ensure_loaded(a, slot);
    state.set_transient(a, 1, 5);
    state.add_refund(10);
    state.add_log({kA, {}, {}});
    const Checkpoint checkpoint = state.checkpoint();

    state.sub_balance(a, 30);
    state.set_nonce(a, 9);
    state.set_code(a, Bytes{1});
    state.set_slot(slot, 7);
    state.set_transient(a, 1, 6);
    state.set_transient(a, 2, 6);
    state.warm_account(b);
    state.warm_slot(slot);
    state.create_contract(b);
    state.add_balance(b, 30);
    EXPECT_TRUE(state.destruct(b));
    EXPECT_FALSE(state.destruct(b));
    state.add_refund(90);
    state.add_log({kB, {}, {}});
    state.revert_to(checkpoint);

    EXPECT_EQ(a.account, a.original);
    EXPECT_EQ(slot.current, 0u);
    EXPECT_EQ(state.transient(a, 1), 5u);
    EXPECT_EQ(state.transient(a, 2), 0u);
    EXPECT_FALSE(b.is_warm);
    EXPECT_FALSE(slot.is_warm);
    EXPECT_FALSE(b.is_created);
    EXPECT_FALSE(b.is_destructed);
    EXPECT_FALSE(b.exists);
    EXPECT_TRUE(state.is_dead(b));
    EXPECT_EQ(state.refund(), 10);
    EXPECT_EQ(state.logs().size(), 1u);
    EXPECT_TRUE(finish().accounts.empty());
}

TEST_F(TransactionStates, checkpoints_nest) {
    begin();
    AccountEntry& a = state.account(kA);
    const Checkpoint outer = state.checkpoint();
    state.sub_balance(a, 1);
    const Checkpoint inner = state.checkpoint();
    state.sub_balance(a, 2);
    state.revert_to(inner);
    EXPECT_EQ(a.account.balance, 99u);
    state.revert_to(outer);
    EXPECT_EQ(a.account.balance, 100u);
}

TEST_F(TransactionStates, touched_empty_accounts_go_since_spurious_dragon) {  // EIP-161
    view.accounts[kB] = {};
    begin();
    state.touch(state.account(kB));
    const StateDiff diff = finish();
    ASSERT_EQ(diff.accounts.size(), 1u);
    EXPECT_EQ(diff.accounts[0].account, std::nullopt);

    begin(Revision::tangerine_whistle);
    state.touch(state.account(kB));
    EXPECT_TRUE(finish().empty());
}

TEST_F(TransactionStates, a_touched_absent_account_comes_into_being_before_spurious_dragon) {
    begin(Revision::homestead);
    state.touch(state.account(kB));
    const StateDiff diff = finish();
    ASSERT_EQ(diff.accounts.size(), 1u);
    EXPECT_EQ(diff.accounts[0].account, Account{});

    begin();
    state.touch(state.account(kB));
    EXPECT_TRUE(finish().empty());
}

TEST_F(TransactionStates, the_touch_of_ripemd_outlives_a_revert) {
    view.accounts[kRipemd] = {};
    view.accounts[kB] = {};
    begin();
    const Checkpoint checkpoint = state.checkpoint();
    state.touch(state.account(kRipemd));
    state.touch(state.account(kB));
    state.revert_to(checkpoint);
    const StateDiff diff = finish();

    ASSERT_EQ(diff.accounts.size(), 1u);
    EXPECT_EQ(diff.accounts[0].address, kRipemd);
    EXPECT_EQ(diff.accounts[0].account, std::nullopt);
}

TEST_F(TransactionStates, a_destructed_account_takes_its_storage_along) {
    view.set_storage(kA, 1, 1);
    begin(Revision::osaka);
    AccountEntry& a = state.account(kA);
    SlotEntry& slot = state.slot_entry(a, 1);
    state.ensure_loaded(a, slot);
    state.set_slot(slot, 2);
    state.destruct(a);
    const StateDiff diff = finish();

    ASSERT_EQ(diff.accounts.size(), 1u);
    EXPECT_EQ(diff.accounts[0].account, std::nullopt);
    EXPECT_TRUE(diff.accounts[0].storage_cleared);
    EXPECT_TRUE(diff.accounts[0].storage.empty());
}

TEST_F(TransactionStates, a_destructed_account_keeps_its_balance_since_amsterdam) {  // EIP-8246
    view.set_storage(kA, 1, 1);
    begin();
    AccountEntry& a = state.account(kA);
    state.set_nonce(a, 1);
    state.destruct(a);
    const StateDiff diff = finish();

    ASSERT_EQ(diff.accounts.size(), 1u);
    EXPECT_EQ(diff.accounts[0].account, (Account{.nonce = 0, .balance = 100}));
    EXPECT_TRUE(diff.accounts[0].storage_cleared);
}

TEST_F(TransactionStates, a_created_contract_reads_no_old_storage) {
    begin();
    AccountEntry& b = state.account(kB);
    state.create_contract(b);
    view.reads.clear();
    state.ensure_loaded(b, state.slot_entry(b, 1));

    EXPECT_TRUE(view.reads.empty());
}

/// With thousands of contracts deployed by one transaction, looking through all of them for each
/// call was quadratic. That the view is asked for a code that was deployed too shows that nobody
/// looks there.
TEST_F(TransactionStates, looking_for_code_does_not_go_through_what_was_deployed) {
    constexpr std::uint64_t kContracts = 1'000;
    const auto code_of = [](std::uint64_t i) {
        return Bytes{static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i >> 8)};
    };
    for (std::uint64_t i = 0; i < kContracts; ++i)
        view.deploy(address_from_low64(0x1'0000 + i), code_of(i));
    begin();
    for (std::uint64_t i = 0; i < kContracts; ++i)
        state.set_code(state.account(address_from_low64(0x2'0000 + i)), code_of(i));
    view.reads.clear();

    for (std::uint64_t i = 0; i < kContracts; ++i) {
        const AccountEntry& deployed = state.account(address_from_low64(0x2'0000 + i));
        ASSERT_TRUE(equal(state.code(deployed), code_of(i)));
    }
    EXPECT_EQ(view.code_reads, 0u);
    for (std::uint64_t i = 0; i < kContracts; ++i) {
        const AccountEntry& old = state.account(address_from_low64(0x1'0000 + i));
        ASSERT_TRUE(equal(state.code(old), code_of(i)));
    }
    EXPECT_EQ(view.code_reads, kContracts);
}

TEST_F(TransactionStates, code_goes_back_with_whatever_was_deployed_over_it) {
    view.deploy(kA, Bytes{9});
    begin();
    AccountEntry& a = state.account(kA);
    std::vector<Checkpoint> checkpoints;
    const std::vector<Bytes> codes = {{1}, {2}, {}, {1}, {}, {3}};
    for (const Bytes& code : codes) {
        checkpoints.push_back(state.checkpoint());
        state.set_code(a, code);
        ASSERT_TRUE(equal(state.code(a), code));
    }
    for (std::size_t i = codes.size(); i-- > 0;) {
        state.revert_to(checkpoints[i]);
        ASSERT_TRUE(equal(state.code(a), i == 0 ? Bytes{9} : codes[i - 1])) << i;
    }
}

/// What is kept of a transaction is the code that accounts are left with: the rest may have cost
/// next to nothing (EIP-8037), and nobody could ever ask for it.
TEST_F(TransactionStates, code_that_no_account_is_left_with_is_not_in_the_diff) {
    begin();
    AccountEntry& a = state.account(kA);
    state.set_code(a, Bytes{1});
    state.set_code(a, Bytes{2});
    Checkpoint checkpoint = state.checkpoint();
    state.set_code(a, Bytes{3});
    state.set_code(state.account(kB), Bytes{4});
    state.revert_to(checkpoint);
    checkpoint = state.checkpoint();
    state.set_code(state.account(kB), Bytes{5});
    state.set_code(state.account(kB), {});
    state.set_code(a, {});
    state.revert_to(checkpoint);
    AccountEntry& made = state.account(address_from_low64(0xdead));
    state.create_contract(made);
    state.set_code(made, Bytes{6});
    EXPECT_TRUE(state.destruct(made));
    const StateDiff diff = finish();

    ASSERT_EQ(diff.codes.size(), 1u);
    EXPECT_EQ(diff.codes[0].code, Bytes{2});
}

// An authority that delegates and takes it back at once (EIP-7702).
TEST_F(TransactionStates, code_that_is_cleared_again_is_not_kept) {
    begin();
    AccountEntry& a = state.account(kA);
    state.set_code(a, Bytes{1});
    state.set_code(a, {});
    state.set_nonce(a, 2);
    const StateDiff diff = finish();

    EXPECT_EQ(diff.accounts.size(), 1u);
    EXPECT_TRUE(diff.codes.empty());
}

TEST_F(TransactionStates, who_has_destructed_itself_is_gone_in_every_record) {
    for (const Revision revision : {Revision::shanghai, Revision::amsterdam}) {
        begin(revision);
        AccountEntry& a = state.account(kA);
        state.set_nonce(a, 1);
        state.clear_balance(a);
        EXPECT_TRUE(state.destruct(a));
        AccessRecord so_far;
        state.record(so_far);
        AccessRecord record;
        StateDiff diff;
        state.finish(diff, &record);

        EXPECT_EQ(so_far.accounts, record.accounts);
        EXPECT_FALSE(record.accounts.at(0).changes_nonce);
    }
}

TEST_F(TransactionStates, fresh_code_is_found_by_its_account) {
    begin();
    AccountEntry& a = state.account(kA);
    state.set_code(a, Bytes{1});
    AccountEntry& b = state.account(kB);
    state.set_code(b, Bytes{2});
    state.set_code(b, {});

    EXPECT_TRUE(equal(state.code(a), Bytes{1}));
    EXPECT_TRUE(state.code(b).empty());
}

TEST_F(TransactionStates, nothing_survives_a_reset) {
    begin();
    AccountEntry& a = state.account(kA);
    state.clear_balance(a);
    state.warm_account(a);
    state.set_transient(a, 1, 1);
    state.add_refund(5);
    state.add_log({kA, {}, {}});
    begin();

    EXPECT_EQ(state.account(kA).account.balance, 100u);
    EXPECT_FALSE(state.account(kA).is_warm);
    EXPECT_EQ(state.transient(state.account(kA), 1), 0u);
    EXPECT_EQ(state.refund(), 0);
    EXPECT_TRUE(state.logs().empty());
    EXPECT_TRUE(finish().empty());
}

TEST_F(TransactionStates, an_observer_sees_what_slots_hold_and_leaves_no_trace) {
    view.set_storage(kA, 1, 11);
    begin();
    AccountEntry& a = state.account(kA);
    EXPECT_EQ(state.peek(a, 1), 11u);
    state.prewarm_slot(kA, 1);  // not loaded
    EXPECT_EQ(state.peek(a, 1), 11u);
    SlotEntry& slot = state.slot_entry(a, 1);
    state.ensure_loaded(a, slot);
    state.set_slot(slot, 12);
    EXPECT_EQ(state.peek(a, 1), 12u);
    EXPECT_EQ(state.peek(a, 2), 0u);
    AccountEntry& made = state.account(kB);
    view.set_storage(kB, 1, 5);
    state.create_contract(made);
    EXPECT_EQ(state.peek(made, 1), 0u) << "it did not exist";
    AccessRecord record;
    StateDiff diff;
    state.finish(diff, &record);

    EXPECT_EQ(record.slots.size(), 1u);
}

TEST_F(TransactionStates, slots_of_different_accounts_do_not_mix) {
    view.set_storage(kA, 1, 11);
    view.set_storage(kB, 1, 22);
    begin();
    for (const auto& [address, value] : {std::pair{kA, 11u}, std::pair{kB, 22u}}) {
        AccountEntry& account = state.account(address);
        SlotEntry& slot = state.slot_entry(account, 1);
        state.ensure_loaded(account, slot);
        EXPECT_EQ(slot.current, value);
    }
}

}  // namespace
}  // namespace heddle::vm::test
