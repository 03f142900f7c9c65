// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "state/attempt.hpp"

#include <gtest/gtest.h>

namespace heddle::executor {
namespace {

TEST(Attempt, keeps_the_buffers_that_most_transactions_need) {
    Attempt attempt;
    attempt.accounts.resize(10);
    attempt.slots.resize(100);
    const SlotRead* const buffer = attempt.slots.data();
    attempt.trim();
    EXPECT_EQ(attempt.slots.data(), buffer);
}

TEST(Attempt, gives_back_the_buffers_that_few_need) {
    const auto is_given_back = [](auto grow) {
        Attempt attempt;
        attempt.accounts.resize(10);
        grow(attempt);
        attempt.trim();
        return attempt.accounts.capacity() == 0 && attempt.outcome.diff.accounts.capacity() == 0;
    };
    EXPECT_FALSE(is_given_back([](Attempt&) {}));
    EXPECT_TRUE(is_given_back([](Attempt& a) { a.accounts.resize(10'000); }));
    EXPECT_TRUE(is_given_back([](Attempt& a) { a.slots.resize(10'000); }));
    EXPECT_TRUE(is_given_back([](Attempt& a) { a.changed_slots.resize(10'000); }));
    EXPECT_TRUE(is_given_back([](Attempt& a) { a.outcome.output.resize(1'000'000); }));
    EXPECT_TRUE(is_given_back([](Attempt& a) { a.outcome.receipt.logs.resize(1'000); }));
}

TEST(Attempt, keeps_neither_logs_nor_code) {
    Attempt attempt;
    attempt.outcome.receipt.logs.resize(1);
    attempt.outcome.diff.codes.resize(1);
    attempt.trim();
    EXPECT_TRUE(attempt.outcome.receipt.logs.empty());
    EXPECT_TRUE(attempt.outcome.diff.codes.empty());
}

}  // namespace
}  // namespace heddle::executor
