// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/lanes/merger.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cut_material.hpp"

namespace heddle::consensus_adapter::lanes {
namespace {

using test::CutMaterial;
using test::lanes;
using test::numbers;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t kA = 100;  // objects
constexpr std::uint64_t kB = 200;
constexpr std::uint64_t kC = 300;

MergeRules rules_of(std::size_t lane_count) {
    MergeRules rules;
    rules.lane_count = lane_count;
    return rules;
}

TEST(Merger, transactions_of_one_home_come_in_the_order_of_their_lane) {
    Merger merger(rules_of(1));
    CutMaterial cut(1);
    cut.add(0, 3, lanes({0}), {kA}).add(0, 1, lanes({0}), {kA}).add(0, 2, lanes({0}), {kB});

    EXPECT_THAT(numbers(cut.merge_with(merger)), ElementsAre(3, 1, 2));
}

TEST(Merger, takes_the_first_of_every_lane_before_the_second_of_any) {
    Merger merger(rules_of(2));
    CutMaterial cut(2);
    cut.add(0, 1, lanes({0}), {kA}).add(0, 2, lanes({0}), {kA});
    cut.add(1, 3, lanes({1}), {kB}).add(1, 4, lanes({1}), {kB});

    EXPECT_THAT(numbers(cut.merge_with(merger)), ElementsAre(1, 3, 2, 4));
}

/// Detock, figure 3: lanes disagree about three transactions, which become one chain by id.
TEST(Merger, a_deadlock_of_three_lanes_becomes_a_chain_by_id) {
    Merger merger(rules_of(3));
    CutMaterial cut(3);
    cut.add(0, 1, lanes({0, 1}), {kA}).add(0, 3, lanes({0, 2}), {kA});
    cut.add(0, 2, lanes({0, 1}), {kA});
    cut.add(1, 2, lanes({0, 1}), {kB}).add(1, 1, lanes({0, 1}), {kB});
    cut.add(2, 3, lanes({0, 2}), {kC});

    const MergedCut merged = cut.merge_with(merger);

    EXPECT_THAT(numbers(merged), ElementsAre(1, 2, 3));
    EXPECT_EQ(merged.components, 1u);
    EXPECT_EQ(merged.largest_component, 3u);
}

TEST(Merger, what_lanes_agree_on_is_no_component) {
    Merger merger(rules_of(2));
    CutMaterial cut(2);
    cut.add(0, 2, lanes({0, 1}), {kA}).add(0, 1, lanes({0, 1}), {kA});
    cut.add(1, 2, lanes({0, 1}), {kB}).add(1, 1, lanes({0, 1}), {kB});

    const MergedCut merged = cut.merge_with(merger);

    EXPECT_THAT(numbers(merged), ElementsAre(2, 1));
    EXPECT_EQ(merged.components, 0u);
}

TEST(Merger, reads_of_one_object_need_no_order) {
    Merger merger(rules_of(2));
    CutMaterial cut(2);
    cut.add(0, 1, lanes({0, 1}), {kA}, false).add(0, 2, lanes({0, 1}), {kA}, false);
    cut.add(1, 2, lanes({0, 1}), {kB}, false).add(1, 1, lanes({0, 1}), {kB}, false);

    EXPECT_EQ(cut.merge_with(merger).components, 0u);
}

TEST(Merger, what_is_incomplete_waits_with_all_that_comes_after_it_and_nothing_else) {
    Merger merger(rules_of(2));
    CutMaterial first(2);
    first.add(0, 1, lanes({0, 1}), {kA});  // misses lane 1
    first.add(0, 2, lanes({0}), {kA, kB}).add(0, 3, lanes({0}), {kB}).add(0, 4, lanes({0}), {kC});
    CutMaterial second(2);
    second.add(1, 1, lanes({0, 1}), {kC});

    EXPECT_THAT(numbers(first.merge_with(merger)), ElementsAre(4));
    EXPECT_THAT(numbers(second.merge_with(merger)), ElementsAre(1, 2, 3));
    EXPECT_EQ(merger.memory().waiting, 0u);
}

TEST(Merger, what_came_before_an_incomplete_one_does_not_wait_for_it) {
    Merger merger(rules_of(2));
    CutMaterial cut(2);
    cut.add(0, 1, lanes({0}), {kA}).add(0, 2, lanes({0, 1}), {kA});

    EXPECT_THAT(numbers(cut.merge_with(merger)), ElementsAre(1));
}

TEST(Merger, an_incomplete_one_is_rejected_at_the_age_bound_and_named) {
    MergeRules rules = rules_of(2);
    rules.max_age_cuts = 2;
    Merger merger(rules);
    CutMaterial first(2);
    first.add(0, 1, lanes({0, 1}), {kA}).add(0, 2, lanes({0}), {kA});

    EXPECT_THAT(numbers(first.merge_with(merger)), IsEmpty());
    EXPECT_THAT(numbers(CutMaterial(2).merge_with(merger)), IsEmpty());
    const MergedCut third = CutMaterial(2).merge_with(merger);

    EXPECT_THAT(numbers(third), ElementsAre(2));
    ASSERT_EQ(third.rejected.size(), 1u);
    EXPECT_EQ(third.rejected[0].id, (TransactionId{1, 0}));
    EXPECT_EQ(third.rejected[0].reason, RejectionReason::incomplete);
    EXPECT_EQ(third.rejected[0].missing, lanes({1}));
}

TEST(Merger, an_entry_that_comes_with_the_cut_at_the_age_bound_completes_it) {
    MergeRules rules = rules_of(2);
    rules.max_age_cuts = 1;
    Merger merger(rules);
    CutMaterial first(2);
    first.add(0, 1, lanes({0, 1}), {kA});
    static_cast<void>(first.merge_with(merger));
    CutMaterial second(2);
    second.add(1, 1, lanes({0, 1}), {kB});

    const MergedCut merged = second.merge_with(merger);

    EXPECT_THAT(numbers(merged), ElementsAre(1));
    EXPECT_THAT(merged.rejected, IsEmpty());
}

TEST(Merger, tells_what_has_been_incomplete_for_so_many_cuts_and_what_is_missing) {
    MergeRules rules = rules_of(3);
    rules.max_age_cuts = 4;
    Merger merger(rules);
    CutMaterial first(3);
    first.add(0, 1, lanes({0, 1}), {kA}).add(0, 2, lanes({0, 1, 2}), {kB});
    first.add(0, 3, lanes({0}), {kC});
    CutMaterial second(3);
    second.add(1, 2, lanes({0, 1, 2}), {kA}).add(0, 4, lanes({0, 2}), {kA});
    CutMaterial third(3);
    third.add(1, 1, lanes({0, 1}), {kB});
    EXPECT_THAT(merger.incomplete_of_age(0), IsEmpty());

    static_cast<void>(first.merge_with(merger));
    ASSERT_EQ(merger.incomplete_of_age(0).size(), 2u);
    EXPECT_EQ(merger.incomplete_of_age(0)[0].missing, lanes({1}));
    EXPECT_EQ(merger.incomplete_of_age(0)[1].missing, lanes({1, 2}));
    EXPECT_THAT(merger.incomplete_of_age(1), IsEmpty());

    static_cast<void>(second.merge_with(merger));
    ASSERT_EQ(merger.incomplete_of_age(0).size(), 1u);
    EXPECT_EQ(merger.incomplete_of_age(0)[0].missing, lanes({2}));
    ASSERT_EQ(merger.incomplete_of_age(1).size(), 2u);
    EXPECT_EQ(merger.incomplete_of_age(1)[1].missing, lanes({2}));

    static_cast<void>(third.merge_with(merger));
    ASSERT_EQ(merger.incomplete_of_age(2).size(), 1u);
    EXPECT_EQ(merger.incomplete_of_age(2)[0].missing, lanes({2}));
    for (int i = 0; i < 2; ++i)
        static_cast<void>(CutMaterial(3).merge_with(merger));
    EXPECT_THAT(merger.incomplete_of_age(4), IsEmpty()) << "it is rejected";
}

TEST(Merger, an_entry_that_comes_after_the_rejection_is_ignored) {
    MergeRules rules = rules_of(2);
    rules.max_age_cuts = 1;
    Merger merger(rules);
    CutMaterial first(2);
    first.add(0, 1, lanes({0, 1}), {kA});
    static_cast<void>(first.merge_with(merger));
    ASSERT_EQ(CutMaterial(2).merge_with(merger).rejected.size(), 1u);
    CutMaterial late(2);
    late.add(1, 1, lanes({0, 1}), {kB});

    const MergedCut merged = late.merge_with(merger);

    EXPECT_THAT(numbers(merged), IsEmpty());
    EXPECT_EQ(merged.ignored_entries, 1u);
    EXPECT_THAT(merged.unused, ElementsAre(1));
}

/// 9 holds 1, 1 comes before 2, 2 before 3. When 2 is rejected, 3 still comes after 1.
TEST(Merger, order_through_a_rejected_transaction_is_kept) {
    MergeRules rules = rules_of(4);
    rules.max_age_cuts = 2;
    Merger merger(rules);
    CutMaterial first(4);
    first.add(1, 2, lanes({0, 1, 2}), {kB});
    CutMaterial second(4);
    second.add(0, 9, lanes({0, 3}), {kA}).add(0, 1, lanes({0}), {kA, kC});
    second.add(0, 2, lanes({0, 1, 2}), {kC}).add(0, 3, lanes({0}), {kC});
    static_cast<void>(first.merge_with(merger));
    static_cast<void>(second.merge_with(merger));

    const MergedCut third = CutMaterial(4).merge_with(merger);
    ASSERT_EQ(third.rejected.size(), 1u);
    EXPECT_EQ(third.rejected[0].id.counter, 2u);
    EXPECT_THAT(numbers(third), IsEmpty());
    EXPECT_THAT(numbers(CutMaterial(4).merge_with(merger)), ElementsAre(1, 3));
}

TEST(Merger, what_misses_a_silent_lane_is_rejected_at_once) {
    Merger merger(rules_of(3));
    CutMaterial first(3);
    first.add(0, 1, lanes({0, 1}), {kA}).add(0, 2, lanes({0, 2}), {kA});
    static_cast<void>(first.merge_with(merger));
    CutMaterial second(3);
    second.add(0, 3, lanes({0, 1}), {kB});

    const MergedCut merged = second.merge_with(merger, lanes({1}));

    ASSERT_EQ(merged.rejected.size(), 2u);
    for (const RejectedTransaction& rejected : merged.rejected) {
        EXPECT_EQ(rejected.reason, RejectionReason::silent_lane);
        EXPECT_EQ(rejected.missing, lanes({1}));
    }
    EXPECT_EQ(merger.memory().incomplete, 1u);
}

TEST(Merger, without_anything_to_execute_a_complete_transaction_is_rejected) {
    Merger merger(rules_of(1));
    MergeBlock block;
    block.add({{7, 0}, test::digest_of(7), lanes({0}), 0}, {});
    const std::vector<std::vector<const MergeBlock*>> lists{{&block}};

    const MergedCut merged = merger.merge(lists);

    EXPECT_THAT(merged.order, IsEmpty());
    ASSERT_EQ(merged.rejected.size(), 1u);
    EXPECT_EQ(merged.rejected[0].reason, RejectionReason::no_content);
}

TEST(Merger, the_same_entry_again_is_ignored_while_it_waits_and_after) {
    Merger merger(rules_of(2));
    CutMaterial first(2);
    first.add(0, 1, lanes({0, 1}), {kA}).add(0, 1, lanes({0, 1}), {kA});
    CutMaterial second(2);
    second.add(1, 1, lanes({0, 1}), {kB}).add(1, 1, lanes({0, 1}), {kB});

    EXPECT_EQ(first.merge_with(merger).ignored_entries, 1u);
    const MergedCut merged = second.merge_with(merger);
    EXPECT_THAT(numbers(merged), ElementsAre(1));
    EXPECT_EQ(merged.ignored_entries, 1u);
    EXPECT_EQ(second.merge_with(merger).ignored_entries, 2u);
}

/// A byzantine client that sends other code to another lane has sent two halves.
TEST(Merger, two_transactions_under_one_id_are_two) {
    MergeRules rules = rules_of(2);
    rules.max_age_cuts = 1;
    Merger merger(rules);
    CutMaterial cut(2);
    const LaneAccess access{test::object_of(kA), true};
    for (LaneNumber lane = 0; lane < 2; ++lane)
        cut.block(lane).add({{1, 0}, test::digest_of(lane), lanes({0, 1}), 1u + lane},
                            {&access, 1});
    cut.add(0, 5, lanes({0}), {kA});

    EXPECT_THAT(numbers(cut.merge_with(merger)), IsEmpty());
    const MergedCut merged = CutMaterial(2).merge_with(merger);
    EXPECT_EQ(merged.rejected.size(), 2u);
    EXPECT_THAT(numbers(merged), ElementsAre(5));
}

/// Detock, figure 5: there is always one more that is incomplete, and all others come after it.
TEST(Merger, a_component_that_keeps_growing_is_cleared_after_the_bound) {
    MergeRules rules = rules_of(2);
    rules.max_held_cuts = 5;
    Merger merger(rules);
    const LaneSet both = lanes({0, 1});
    std::vector<std::uint64_t> done;
    std::uint64_t last = 0;
    for (std::uint64_t number = 1; number <= 12; ++number) {
        CutMaterial cut(2);
        const auto here = static_cast<LaneNumber>(number % 2);
        cut.add(here, number, both, {here == 0 ? kA : kB});
        if (last != 0) cut.add(here, last, both, {here == 0 ? kA : kB});
        const MergedCut merged = cut.merge_with(merger);
        for (const std::uint64_t one : numbers(merged))
            done.push_back(one);
        if (merged.is_clearing) {
            EXPECT_EQ(merged.largest_component, 7u);
            ASSERT_EQ(merged.rejected.size(), 1u);
            EXPECT_EQ(merged.rejected[0].reason, RejectionReason::cleared);
        }
        last = number;
    }
    EXPECT_FALSE(done.empty());
    EXPECT_LE(merger.memory().waiting, 8u);
}

}  // namespace
}  // namespace heddle::consensus_adapter::lanes
