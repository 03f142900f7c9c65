// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Attempts looked at ahead of their turn: what overtakes them, what becomes of those that are taken
// back, and what they cost.
#include "stream/recall.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include <vm/validate.hpp>

#include "fakes.hpp"
#include "state/committed_state.hpp"
#include "state/early_check.hpp"
#include "state/estimates.hpp"
#include "stream/speculation.hpp"
#include "stream/window.hpp"

namespace heddle::executor {
namespace {

using vm::FieldAccess;

constexpr std::uint64_t kPosition = 5;
constexpr std::uint64_t kGas = 40'000;
const Address kAlice = address_from_low64(0xa);  // the sender
const Address kBob = address_from_low64(0xb);
const Uint256 kSlot{1};

/// What is going to be replaced is the test's to say.
class FakeEstimates final : public Estimates {
public:
    Stamp stamp = 0;
    [[nodiscard]] bool is_estimate(Stamp asked) const noexcept override {
        return stamp != 0 && asked == stamp;
    }
};

/// An attempt that has read Bob's slot and account and writes the slot.
class RecallTest : public testing::Test {
protected:
    test::FakeState base_;
    VersionedState state_;
    Window window_{8};
    Speculation speculation_{1};
    AttemptPool attempts_;
    std::vector<std::unique_ptr<Worker>> workers_;
    Recall recall_{{window_, state_, speculation_, attempts_, workers_}};
    FakeEstimates estimates_;
    Transaction tx_;
    Task task_;

    void SetUp() override {
        workers_.push_back(std::make_unique<Worker>(0, vm::EvmOptions{}));
        state_.attach(base_);
        tx_.sender = kAlice;
        task_.position = kPosition;
        task_.tx = &tx_;
        window_.set_dispatched(kPosition + 1, false);
        attempt();
    }
    Worker& worker() { return *workers_[0]; }
    [[nodiscard]] AccountCell& bob() { return state_.account(kBob); }
    [[nodiscard]] SlotCell& slot() { return state_.slot(bob(), kSlot); }
    [[nodiscard]] static Stamp limit() { return make_stamp(kPosition, 0); }

