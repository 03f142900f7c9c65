// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "stream/indexer.hpp"

#include <utility>

#include <gtest/gtest.h>

#include "fakes.hpp"
#include "stream/block_run.hpp"

namespace heddle::executor {
namespace {

TEST(Indexer, lets_a_transaction_come_behind_others_that_name_the_same_restless_account) {
    AccountCell restless;
    restless.number = 7;
    restless.unrest.store(kRestless);
    AccountCell calm;
    calm.number = 9;
    calm.unrest.store(kRestless - 1);

    Task task;
    task.sender = &calm;
    task.recipient = &restless;
    Indexer::add_restless(task);
    ASSERT_EQ(task.requests.size(), 1U);
    EXPECT_EQ(task.requests[0].account, &restless);
    EXPECT_EQ(task.requests[0].kind, ObjectKind::storage_all);
    EXPECT_EQ(task.requests[0].mode, AccessMode::write);
    EXPECT_EQ(task.requests[0].number / kKindsPerAccount, restless.number);
}

TEST(Indexer, adds_nothing_where_accounts_are_calm_or_not_known) {
    AccountCell calm;
    Task task;
    task.recipient = &calm;
    Indexer::add_restless(task);
    EXPECT_TRUE(task.requests.empty());
}

/// A transaction with a set that came with it.
class DeclaredSet : public testing::Test {
protected:
    DeclaredSet() {
        base_.is_at_hand = true;
        state_.attach(base_);
        tx_.sender = address_from_low64(1);
        tx_.to = address_from_low64(2);
        task_.begin(TaskKind::transaction, 1, &block_);
        task_.tx = &tx_;
    }
    void index(ObjectSet set, bool uses_all_sets = true) {
        Indexer indexer{options_, uses_all_sets, state_, speculation_, credit_};
        task_.declared = std::move(set);
        indexer.index(task_);
        EXPECT_FALSE(task_.declared.has_value());
    }
    /// Whether the set is used where that is decided by what attempts have come to.
    bool is_used() {
        index(ObjectSet{{balance(3, AccessMode::read)}}, false);
        return task_.has_whole_set;
    }
    /// A change of the account has overtaken so many attempts of others.
    void lose(AccountCell& account, int times) {
        for (int i = 0; i < times; ++i) {
            Task other;
            other.position = ++lost_;
            speculation_.lost(other, &account);
            speculation_.committed(other, 0, 0);
        }
    }
    static Access balance(std::uint64_t account, AccessMode mode) {
        return {{address_from_low64(account), ObjectKind::balance, {}}, mode};
    }

    test::FakeState base_;  // in memory
    const test::FakeState far_;
    VersionedState state_;
    const ParallelOptions options_;
    Speculation speculation_{2};
    SetCredit credit_;
    std::uint64_t lost_ = 0;
    Transaction tx_;
    BlockRun block_;
    Task task_;
};

TEST_F(DeclaredSet, may_leave_out_sender_and_recipient_and_they_are_known_all_the_same) {
    index(ObjectSet{{balance(3, AccessMode::read)}});
    EXPECT_TRUE(task_.has_whole_set);
    EXPECT_EQ(task_.sender, &state_.account(*tx_.sender));
    EXPECT_EQ(task_.recipient, &state_.account(*tx_.to));
    EXPECT_EQ(task_.requests.size(), 3U);
}

TEST_F(DeclaredSet, gets_nothing_added_where_it_names_both) {
    index(ObjectSet{{balance(1, AccessMode::debit), balance(2, AccessMode::add)}});
    EXPECT_TRUE(task_.has_whole_set);
    EXPECT_EQ(task_.requests.size(), 2U);
}

TEST_F(DeclaredSet, is_not_used_while_attempts_hold_without_it) {
    EXPECT_FALSE(is_used());
    EXPECT_EQ(task_.sender, &state_.account(*tx_.sender));
    EXPECT_EQ(task_.recipient, &state_.account(*tx_.to));
    for (const ObjectRequest& request : task_.requests)
        EXPECT_TRUE(request.account == task_.sender || request.account == task_.recipient);
}

TEST_F(DeclaredSet, is_used_where_changes_of_the_recipient_overtake_many) {
    lose(state_.account(*tx_.to), 6);
    EXPECT_TRUE(is_used());
    EXPECT_EQ(task_.requests.size(), 3U) << "nothing stays of what is known without the set";
}

TEST_F(DeclaredSet, is_used_where_changes_of_the_sender_overtake_many) {
    lose(state_.account(*tx_.sender), 6);
    EXPECT_TRUE(is_used());
}

TEST_F(DeclaredSet, is_not_used_where_only_changes_of_others_do) {
    lose(state_.account(address_from_low64(9)), 6);
    EXPECT_FALSE(is_used());
}

TEST_F(DeclaredSet, is_used_where_the_recipient_leads_to_such_an_account) {
    state_.account(*tx_.to).leads_to_unrest.store(true);
    EXPECT_FALSE(is_used()) << "which is calm again";
    lose(state_.account(address_from_low64(9)), 6);
    EXPECT_TRUE(is_used());
}

TEST_F(DeclaredSet, is_used_where_many_are_overtaken_by_many_and_for_some_time_after_that) {
    for (std::uint64_t i = 0; i < 24; ++i)
        lose(state_.account(address_from_low64(100 + i)), 1);
    EXPECT_TRUE(is_used());
    Task calm;
    calm.position = lost_ + 100'000;
    speculation_.committed(calm, 0, 0);
    EXPECT_FALSE(is_used());
}

TEST_F(DeclaredSet, is_used_where_what_it_names_has_to_be_fetched) {
    state_.attach(far_);
    EXPECT_TRUE(is_used());
    EXPECT_EQ(far_.prefetched.size(), 1U);
}

TEST_F(DeclaredSet, is_believed_as_far_as_what_was_accessed_pays_for) {
    lose(state_.account(*tx_.to), 6);
    std::vector<Access> many;
    for (std::uint64_t i = 0; i < 1'000; ++i)
        many.push_back(balance(100 + i, AccessMode::read));
    const ObjectSet set{std::move(many)};
    index(set, false);
    EXPECT_TRUE(task_.has_whole_set);
    index(set, false);
    EXPECT_FALSE(task_.has_whole_set);
    EXPECT_LT(task_.requests.size(), 10u);
    credit_.pay(1'000);
    index(set, false);
    EXPECT_TRUE(task_.has_whole_set);
}

}  // namespace
}  // namespace heddle::executor
