// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "stream/indexer.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace heddle::executor
