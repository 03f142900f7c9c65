// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark/compare.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program/error.hpp"
#include "reports.hpp"

namespace heddle::node::benchmark {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const CompareOptions kTimes{"a.json", "b.json", false};
const CompareOptions kRatios{"a.json", "b.json", true};

std::vector<double> scaled(std::vector<double> values, double factor) {
    for (double& value : values)
        value *= factor;
    return values;
}

/// The report with all times of one contender so many times as long.
BenchReport with_times(BenchReport report, std::size_t cell, double factor) {
    std::vector<double>& samples = report.subjects[0].cells[cell].samples_ms;
    samples = scaled(samples, factor);
    return report;
}

std::string refusal(const BenchReport& before, const BenchReport& after,
                    const CompareOptions& options = kTimes) {
    try {
        static_cast<void>(compare(before, after, options));
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(Compare, finds_nothing_between_a_report_and_itself) {
    const ComparisonResult result = compare(make_open_report(), make_open_report(), kTimes);

    ASSERT_EQ(result.comparisons.size(), 4U);  // the twin has no row
    for (const Comparison& row : result.comparisons)
        EXPECT_EQ(row.verdict, Verdict::same) << row.cell;
    EXPECT_FALSE(result.has_slower());
}

TEST(Compare, tells_what_got_slower_and_what_got_faster) {
    const BenchReport slower = with_times(make_report(), 1, 1.1);

    const ComparisonResult result = compare(make_report(), slower, kTimes);
    const ComparisonResult back = compare(slower, make_report(), kTimes);

    ASSERT_EQ(result.comparisons.size(), 2U);
    EXPECT_EQ(result.comparisons[0].verdict, Verdict::same);
    EXPECT_EQ(result.comparisons[1].verdict, Verdict::slower);
    EXPECT_NEAR(result.comparisons[1].change, 0.1, 1e-9);
    EXPECT_TRUE(result.has_slower());
    EXPECT_EQ(back.comparisons[1].verdict, Verdict::faster);
    EXPECT_FALSE(back.has_slower());
    EXPECT_THAT(to_text(result), HasSubstr("SLOWER"));
    EXPECT_THAT(to_text(result), HasSubstr("1 slower, 0 faster, 1 the same"));
}

TEST(Compare, takes_for_noise_what_is_below_one_percent) {
    EXPECT_FALSE(compare(make_report(), with_times(make_report(), 1, 1.009), kTimes).has_slower());
    EXPECT_TRUE(compare(make_report(), with_times(make_report(), 1, 1.011), kTimes).has_slower());
}

TEST(Compare, takes_for_noise_what_the_twins_of_either_report_differ_by) {
    BenchReport noisy = with_times(make_report(), 1, 1.1);
    noisy.subjects[0].noise = 0.12;

    EXPECT_FALSE(compare(make_report(), noisy, kTimes).has_slower());
    EXPECT_FALSE(compare(noisy, with_times(make_report(), 1, 1.2), kTimes).has_slower());
}

TEST(Compare, takes_for_noise_what_repetitions_scatter_by) {
    BenchReport before = make_report();
    BenchReport after = make_report();
    before.subjects[0].cells[1].samples_ms = {4, 4.5, 5, 5.5, 6};
    after.subjects[0].cells[1].samples_ms = {5, 5.5, 6, 6.5, 7};

    EXPECT_FALSE(compare(before, after, kTimes).has_slower());
}

TEST(Compare, compares_reports_whose_noise_is_unknown_by_their_scatter) {
    BenchReport before = make_report();
    before.subjects[0].noise = std::numeric_limits<double>::infinity();

    EXPECT_TRUE(compare(before, with_times(make_report(), 1, 1.1), kTimes).has_slower());
}

TEST(Compare, compares_tail_latencies_of_open_loops) {
    BenchReport after = make_open_report();
    after.subjects[0].cells[4].transaction_latency.p99 = 331;

    const ComparisonResult result = compare(make_open_report(), after, kTimes);

    EXPECT_EQ(result.comparisons[2].verdict, Verdict::same);
    EXPECT_EQ(result.comparisons[3].verdict, Verdict::slower);
}

TEST(Compare, finds_an_open_loop_by_its_share_though_its_rate_has_changed) {
    BenchReport after = make_open_report();
    after.subjects[0].cells[3].offered_tps = 150'000;

    const ComparisonResult result = compare(make_open_report(), after, kTimes);

    EXPECT_EQ(result.comparisons.size(), 4U);
    EXPECT_TRUE(result.only_before.empty());
}

TEST(Compare, of_ratios_does_not_see_a_machine_that_is_slower_as_a_whole) {
    BenchReport after = make_report();
    after.machine.processor = "Another processor";
    for (Cell& cell : after.subjects[0].cells)
        cell.samples_ms = scaled(cell.samples_ms, 3);
    const BenchReport worse = with_times(after, 1, 1.1);

    EXPECT_FALSE(compare(make_report(), after, kRatios).has_slower());
    EXPECT_TRUE(compare(make_report(), worse, kRatios).has_slower());
}

TEST(Compare, of_ratios_takes_latencies_over_the_first_contender_under_the_same_load) {
    BenchReport after = make_open_report();
    after.machine.processor = "Another processor";
    for (Cell& cell : after.subjects[0].cells)
        cell.transaction_latency.p99 *= 5;
    BenchReport worse = after;
    worse.subjects[0].cells[4].transaction_latency.p99 *= 1.5;

    EXPECT_EQ(compare(make_open_report(), after, kRatios).comparisons.size(), 2U);
    EXPECT_FALSE(compare(make_open_report(), after, kRatios).has_slower());
    EXPECT_TRUE(compare(make_open_report(), worse, kRatios).has_slower());
}

TEST(Compare, refuses_times_of_different_machines) {
    BenchReport after = make_report();
    after.machine.processor = "Another processor";

    EXPECT_THAT(refusal(make_report(), after),
                testing::AllOf(HasSubstr("different processors"), HasSubstr("--relative")));
}

TEST(Compare, refuses_cold_runs_against_warm_ones) {
    BenchReport after = make_report();
    after.is_cold = true;

    EXPECT_THAT(refusal(make_report(), after), HasSubstr("different ways: warm, pinned and cold"));
    EXPECT_THAT(refusal(make_report(), after, kRatios), HasSubstr("different ways"));
}

TEST(Compare, refuses_subjects_of_one_name_with_different_blocks) {
    BenchReport after = make_report();
    after.subjects[0].digest = "0xfedcba9876543210";

    EXPECT_THAT(refusal(make_report(), after),
                HasSubstr("a.json and b.json: erc20 is not the same blocks"));
}

TEST(Compare, refuses_reports_that_have_nothing_in_common) {
    BenchReport after = make_report();
    after.subjects[0].name = "amm";

    EXPECT_THAT(refusal(make_report(), after), HasSubstr("nothing was measured in both"));
}

TEST(Compare, names_what_only_one_report_has) {
    BenchReport before = make_report();
    before.subjects[0].cells[1].scheduler = "aria";

    const ComparisonResult result = compare(before, make_report(), kTimes);

    EXPECT_THAT(result.only_before, ElementsAre("erc20: aria, 2 workers, declared"));
    EXPECT_THAT(result.only_after, ElementsAre("erc20: dag, 2 workers, declared"));
    EXPECT_THAT(to_text(result), HasSubstr("only in the first: erc20: aria"));
}

}  // namespace
}  // namespace heddle::node::benchmark
