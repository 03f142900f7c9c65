// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What cores would give, from what stages take on one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benchmark/stage_model.hpp"

namespace heddle::node::benchmark {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;

StageCost stage(std::string name, StageLane lane, double total_ms, double alone_ms) {
    StageCost cost;
    cost.name = std::move(name);
    cost.lane = lane;
    cost.total_ms = total_ms;
    cost.alone_ms = alone_ms;
    return cost;
}

/// Transactions of a millisecond each that nobody waits for.
StageCost independent_transactions(std::size_t count) {
    StageCost execution = stage("execution", StageLane::execution, static_cast<double>(count), 1);
    executor::BlockGraph graph;
    graph.costs.assign(count, 1'000'000);
    execution.graphs.push_back(std::move(graph));
    return execution;
}

TEST(StageModel, one_core_does_all_stages_one_after_the_other) {
    const std::vector stages{independent_transactions(4), stage("tries", StageLane::commit, 3, 1),
                             stage("writing", StageLane::writing, 2, 2)};

    const StagePoint point = model_stages(stages, 1);

    EXPECT_THAT(point.stage_ms, ElementsAre(DoubleEq(4), DoubleEq(3), DoubleEq(2)));
    EXPECT_DOUBLE_EQ(point.all_ms, 9);
    EXPECT_EQ(point.slowest, std::nullopt);
}

TEST(StageModel, cores_share_all_but_what_is_one_threads_alone) {
    const std::vector stages{independent_transactions(4), stage("tries", StageLane::commit, 3, 1)};

    const StagePoint point = model_stages(stages, 4);

    EXPECT_THAT(point.stage_ms, ElementsAre(DoubleEq(1), DoubleEq(1.5)));
    EXPECT_DOUBLE_EQ(point.all_ms, 1.75);  // seven milliseconds of work on four cores
    EXPECT_EQ(point.slowest, std::nullopt);
}

TEST(StageModel, a_stage_that_has_a_thread_for_every_few_cores_is_shared_by_so_many) {
    StageCost writing = stage("writing", StageLane::writing, 10, 2);
    writing.cores_per_thread = 4;

    EXPECT_DOUBLE_EQ(model_stages(std::vector{writing}, 2).all_ms, 10);
    EXPECT_DOUBLE_EQ(model_stages(std::vector{writing}, 16).all_ms, 4);
}

TEST(StageModel, stages_of_one_lane_follow_each_other_and_the_dearest_of_the_slowest_is_named) {
    const std::vector stages{independent_transactions(4), stage("tries", StageLane::commit, 3, 1),
                             stage("flat state", StageLane::commit, 1.5, 1.5),
                             stage("writing", StageLane::writing, 2, 2)};

    const StagePoint point = model_stages(stages, 64);

    EXPECT_DOUBLE_EQ(point.all_ms, 1 + 2.0 / 64 + 1.5);
    EXPECT_EQ(point.slowest, 2U);
}

TEST(StageModel, a_chain_of_transactions_gains_nothing) {
    StageCost execution = independent_transactions(2);
    execution.graphs.front().edges.push_back({.from = 0, .to = 1});

    EXPECT_DOUBLE_EQ(model_stages(std::vector{execution}, 16).all_ms, 2);
}

TEST(StageModel, what_only_parallel_execution_takes_costs_one_core_nothing) {
    StageCost order = stage("order and accept", StageLane::order, 5, 5);
    order.is_of_parallel = true;
    const std::vector stages{independent_transactions(4), order};

    EXPECT_DOUBLE_EQ(model_stages(stages, 1).all_ms, 4);
    EXPECT_DOUBLE_EQ(model_stages(stages, 2).all_ms, 5);
    EXPECT_EQ(model_stages(stages, 2).slowest, 1U);
}

TEST(StageModel, the_table_says_that_it_is_modelled_and_what_is_slowest) {
    const std::vector stages{independent_transactions(4),
                             stage("writing", StageLane::writing, 2, 2)};

    const std::string table = to_table({"made", 1, 4, 8'000'000, 3}, stages);

    EXPECT_THAT(table, HasSubstr("made: 4 transactions in 1 block, 8.0 Mgas; medians of 3 runs. "
                                 "MODELLED"));
    EXPECT_THAT(table, HasSubstr("  execution               4.00      1.00             2000    "
                                 "4000    8000"));
    EXPECT_THAT(table, HasSubstr("slowest: 1 the cores; 2 the cores; 4 writing;"));
}

}  // namespace
}  // namespace heddle::node::benchmark
