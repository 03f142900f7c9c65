// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark/matrix.hpp"

#include <algorithm>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benchmark/model.hpp"
#include "program/error.hpp"

namespace heddle::node::benchmark {
namespace {

using testing::Each;
using testing::Gt;
using testing::HasSubstr;
using testing::SizeIs;

Subject make(const char* scenario) {
    return make_subject(make_chain(*workload::parse_scenario(scenario),
                                   {.blocks = 3, .transactions = 20, .seed = 5}));
}

Plan make_test_plan(const char* loads = "") {
    BenchOptions options;
    options.schedulers = "serial,dag";
    options.loads = loads;
    return make_plan(options);
}

const MatrixSettings kFew{.repetitions = 3, .is_pinned = false};

TEST(BenchMatrix, measures_every_contender_as_often_and_the_first_one_twice) {
    const Subject subject = make("transfers");

    const SubjectResult result = run_matrix(subject, make_test_plan(), kFew, {});

    ASSERT_THAT(result.cells, SizeIs(3));
    for (const Cell& cell : result.cells) {
        EXPECT_THAT(cell.samples_ms, SizeIs(3));
        EXPECT_THAT(cell.samples_ms, Each(Gt(0)));
        EXPECT_THAT(cell.block_ms, SizeIs(3));
        EXPECT_GT(cell.cold_ms, 0);
        EXPECT_GT(cell.phases.execution, 0);
        EXPECT_FALSE(cell.is_open_loop());
    }
    EXPECT_FALSE(result.cells[0].is_twin);
    EXPECT_TRUE(result.cells[2].is_twin);
    EXPECT_EQ(result.cells[2].scheduler, "serial");
    EXPECT_TRUE(result.cells[0].counters.empty());
    EXPECT_FALSE(result.cells[1].counters.empty());
    EXPECT_GE(result.noise, 0);
    EXPECT_LE(result.handover.least_ns, result.handover.most_ns);
    EXPECT_EQ(result.transactions, 60U);
    EXPECT_THAT(result.blocks, testing::ElementsAre(1, 2, 3));
    EXPECT_EQ(result.digest, subject.digest);
}

TEST(BenchMatrix, counts_by_the_run_but_what_is_the_most_of_all_runs) {
    const Subject subject = make_subject(
        make_chain(*workload::parse_scenario("erc20"), {.blocks = 1, .transactions = 120}));

    const SubjectResult result =
        run_matrix(subject, make_test_plan(), {.repetitions = 150, .is_pinned = false}, {});

    const std::map<std::string, double> counters(result.cells[1].counters.begin(),
                                                 result.cells[1].counters.end());
    EXPECT_EQ(counters.at("dispatched"), 120);
    EXPECT_GE(counters.at("most in flight"), 1);
}

TEST(BenchMatrix, measures_latency_from_the_intended_arrival) {
    const SubjectResult result = run_matrix(make("erc20"), make_test_plan("0.5"), kFew, {});

    ASSERT_THAT(result.cells, SizeIs(6));
    const double tps = result.cells[3].offered_tps;
    EXPECT_NEAR(tps, 0.5 * 60 / result.baseline_ms() * 1e3, 1e-6 * tps);
    for (std::size_t i = 3; i < 6; ++i) {
        const Cell& cell = result.cells[i];
        EXPECT_EQ(cell.load_share, 0.5);
        EXPECT_EQ(cell.offered_tps, tps);
        const LatencyFigures& latency = cell.transaction_latency;
        EXPECT_GT(latency.p50, 0);
        EXPECT_LE(latency.p50, latency.p90);
        EXPECT_LE(latency.p90, latency.p99);
        EXPECT_LE(latency.p99, latency.p999);
        EXPECT_LE(latency.p999, latency.max);
        // A block's last transaction has waited less than those before it.
        EXPECT_LE(cell.block_latency.max, latency.max);
        // Nothing is accepted before it has arrived: a run takes as long as its arrivals do.
        EXPECT_GT(median_ms(cell), 0.3 * 60 / tps * 1e3);
    }
}

TEST(BenchMatrix, tells_how_far_it_has_come) {
    std::vector<double> fractions;

    static_cast<void>(
        run_matrix(make("transfers"), make_test_plan("0.9"), kFew,
                   [&](std::string_view, double done) { fractions.push_back(done); }));

    EXPECT_THAT(fractions, SizeIs(3 * (1 + 2 * 3)));
    EXPECT_TRUE(std::ranges::is_sorted(fractions));
    EXPECT_EQ(fractions.front(), 0);
    EXPECT_LT(fractions.back(), 1);
}

TEST(BenchMatrix, refuses_arrivals_for_blocks_that_do_not_follow_each_other) {
    Subject subject = make("transfers");
    subject.series.push_back(subject.series.front());

    try {
        static_cast<void>(run_matrix(subject, make_test_plan("0.5"), kFew, {}));
        FAIL();
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("--load and --rate need blocks that follow"));
    }
}

TEST(BenchMatrix, says_which_block_is_wrong) {
    Subject subject = make("transfers");
    subject.series.front().blocks[1].start.header.gas_used += 1;

    EXPECT_THROW(static_cast<void>(run_matrix(subject, make_test_plan(), kFew, {})), InputError);
}

TEST(Model, of_a_chain_gains_nothing_from_cores) {
    const Model model = model_subject(make("chain"));

    EXPECT_NEAR(model.critical_ms, model.total_ms, 1e-9 * model.total_ms);
    for (const ModelPoint& point : model.points)
        EXPECT_NEAR(point.stream_order, 1, 1e-9);
}

TEST(Model, of_transfers_that_meet_nobody_gains_nearly_as_many_times_as_there_are_cores) {
    const Model model = model_subject(make("transfers"));

    EXPECT_THAT(model.critical_shares, SizeIs(3));
    ASSERT_GE(model.points.size(), 2U);
    EXPECT_EQ(model.points[0].cores, 1U);
    EXPECT_NEAR(model.points[0].stream_order, 1, 1e-9);
    EXPECT_GT(model.points[1].stream_order, 1.3);
    EXPECT_LE(model.points[1].stream_order, 2);
}

}  // namespace
}  // namespace heddle::node::benchmark
