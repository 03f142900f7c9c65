// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "load/statistics.hpp"

#include <gtest/gtest.h>

namespace heddle::node::load {
namespace {

TEST(Percentiles, are_values_that_were_given) {
    std::vector<double> values;
    for (int i = 200; i >= 1; --i)
        values.push_back(i);

    const Percentiles result = percentiles(values);

    EXPECT_EQ(result.p50, 100);
    EXPECT_EQ(result.p90, 180);
    EXPECT_EQ(result.p99, 198);
    EXPECT_EQ(result.max, 200);
}

TEST(Percentiles, of_one_value_are_that_value) {
    const Percentiles result = percentiles({7});

    EXPECT_EQ(result.p50, 7);
    EXPECT_EQ(result.p99, 7);
    EXPECT_EQ(result.max, 7);
}

TEST(Percentiles, of_nothing_are_zero) {
    EXPECT_EQ(percentiles({}).max, 0);
}

}  // namespace
}  // namespace heddle::node::load
