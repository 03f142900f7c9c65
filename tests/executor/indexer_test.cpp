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
        state_.attach(base_);
        tx_.sender = address_from_low64(1);
        tx_.to = address_from_low64(2);
        task_.begin(TaskKind::transaction, 1, &block_);
        task_.tx = &tx_;
    }
    void index(ObjectSet set) {
        task_.declared = std::move(set);
        indexer_.index(task_);
        EXPECT_TRUE(task_.has_whole_set);
    }
    static Access balance(std::uint64_t account, AccessMode mode) {
        return {{address_from_low64(account), ObjectKind::balance, {}}, mode};
    }

    const test::FakeState base_;
    VersionedState state_;
    const ParallelOptions options_;
    Indexer indexer_{options_, state_};
    Transaction tx_;
    BlockRun block_;
    Task task_;
};

TEST_F(DeclaredSet, may_leave_out_sender_and_recipient_and_they_are_known_all_the_same) {
    index(ObjectSet{{balance(3, AccessMode::read)}});
    EXPECT_EQ(task_.sender, &state_.account(*tx_.sender));
    EXPECT_EQ(task_.recipient, &state_.account(*tx_.to));
    EXPECT_EQ(task_.requests.size(), 3U);
}

TEST_F(DeclaredSet, gets_nothing_added_where_it_names_both) {
    index(ObjectSet{{balance(1, AccessMode::debit), balance(2, AccessMode::add)}});
    EXPECT_EQ(task_.requests.size(), 2U);
}

}  // namespace
}  // namespace heddle::executor
