// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "state/attempt.hpp"

#include <algorithm>
#include <vector>

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
    EXPECT_TRUE(is_given_back([](Attempt& a) { a.outcome.accesses.fresh_slots.resize(10'000); }));
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

TEST(Attempt, does_not_hold_what_was_returned_until_its_turn) {
    Attempt attempt;
    attempt.outcome.output.resize(50'000);
    attempt.drop_output();
    EXPECT_EQ(attempt.outcome.output.capacity(), 0u);

    attempt.outcome.output.resize(32);
    attempt.drop_output();
    EXPECT_TRUE(attempt.outcome.output.empty());
    EXPECT_GE(attempt.outcome.output.capacity(), 32u) << "as most transactions return a word";
}

/// As if a whole window had been in flight, of which each attempt is used for something large once.
TEST(Attempt, counts_what_it_holds_of_changed_storage) {
    Attempt attempt;
    attempt.outcome.diff.accounts.resize(1);
    const std::size_t bytes = attempt.kept_bytes();
    attempt.outcome.diff.accounts.front().storage.resize(100);
    EXPECT_EQ(attempt.kept_bytes(), bytes + 100 * sizeof(StorageChange));
}

TEST(AttemptPool, keeps_no_more_than_it_may_however_many_were_in_use_at_once) {
    constexpr std::size_t kInUse = 16'384;
    AttemptPool pool;
    std::vector<Attempt*> attempts;
    while (attempts.size() < kInUse)
        pool.take(attempts);
    EXPECT_EQ(pool.size(), kInUse);
    EXPECT_EQ(pool.kept_bytes(), 0u);
    for (Attempt* const attempt : attempts) {
        attempt->slots.resize(200);
        attempt->outcome.diff.accounts.resize(1);
        attempt->outcome.diff.accounts.front().storage.resize(100);
        attempt->trim();
    }
    ASSERT_GT(kInUse * attempts.front()->kept_bytes(), 2 * AttemptPool::kMaxKeptBytes);

    while (!attempts.empty())
        pool.give_back(attempts);

    EXPECT_LE(pool.kept_bytes(), AttemptPool::kMaxKeptBytes);
    EXPECT_GT(pool.kept_bytes(), AttemptPool::kMaxKeptBytes / 2);
    EXPECT_LT(pool.size(), kInUse / 2);
    // What is left goes on to be used, and counts as it is.
    for (std::size_t i = 0; i < kInUse / AttemptPool::kBatch; ++i)
        pool.take(attempts);
    EXPECT_EQ(pool.size(), kInUse);
    EXPECT_EQ(pool.kept_bytes(), 0u);
    std::ranges::sort(attempts);
    EXPECT_EQ(std::ranges::adjacent_find(attempts), attempts.end());
}

TEST(AttemptPool, keeps_less_where_fewer_may_be_in_flight) {
    constexpr std::size_t kWindow = 1'024;
    AttemptPool pool(kWindow);
    std::vector<Attempt*> attempts;
    while (attempts.size() < kWindow)
        pool.take(attempts);
    for (Attempt* const attempt : attempts)
        attempt->slots.resize(500);

    while (!attempts.empty())
        pool.give_back(attempts);

    EXPECT_LE(pool.kept_bytes(), kWindow * AttemptPool::kKeptBytesInFlight);
    EXPECT_GT(pool.kept_bytes(), 0u);
}

TEST(AttemptPool, keeps_a_window_full_of_what_most_transactions_need) {
    Attempt attempt;
    attempt.accounts.resize(4);
    attempt.outcome.diff.accounts.resize(2);
    attempt.outcome.accesses.accounts.resize(4);
    attempt.outcome.accesses.changed_accounts.resize(2);
    EXPECT_LE(16'384 * attempt.kept_bytes(), AttemptPool::kMaxKeptBytes);
}

}  // namespace
}  // namespace heddle::executor
