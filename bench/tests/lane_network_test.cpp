// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lane_network.hpp"

#include <gtest/gtest.h>

namespace heddle::bench {
namespace {

/// Contended enough that lanes which disagree make components.
LaneNetwork small_network(Ordering ordering) {
    LaneNetwork network;
    network.ordering = ordering;
    network.seconds = 1;
    network.transactions_per_second = 3'000;
    network.hot_objects = 15;
    return network;
}

TEST(LaneNetwork, the_same_seed_gives_the_same_run) {
    const LaneNetworkResult first = simulate(small_network(Ordering::opportunistic));
    const LaneNetworkResult second = simulate(small_network(Ordering::opportunistic));
    EXPECT_EQ(first.ordered_per_second, second.ordered_per_second);
    EXPECT_EQ(first.all.p99_ms, second.all.p99_ms);
    EXPECT_EQ(first.block.p99_ms, second.block.p99_ms);
    EXPECT_EQ(first.components, second.components);
}

TEST(LaneNetwork, what_has_one_home_waits_for_its_lane_only) {
    LaneNetwork network = small_network(Ordering::opportunistic);
    network.multi_home_percent = 0;
    const LaneNetworkResult result = simulate(network);
    EXPECT_LE(result.single_home.p99_ms, 0.5 + network.batch_ms + network.consensus_ms + 0.5);
    network.ordering = Ordering::global;
    EXPECT_GE(simulate(network).all.p50_ms, 10 * result.all.p50_ms);
}

TEST(LaneNetwork, an_orderer_of_most_regions_waits_for_the_fourth_nearest) {
    LaneNetwork network = small_network(Ordering::global);
    network.jitter_ms = 0;
    const LaneNetworkResult one = simulate(network);
    network.ordering = Ordering::replicated;
    const LaneNetworkResult most = simulate(network);
    // us-east-2 to ap-northeast-1 and back; batches are the same in both.
    EXPECT_NEAR(most.all.p50_ms - one.all.p50_ms, 132, 0.01);
    EXPECT_NEAR(most.all.p99_ms - one.all.p99_ms, 132, 0.01);
}

TEST(LaneNetwork, at_the_papers_contention_half_the_latency_holds_up_to_three_in_ten) {
    LaneNetwork network;
    network.hot_objects = 400;
    for (const std::uint32_t percent : {10u, 30u}) {
        network.multi_home_percent = percent;
        network.ordering = Ordering::opportunistic;
        const double lanes = simulate(network).all.p50_ms;
        network.ordering = Ordering::global;
        EXPECT_LE(2 * lanes, simulate(network).all.p50_ms) << percent;
    }
}

TEST(LaneNetwork, an_orderer_leaves_no_components_and_opportunistic_ordering_few) {
    const LaneNetworkResult lanes = simulate(small_network(Ordering::lanes));
    const LaneNetworkResult opportunistic = simulate(small_network(Ordering::opportunistic));
    EXPECT_EQ(simulate(small_network(Ordering::slog)).components, 0u);
    EXPECT_GT(lanes.in_components_percent, 20);
    EXPECT_LT(opportunistic.in_components_percent, 1);
    EXPECT_LT(opportunistic.all.p50_ms, lanes.all.p50_ms / 2);
}

TEST(LaneNetwork, with_the_orderer_what_has_two_homes_waits_for_it_and_for_both_lanes) {
    LaneNetwork network = small_network(Ordering::slog);
    network.hot_objects = 100'000;
    const double slog = simulate(network).multi_home.p50_ms;
    network.ordering = Ordering::opportunistic;
    EXPECT_LT(simulate(network).multi_home.p50_ms * 1.2, slog);
}

}  // namespace
}  // namespace heddle::bench
