// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The synthetic executors of the latency benchmark do what their curves are labelled with.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <measure/arrivals.hpp>
#include <measure/statistics.hpp>

#include "access_stream.hpp"
#include "streaming_core.hpp"
#include "synthetic_job.hpp"

namespace heddle::bench {
namespace {

using measure::median;
using measure::percentile;
using measure::poisson_arrivals;

constexpr std::size_t kObjects = 500;
constexpr std::size_t kCount = 2'000;

struct Given {
    AccessStream stream{{kObjects, 5, 2, 8, 10, 7}, kCount};
    Spin spin;
    SyntheticJob job{stream, spin, kObjects, 5, 200};
};
class Core : public testing::TestWithParam<std::size_t>, public Given {};
class Barrier : public testing::TestWithParam<std::size_t>, public Given {};
class Locks : public testing::Test, public Given {};

TEST_P(Core, runs_conflicting_transactions_in_stream_order_and_commits_in_it) {
    job.arrivals = poisson_arrivals(kCount, 1e6, 3);

    const SyntheticTimes times = StreamingCore(job, {3, true, GetParam()}).run();

    std::vector<std::uint64_t> last_completed(kObjects);
    for (std::size_t i = 0; i < kCount; ++i) {
        EXPECT_GE(times.dispatched[i], job.arrivals[i]);
        EXPECT_GE(times.committed[i], times.completed[i]);
        for (const std::uint32_t object : stream[i]) {
            EXPECT_GE(times.started[i], last_completed[object]);
            last_completed[object] = times.completed[i];
        }
    }
    EXPECT_TRUE(std::ranges::is_sorted(times.committed));
}

TEST_P(Barrier, separates_each_batch_from_the_next) {
    const std::size_t batch = GetParam();

    const SyntheticTimes times = StreamingCore(job, {2, true, batch}).run();

    for (std::size_t first = batch; first < kCount; first += batch) {
        const auto middle = times.completed.begin() + static_cast<std::ptrdiff_t>(first);
        EXPECT_GE(*std::min_element(times.started.begin() + static_cast<std::ptrdiff_t>(first),
                                    times.started.end()),
                  *std::max_element(times.completed.begin(), middle));
    }
}

std::string batch_name(const testing::TestParamInfo<std::size_t>& info) {
    return "batch_" + std::to_string(info.param);
}
INSTANTIATE_TEST_SUITE_P(ByBatch, Core, testing::Values(0, 50, 400), batch_name);
INSTANTIATE_TEST_SUITE_P(ByBatch, Barrier, testing::Values(50, 400), batch_name);

TEST_F(Locks, never_let_two_transactions_with_a_common_object_run_at_once) {
    const SyntheticTimes times = LockingCore(job, {3, true, 0}).run();

    std::vector<std::vector<std::size_t>> users(kObjects);
    for (std::size_t i = 0; i < kCount; ++i)
        for (const std::uint32_t object : stream[i])
            users[object].push_back(i);
    for (auto& list : users) {
        std::ranges::sort(list, {}, [&](std::size_t i) { return times.started[i]; });
        for (std::size_t k = 1; k < list.size(); ++k)
            EXPECT_GE(times.started[list[k]], times.completed[list[k - 1]]);
    }
}

TEST(Statistics, take_the_smallest_value_that_so_many_do_not_exceed) {
    std::vector<int> values = {10, 9, 8, 7, 6, 5, 4, 3, 2, 1};

    EXPECT_EQ(percentile(std::span(values), 0.5), 5);
    EXPECT_EQ(percentile(std::span(values), 0.99), 10);
    EXPECT_EQ(percentile(std::span(values), 0.0), 1);
    EXPECT_EQ(median({3, 1, 2}), 2);
    EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
}

}  // namespace
}  // namespace heddle::bench
