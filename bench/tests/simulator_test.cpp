// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <measure/list_scheduler.hpp>
#include <workload/random.hpp>

#include "graph_file.hpp"

namespace heddle::bench {
namespace {

using measure::Priority;
using measure::schedule;
using measure::Schedule;

using testing::ElementsAre;

executor::BlockGraph make_graph(std::vector<std::uint64_t> costs,
                                const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
    executor::BlockGraph graph;
    graph.costs = std::move(costs);
    for (const auto& [from, to] : edges)
        graph.edges.push_back({.from = from, .to = to});
    return graph;
}

TEST(ListScheduler, runs_independent_transactions_side_by_side) {
    const executor::BlockGraph graph = make_graph({4, 3, 2, 1}, {});

    EXPECT_EQ(schedule(graph, 1, Priority::stream_order).makespan, 10U);
    EXPECT_EQ(schedule(graph, 2, Priority::stream_order).makespan, 5U);
    EXPECT_EQ(schedule(graph, 64, Priority::stream_order).makespan, 4U);
}

TEST(ListScheduler, runs_a_chain_in_a_row_however_many_cores_there_are) {
    const executor::BlockGraph graph = make_graph({2, 3, 4}, {{0, 1}, {1, 2}});

    for (const unsigned cores : {1U, 2U, 64U})
        EXPECT_THAT(schedule(graph, cores, Priority::longest_path).starts, ElementsAre(0, 2, 5));
}

TEST(ListScheduler, takes_the_oldest_or_the_head_of_the_longest_path) {
    // Two short ones first, then a chain of two long ones.
    const executor::BlockGraph graph = make_graph({1, 1, 3, 3}, {{2, 3}});

    EXPECT_THAT(schedule(graph, 2, Priority::stream_order).starts, ElementsAre(0, 0, 1, 4));
    EXPECT_THAT(schedule(graph, 2, Priority::longest_path).starts, ElementsAre(0, 1, 0, 3));
    EXPECT_EQ(schedule(graph, 2, Priority::stream_order).makespan, 7U);
    EXPECT_EQ(schedule(graph, 2, Priority::longest_path).makespan, 6U);
}

TEST(ListScheduler, has_nothing_to_do_for_an_empty_block) {
    EXPECT_EQ(schedule(make_graph({}, {}), 2, Priority::stream_order).makespan, 0U);
}

TEST(ListScheduler, keeps_order_cores_and_graham_bound_on_random_graphs) {
    const char* given = std::getenv("HEDDLE_TEST_SEED");
    const std::uint64_t seed = given == nullptr ? 1 : std::strtoull(given, nullptr, 10);
    std::printf("HEDDLE_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
    workload::Random random(seed);
    for (int round = 0; round < 50; ++round) {
        std::vector<std::uint64_t> costs(60);
        std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
        std::vector<std::uint64_t> ends(costs.size());
        std::uint64_t total = 0;
        std::uint64_t critical = 0;
        for (std::uint32_t i = 0; i < costs.size(); ++i) {
            costs[i] = 1 + random.below(100);
            for (std::uint32_t before = 0; before < i; ++before) {
                if (random.below(20) != 0) continue;
                edges.emplace_back(before, i);
                ends[i] = std::max(ends[i], ends[before]);
            }
            ends[i] += costs[i];
            critical = std::max(critical, ends[i]);
            total += costs[i];
        }
        const executor::BlockGraph graph = make_graph(costs, edges);
        for (const unsigned cores : {1U, 2U, 3U, 8U}) {
            for (const Priority priority : {Priority::stream_order, Priority::longest_path}) {
                const Schedule result = schedule(graph, cores, priority);
                for (const auto& [from, to] : edges)
                    EXPECT_GE(result.starts[to], result.starts[from] + costs[from]);
                for (std::size_t i = 0; i < costs.size(); ++i) {
                    unsigned at_once = 0;
                    for (std::size_t j = 0; j < costs.size(); ++j)
                        if (result.starts[j] <= result.starts[i] &&
                            result.starts[i] < result.starts[j] + costs[j])
                            ++at_once;
                    EXPECT_LE(at_once, cores);
                }
                EXPECT_GE(result.makespan, std::max(critical, (total + cores - 1) / cores));
                // R. L. Graham: no list schedule is worse.
                EXPECT_LE(result.makespan * cores, total + (cores - 1) * critical);
            }
        }
    }
}

TEST(GraphFile, reads_what_it_wrote) {
    BlockCosts block;
    block.number = 17;
    block.gas_used = {21'000, 50'000, 21'000};
    block.graph = make_graph({600, 5'000, 700}, {{0, 2}, {1, 2}});

    const auto blocks = from_csv(to_csv({block}));

    ASSERT_TRUE(blocks.has_value());
    EXPECT_EQ(blocks->front().number, 17U);
    EXPECT_EQ(blocks->front().gas_used, block.gas_used);
    EXPECT_EQ(blocks->front().graph.costs, block.graph.costs);
    EXPECT_EQ(blocks->front().graph.edges, block.graph.edges);
    EXPECT_EQ(blocks->front().graph.total_cost, 6'300U);
    EXPECT_EQ(blocks->front().graph.critical_cost, 5'700U);
}

TEST(GraphFile, names_the_line_that_is_wrong) {
    const auto blocks = from_csv(to_csv({}) + "17,0,5,5,\n17,2,5,5,\n");

    ASSERT_FALSE(blocks.has_value());
    EXPECT_EQ(blocks.error(), "line 3: 17,2,5,5,");
    EXPECT_FALSE(from_csv("nothing").has_value());
}

TEST(GraphFile, shows_what_each_transaction_waits_for_in_json) {
    BlockCosts block;
    block.number = 17;
    block.gas_used = {1, 2};
    block.graph = make_graph({600, 700}, {{0, 1}});

    EXPECT_THAT(to_json({block}),
                testing::HasSubstr("{\"index\": 1, \"cost_ns\": 700, \"gas_used\": "
                                   "2, \"waits_for\": [0]}"));
}

}  // namespace
}  // namespace heddle::bench
