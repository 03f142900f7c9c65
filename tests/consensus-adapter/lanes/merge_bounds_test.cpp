// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What merging may cost, counted in steps and slots: time would tell of the machine as well.
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <consensus_adapter/lanes/merger.hpp>

#include "cut_material.hpp"

namespace heddle::consensus_adapter::lanes {
namespace {

using test::CutMaterial;
using test::lanes;

MergeRules rules_of(std::size_t lane_count) {
    MergeRules rules;
    rules.lane_count = lane_count;
    return rules;
}

std::uint64_t steps(const MergeWork& work) {
    return work.entries + work.accesses + work.edges + work.visits + work.edge_visits +
           work.reader_moves + work.record_moves + work.age_checks;
}

/// Two lanes that have `count` transactions in opposite orders, all on one object each.
MergedCut merge_worst(Merger& merger, std::uint64_t count) {
    CutMaterial cut(2);
    for (std::uint64_t i = 1; i <= count; ++i) {
        cut.add(0, i, lanes({0, 1}), {1});
        cut.add(1, count + 1 - i, lanes({0, 1}), {2});
    }
    return cut.merge_with(merger);
}

TEST(MergeBounds, a_component_of_any_size_takes_steps_in_proportion) {
    for (const std::uint64_t count : {1'000u, 10'000u, 100'000u}) {
        Merger merger(rules_of(2));

        const MergedCut merged = merge_worst(merger, count);

        EXPECT_EQ(merged.largest_component, count);
        EXPECT_EQ(merged.order.size(), count);
        EXPECT_EQ(merger.work().visits, count);
        EXPECT_LE(steps(merger.work()), 10 * count);
        for (std::uint64_t i = 0; i < count; ++i)
            ASSERT_EQ(merged.order[i].id.counter, i + 1);
    }
}

TEST(MergeBounds, a_cut_costs_what_is_new_however_much_waits) {
    constexpr std::uint64_t kWaiting = 10'000;
    MergeRules rules = rules_of(2);
    rules.max_age_cuts = 1'000;
    rules.max_held_cuts = 1'000;
    Merger merger(rules);
    CutMaterial first(2);
    first.add(0, 1, lanes({0, 1}), {1});
    for (std::uint64_t i = 2; i < kWaiting; ++i)
        first.add(0, i, lanes({0}), {1});
    static_cast<void>(first.merge_with(merger));
    const std::uint64_t before = steps(merger.work());
    std::uint64_t number = kWaiting;
    for (int i = 0; i < 500; ++i) {
        CutMaterial cut(2);
        cut.add(0, ++number, lanes({0}), {1});  // one more that waits
        cut.add(1, ++number, lanes({1}), {2});  // and one that does not
        ASSERT_EQ(cut.merge_with(merger).order.size(), 1u);
    }

    EXPECT_LE(steps(merger.work()) - before, 500u * 12);
    CutMaterial last(2);
    last.add(1, 1, lanes({0, 1}), {2});
    EXPECT_EQ(last.merge_with(merger).order.size(), kWaiting - 1 + 500);
}

TEST(MergeBounds, halves_of_transactions_cost_no_more_than_they_are) {
    MergeRules rules = rules_of(2);
    rules.max_age_cuts = 4;
    Merger merger(rules);
    std::size_t rejected = 0;
    for (std::uint64_t cut_number = 0; cut_number < 50; ++cut_number) {
        CutMaterial cut(2);
        for (std::uint64_t i = 1; i <= 100; ++i)
            cut.add(0, cut_number * 100 + i, lanes({0, 1}), {i});
        rejected += cut.merge_with(merger).rejected.size();
        EXPECT_LE(merger.memory().incomplete, 400u);
    }

    EXPECT_EQ(rejected, 46u * 100);
    EXPECT_LE(merger.memory().vertices, 600u);
    EXPECT_LE(steps(merger.work()), 5'000u * 12);
}

TEST(MergeBounds, more_than_may_wait_makes_a_clearing_cut) {
    MergeRules rules = rules_of(2);
    rules.max_waiting = 1'000;
    Merger merger(rules);
    CutMaterial cut(2);
    cut.add(0, 1, lanes({0, 1}), {1});
    for (std::uint64_t i = 2; i <= 600; ++i)
        cut.add(0, i, lanes({0}), {1});  // weighs two: itself and its access

    const MergedCut merged = cut.merge_with(merger);

    EXPECT_TRUE(merged.is_clearing);
    EXPECT_EQ(merged.order.size(), 599u);
    ASSERT_EQ(merged.rejected.size(), 1u);
    EXPECT_EQ(merged.rejected[0].reason, RejectionReason::cleared);
    EXPECT_EQ(merger.memory().waiting, 0u);
}

TEST(MergeBounds, an_enormous_set_makes_no_more_edges_than_it_has_accesses) {
    constexpr std::uint64_t kObjects = 8'192;
    Merger merger(rules_of(1));
    CutMaterial cut(1);
    for (std::uint64_t number = 1; number <= 20; ++number) {
        std::vector<LaneAccess> accesses;
        for (std::uint64_t object = 0; object < kObjects; ++object)
            accesses.push_back({test::object_of(object), number % 5 == 0});
        cut.block(0).add({{number, 0}, test::digest_of(number), lanes({0}), number}, accesses);
    }

    EXPECT_EQ(cut.merge_with(merger).order.size(), 20u);
    EXPECT_LE(merger.work().edges, 2 * 20 * kObjects);
    EXPECT_LE(steps(merger.work()), 6 * 20 * kObjects);
}

TEST(MergeBounds, readers_that_are_decided_are_forgotten) {
    MergeRules rules = rules_of(1);
    rules.remembered = 1'000;
    Merger merger(rules);
    for (std::uint64_t cut_number = 0; cut_number < 1'000; ++cut_number) {
        CutMaterial cut(1);
        for (std::uint64_t i = 1; i <= 100; ++i)
            cut.add(0, cut_number * 100 + i, lanes({0}), {1}, false);
        static_cast<void>(cut.merge_with(merger));
    }

    EXPECT_LE(merger.memory().chunks, 100u);
    EXPECT_LE(merger.work().reader_moves, 3u * 100'000);
    EXPECT_LE(merger.memory().known, 2'000u);
    EXPECT_LE(merger.memory().vertices, 100u);
}

TEST(MergeBounds, objects_that_nothing_waits_on_are_forgotten) {
    MergeRules rules = rules_of(1);
    rules.remembered = 1'000;
    Merger merger(rules);
    constexpr std::uint64_t kObjects = 200'000;
    for (std::uint64_t object = 0; object < kObjects;) {
        CutMaterial cut(1);
        for (int i = 0; i < 1'000; ++i, ++object)
            cut.add(0, object + 1, lanes({0}), {object});
        static_cast<void>(cut.merge_with(merger));
    }

    EXPECT_LE(merger.memory().records, 20'000u);
    EXPECT_LE(merger.work().record_moves, kObjects);
}

TEST(MergeBounds, duplicates_make_nothing) {
    Merger merger(rules_of(1));
    CutMaterial cut(1);
    for (int i = 0; i < 100'000; ++i)
        cut.add(0, 1, lanes({0}), {1, 2, 3});

    const MergedCut merged = cut.merge_with(merger);

    EXPECT_EQ(merged.order.size(), 1u);
    EXPECT_EQ(merged.ignored_entries, 99'999u);
    EXPECT_EQ(merger.work().accesses, 3u);
    EXPECT_EQ(merger.memory().vertices, 1u);
}

}  // namespace
}  // namespace heddle::consensus_adapter::lanes
