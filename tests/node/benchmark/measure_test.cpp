// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gtest/gtest.h>

#include <measure/arrivals.hpp>
#include <measure/handover.hpp>
#include <measure/statistics.hpp>
#include <types/processors.hpp>

namespace heddle::measure {
namespace {

TEST(Median, is_the_middle_value_or_the_mean_of_both) {
    EXPECT_EQ(median({3, 1, 2}), 2);
    EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
    EXPECT_EQ(median({7}), 7);
}

TEST(Handover, takes_time_where_there_are_two_processors) {
    if (processor_count() < 2)
        EXPECT_EQ(handover_ns(), 0);
    else
        EXPECT_GT(handover_ns(), 0);
}

TEST(Percentile, is_a_value_that_was_given) {
    std::vector<double> values;
    for (int i = 1'000; i >= 1; --i)
        values.push_back(i);

    EXPECT_EQ(percentile(std::span(values), 0.5), 500);
    EXPECT_EQ(percentile(std::span(values), 0.99), 990);
    EXPECT_EQ(percentile(std::span(values), 0.999), 999);
    EXPECT_EQ(percentile(std::span(values), 1), 1'000);
    EXPECT_EQ(percentile(std::span(values), 0), 1);
}

// Distances from the median 10 are 2, 1, 0, 1, 2: their median is 1.
TEST(RelativeError, follows_from_the_median_distance_to_the_median) {
    EXPECT_NEAR(relative_error({8, 9, 10, 11, 12}), 1.2533 * 1.4826 / std::sqrt(5.0) / 10, 1e-12);
    EXPECT_EQ(relative_error({5, 5, 5}), 0);
}

TEST(RelativeError, is_not_moved_by_one_outlier) {
    EXPECT_EQ(relative_error({10, 10, 10, 10, 1'000}), 0);
}

TEST(RelativeError, is_infinite_where_nothing_can_be_said) {
    EXPECT_TRUE(std::isinf(relative_error({1, 2})));
    EXPECT_TRUE(std::isinf(relative_error({0, 0, 0})));
}

TEST(PairNoise, is_how_far_the_median_ratio_is_from_one) {
    EXPECT_NEAR(pair_noise({11, 11, 11}, {10, 10, 10}), 0.1, 1e-12);
    EXPECT_NEAR(pair_noise({9, 9, 9}, {10, 10, 10}), 0.1, 1e-12);
}

TEST(PairNoise, is_not_less_than_three_standard_errors) {
    const double noise = pair_noise({0.8, 0.9, 1, 1.1, 1.2}, {1, 1, 1, 1, 1});

    EXPECT_NEAR(noise, 3 * relative_error({0.8, 0.9, 1, 1.1, 1.2}), 1e-12);
    EXPECT_GT(noise, 0.2);
}

TEST(PairNoise, of_two_pairs_is_unknown) {
    EXPECT_TRUE(std::isinf(pair_noise({1, 1}, {1, 1})));
}

TEST(PoissonArrivals, are_the_same_for_the_same_seed_only) {
    EXPECT_EQ(poisson_arrivals(100, 1e6, 5), poisson_arrivals(100, 1e6, 5));
    EXPECT_NE(poisson_arrivals(100, 1e6, 5), poisson_arrivals(100, 1e6, 6));
}

TEST(PoissonArrivals, have_gaps_of_an_exponential_distribution) {
    constexpr std::size_t kCount = 100'000;
    const auto arrivals = poisson_arrivals(kCount, 1e6, 7);  // 1 µs apart on average
    std::size_t longer = 0;
    for (std::size_t i = 1; i < kCount; ++i) {
        ASSERT_GE(arrivals[i], arrivals[i - 1]);
        longer += arrivals[i] - arrivals[i - 1] > 1'000 ? 1u : 0u;
    }

    EXPECT_NEAR(static_cast<double>(arrivals.back()) / 1e3 / kCount, 1, 0.02);
    EXPECT_NEAR(static_cast<double>(longer) / kCount, std::exp(-1), 0.01);
}

}  // namespace
}  // namespace heddle::measure
