// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "values/learned_costs.hpp"

#include <gtest/gtest.h>

namespace heddle::executor {
namespace {

Transaction call_of(std::uint64_t contract, const Bytes& data) {
    Transaction tx;
    tx.to = address_from_low64(contract);
    tx.data = data;
    tx.gas_limit = 1'000'000;
    return tx;
}

const Transaction kSwap = call_of(1, {1, 2, 3, 4, 5});

TEST(LearnedCosts, are_the_limit_where_nothing_of_the_kind_was_seen) {
    EXPECT_EQ(LearnedCosts{}.estimate(kSwap), 1'000'000u);
}

TEST(LearnedCosts, are_what_calls_of_the_same_function_have_cost) {
    LearnedCosts costs;
    costs.learn(kSwap, 80'000);

    EXPECT_EQ(costs.estimate(call_of(1, {1, 2, 3, 4, 9, 9})), 80'000u);
    EXPECT_EQ(costs.estimate(call_of(1, {1, 2, 3, 5})), 1'000'000u);
    EXPECT_EQ(costs.estimate(call_of(2, {1, 2, 3, 4})), 1'000'000u);
    EXPECT_EQ(costs.estimate(call_of(1, {})), 1'000'000u);
}

TEST(LearnedCosts, follow_what_changes_and_never_exceed_the_limit) {
    LearnedCosts costs;
    costs.learn(kSwap, 80'000);
    for (int i = 0; i < 60; ++i)
        costs.learn(kSwap, 400'000);
    EXPECT_NEAR(static_cast<double>(costs.estimate(kSwap)), 400'000.0, 4'000.0);

    Transaction cheap = kSwap;
    cheap.gas_limit = 50'000;
    EXPECT_EQ(costs.estimate(cheap), 50'000u);
}

}  // namespace
}  // namespace heddle::executor