    /// The task's next attempt runs to its end, and is published and handed over.
    void attempt() {
        Attempt& made = worker().take_attempt(attempts_);
        made.accounts = {{&bob(), state_.read(bob(), limit()).stamps}};
        made.slots = {{&slot(), state_.read(slot(), limit()).stamp}};
        made.outcome.accesses.accounts.assign(1, {});
        made.outcome.accesses.changed_accounts.assign(1, 0);
        made.outcome.accesses.changed_slots.assign(1, 0);
        made.outcome.diff.accounts.assign(1, {});
        made.outcome.diff.accounts[0].account.emplace();
        made.outcome.diff.accounts[0].storage = {{kSlot, Uint256{7}}};
        made.outcome.executed_gas = kGas;
        publish(state_, made, task_.stamp());
        if (task_.attempt != nullptr) recall_.withdraw_estimates(worker(), task_, &made);
        task_.attempt = &made;
        task_.state.store(TaskState::attempted);
    }
    /// Another position has written the slot before.
    void overtake() { VersionedState::publish(slot(), {make_stamp(kPosition - 1, 0), Uint256{3}}); }
    [[nodiscard]] AccountCell* overtaken() {
        return overtaken_ahead(state_, *task_.attempt, tx_, limit(), estimates_);
    }
    bool check() { return recall_.check(0, task_, estimates_); }
};

TEST_F(RecallTest, an_attempt_whose_values_are_the_newest_holds) {
    EXPECT_EQ(overtaken(), nullptr);
    EXPECT_FALSE(check());
    EXPECT_EQ(task_.state.load(), TaskState::attempted);
    EXPECT_EQ(worker().checked.get(), 1u);
}

TEST_F(RecallTest, a_newer_value_of_a_slot_overtakes) {
    overtake();
    EXPECT_EQ(overtaken(), &bob());
}

TEST_F(RecallTest, a_value_that_is_going_to_be_replaced_overtakes_whoever_has_read_it) {
    overtake();
    task_.attempt->slots[0].stamp = make_stamp(kPosition - 1, 0);
    EXPECT_EQ(overtaken(), nullptr);
    estimates_.stamp = make_stamp(kPosition - 1, 0);
    EXPECT_EQ(overtaken(), &bob());
}

TEST_F(RecallTest, of_accounts_only_what_it_depends_on_overtakes) {
    AccountVersion version;
    version.stamp = make_stamp(kPosition - 1, 0);
    version.exists = true;
    version.sets_balance = true;
    version.sets_nonce = true;
    VersionedState::publish(bob(), version);
    vm::AccountAccess& access = task_.attempt->outcome.accesses.accounts[0];
    access.balance = FieldAccess::debit;
    EXPECT_EQ(overtaken(), nullptr);
    access.balance = FieldAccess::read;
    EXPECT_EQ(overtaken(), &bob());
    access.balance = FieldAccess::none;
    access.nonce = FieldAccess::read;
    EXPECT_EQ(overtaken(), &bob());
    tx_.sender = kBob;
    EXPECT_EQ(overtaken(), nullptr) << "the sender's nonce is the transaction's";
}

TEST_F(RecallTest, code_and_a_cleared_storage_overtake_whoever_depends_on_them) {
    AccountVersion version;
    version.stamp = make_stamp(kPosition - 1, 0);
    version.exists = true;
    version.sets_code = true;
    version.clears_storage = true;
    VersionedState::publish(bob(), version);
    task_.attempt->slots.clear();
    vm::AccountAccess& access = task_.attempt->outcome.accesses.accounts[0];
    EXPECT_EQ(overtaken(), &bob()) << "code is read of every account that is";
    access.code = FieldAccess::none;
    EXPECT_EQ(overtaken(), nullptr);
    access.storage_all = FieldAccess::read;
    EXPECT_EQ(overtaken(), &bob());
}

TEST_F(RecallTest, one_that_is_taken_back_leaves_its_values_until_the_next_has_ended) {
    overtake();
    ASSERT_TRUE(check());
    EXPECT_EQ(task_.state.load(), TaskState::waiting);
    EXPECT_EQ(task_.withdrawn, 1u);
    const Stamp after = make_stamp(kPosition + 1, 0);
    EXPECT_EQ(state_.read(slot(), after).stamp, make_stamp(kPosition, 0));

    attempt();
    EXPECT_EQ(state_.read(slot(), after).stamp, make_stamp(kPosition, 1));
    VersionedState::withdraw(slot(), make_stamp(kPosition, 1));
    EXPECT_EQ(state_.read(slot(), after).stamp, make_stamp(kPosition - 1, 0)) << "the old one left";
}

/// All up to the last one dispatched may have found the code's hash meanwhile.
TEST_F(RecallTest, code_of_one_that_is_taken_back_stays_for_those_that_may_know_of_it) {
    const Bytes code{0x60, 0x00};
    const Hash hash = keccak256(code);
    task_.attempt->outcome.diff.codes.push_back({hash, code});
    state_.publish_code(hash, code);
    window_.set_dispatched(kPosition + 3, false);
    overtake();
    ASSERT_TRUE(check());

    attempt();

    state_.free_withdrawn_code(kPosition + 2);
    EXPECT_NE(state_.code_bytes(), 0u) << "the last one has not been committed";
    state_.free_withdrawn_code(kPosition + 3);
    EXPECT_EQ(state_.code_bytes(), 0u);
}

TEST_F(RecallTest, places_that_were_written_before_are_no_new_ones) {
    overtake();
    ASSERT_TRUE(check());
    attempt();
    EXPECT_FALSE(task_.has_new_places);
    overtake();
    task_.attempt->slots[0].stamp = 0;
    ASSERT_TRUE(check());
    task_.attempt->changed_slots.clear();
    attempt();
    EXPECT_TRUE(task_.has_new_places);
}

/// Who has read a balance that was only moved has read none of the attempt's.
TEST_F(RecallTest, whatever_is_written_otherwise_is_a_new_place) {
    const Attempt& before = *task_.attempt;
    const auto writes_same = [&](const std::function<void(Attempt&)>& change) {
        Attempt now = before;
        change(now);
        return writes_same_places(before, now);
    };
    EXPECT_TRUE(writes_same([](Attempt&) {}));
    const auto access = [](Attempt& now) -> vm::AccountAccess& {
        return now.outcome.accesses.accounts[0];
    };
    const auto account = [](Attempt& now) -> AccountChange& {
        return now.outcome.diff.accounts[0];
    };
    EXPECT_FALSE(writes_same([&](Attempt& now) { access(now).balance = FieldAccess::write; }));
    EXPECT_FALSE(writes_same([&](Attempt& now) { access(now).nonce = FieldAccess::write; }));
    EXPECT_FALSE(writes_same([&](Attempt& now) { access(now).code = FieldAccess::write; }));
    EXPECT_FALSE(writes_same([&](Attempt& now) { account(now).account.reset(); }));
    EXPECT_FALSE(writes_same([&](Attempt& now) { account(now).storage_cleared = true; }));
    EXPECT_FALSE(
        writes_same([&](Attempt& now) { now.accounts[0].cell = &state_.account(kAlice); }));
    EXPECT_FALSE(writes_same([](Attempt& now) { now.changed_slots.clear(); }));
}

TEST_F(RecallTest, who_is_not_settled_is_left_alone) {
    overtake();
    for (const TaskState state : {TaskState::waiting, TaskState::checked, TaskState::in_order,
                                  TaskState::unattempted, TaskState::closing}) {
        task_.state.store(state);
        EXPECT_FALSE(check());
        EXPECT_EQ(task_.state.load(), state);
    }
}

/// One that has read much has had much looked at each time.
TEST_F(RecallTest, all_looks_take_no_more_gas_than_the_attempt_took) {
    task_.attempt->slots.resize(400, task_.attempt->slots[0]);
    unsigned looks = 0;
    for (; looks < 1'000; ++looks) {
        const std::uint64_t before = worker().checked.get();
        ASSERT_FALSE(check());
        ASSERT_EQ(task_.state.load(), TaskState::attempted);
        if (worker().checked.get() == before) break;
    }
    EXPECT_EQ(looks, 1u);  // of 402 objects, by 52,000 gas
    overtake();
    EXPECT_FALSE(check()) << "what is left is found at its turn";
}

/// From Amsterdam on that is 12,000 gas where there were 21,000 (EIP-2780).
TEST_F(RecallTest,
       all_looks_at_one_that_does_nothing_take_no_more_than_the_least_transaction_pays) {
    task_.attempt->outcome.executed_gas = 0;
    for (unsigned looks = 0; looks < 1'000; ++looks)
        ASSERT_FALSE(check());
    constexpr std::uint64_t kObjects = 2;
    const std::uint64_t taken = worker().checked.get() * Recall::kLookGas * (1 + kObjects);
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (std::size_t i = 0; i < kRevisionCount; ++i)
        least = std::min(least, vm::intrinsic_costs(static_cast<Revision>(i)).transaction);
    EXPECT_LE(taken, least);
    EXPECT_GT(taken, least - least / 10);
}

TEST_F(RecallTest, one_that_has_read_little_is_looked_at_often) {
    for (unsigned looks = 0; looks < 170; ++looks)
        ASSERT_FALSE(check());
    EXPECT_EQ(worker().checked.get(), 170u);
}

TEST_F(RecallTest, another_attempt_is_drawn_for_and_what_was_lost_is_settled_at_the_end) {
    task_.drawn_gas = 30'000;
    overtake();
    ASSERT_TRUE(check());
    EXPECT_EQ(task_.drawn_gas, Speculation::kFreeGas);
    EXPECT_EQ(task_.forfeited_gas, 30'000);
    EXPECT_EQ(task_.lost_gas, kGas);
    EXPECT_EQ(worker().wasted_gas.get(), kGas);
    speculation_.forfeit(task_);
    speculation_.forfeit(task_);
    EXPECT_EQ(speculation_.budget().owed(), 30'000) << "once";
}

TEST_F(RecallTest, without_budget_an_attempt_stays_until_its_turn) {
    ASSERT_TRUE(speculation_.budget().draw(speculation_.budget().limit()));
    overtake();
    EXPECT_FALSE(check());
    EXPECT_EQ(task_.state.load(), TaskState::attempted);
    EXPECT_NE(task_.attempt, nullptr);
    EXPECT_EQ(task_.withdrawn, 0u);
}

TEST_F(RecallTest, no_more_attempts_are_made_than_may_be) {
    unsigned taken_back = 0;
    for (; taken_back < 2 * kMaxAttempts; ++taken_back) {
        task_.attempt->slots[0].stamp = make_stamp(1, 0);  // whatever it saw is not there
        if (!check()) break;
        attempt();
    }
    EXPECT_EQ(taken_back, kMaxAttempts - 1);
}

}  // namespace
}  // namespace heddle::executor
