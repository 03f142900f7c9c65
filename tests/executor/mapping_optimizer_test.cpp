// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "early/mapping_optimizer.hpp"

#include <optional>
#include <random>

#include <gtest/gtest.h>

#include "early/class_learner.hpp"

namespace heddle::executor {
namespace {

/// Each class in each way, without leaving anything out before it is complete.
class AllMappings {
public:
    AllMappings(const RequestClasses& classes, unsigned threads, const ClassWeights& weights)
        : classes_(classes), weights_(weights), mapping_{threads, {}} {}

    [[nodiscard]] MappingCost least_cost() {
        place_next();
        return *best_;
    }

private:
    void place_next() {
        if (mapping_.places.size() == classes_.count()) {
            if (find_violation(classes_, mapping_).has_value()) return;
            const MappingCost cost = cost_of(mapping_, weights_);
            if (!best_.has_value() || cost < *best_) best_ = cost;
            return;
        }
        for (ThreadSet threads = 1; threads <= first_threads(mapping_.threads); ++threads) {
            for (const bool is_sequential : {false, true}) {
                mapping_.places.push_back({is_sequential, threads});
                place_next();
                mapping_.places.pop_back();
            }
        }
    }

    const RequestClasses& classes_;
    const ClassWeights& weights_;
    ClassMapping mapping_;
    std::optional<MappingCost> best_;
};

ClassWeights draw_weights(const RequestClasses& classes, std::mt19937_64& random) {
    ClassWeights weights(classes.count());
    for (std::uint64_t& weight : weights)
        weight = random() % 4 == 0 ? 0 : random() % 200;
    return weights;
}

TEST(MappingOptimizer, finds_as_good_a_mapping_as_there_is) {
    std::mt19937_64 random{17};  // NOLINT(bugprone-random-generator-seed)
    const RequestClasses one{1};
    const RequestClasses two{2};
    for (int i = 0; i < 8; ++i) {
        const ClassWeights weights = draw_weights(one, random);
        for (const unsigned threads : {1U, 2U}) {
            const ClassMapping mapping = map_exactly(one, threads, weights);
            EXPECT_EQ(find_violation(one, mapping), std::nullopt);
            EXPECT_EQ(cost_of(mapping, weights), AllMappings(one, threads, weights).least_cost());
        }
    }
    const ClassWeights weights = draw_weights(two, random);
    EXPECT_EQ(cost_of(map_exactly(two, 2, weights), weights),
              AllMappings(two, 2, weights).least_cost());
}

TEST(MappingOptimizer, breaks_no_rule_when_greedy) {
    std::mt19937_64 random{23};  // NOLINT(bugprone-random-generator-seed)
    for (const unsigned shards : {1U, 2U, 5U, 16U, 64U}) {
        const RequestClasses classes(shards);
        for (const unsigned threads : {1U, 2U, 3U, 8U, 64U}) {
            const ClassMapping mapping =
                map_greedily(classes, threads, draw_weights(classes, random));
            EXPECT_EQ(mapping.threads, threads);
            EXPECT_EQ(find_violation(classes, mapping), std::nullopt)
                << shards << " shards, " << threads << " threads";
        }
    }
}

TEST(MappingOptimizer, is_not_much_worse_when_greedy) {
    std::mt19937_64 random{29};  // NOLINT(bugprone-random-generator-seed)
    const RequestClasses classes{2};
    std::uint64_t best_sum = 0;
    std::uint64_t greedy_sum = 0;
    for (int i = 0; i < 50; ++i) {
        const ClassWeights weights = draw_weights(classes, random);
        const std::uint64_t best = cost_of(map_exactly(classes, 2, weights), weights).longest;
        const std::uint64_t greedy = cost_of(map_greedily(classes, 2, weights), weights).longest;
        EXPECT_LE(greedy, 2 * best);
        best_sum += best;
        greedy_sum += greedy;
    }
    EXPECT_LE(greedy_sum, best_sum + best_sum / 4);
}

TEST(MappingOptimizer, gives_reads_all_threads_and_each_shards_writes_one) {
    const RequestClasses classes{2};
    ClassWeights reads(classes.count());
    reads[classes.local_read(0)] = 1'000;
    reads[classes.local_write(0)] = 1;
    const ClassMapping for_reads = map_classes(classes, 2, reads);
    EXPECT_EQ(for_reads.places[classes.local_read(0)], (ClassPlace{false, 0b11}));

    ClassWeights writes(classes.count());
    writes[classes.local_write(0)] = 500;
    writes[classes.local_write(1)] = 500;
    const ClassMapping for_writes = map_classes(classes, 2, writes);
    EXPECT_EQ(count_of(for_writes.places[classes.local_write(0)].threads), 1u);
    EXPECT_EQ(for_writes.places[classes.local_write(0)].threads &
                  for_writes.places[classes.local_write(1)].threads,
              0u);
}

TEST(ClassLearner, follows_what_was_counted_at_ends_of_blocks) {
    const RequestClasses classes{2};
    ClassLearner learner(classes, 2, std::nullopt);
    for (int i = 0; i < 1'000; ++i)
        learner.count(classes.local_read(0));
    const ClassMapping before = learner.mapping();
    ASSERT_NE(before.places[classes.local_read(0)].threads, 0b11u);

    ASSERT_NE(learner.end_block(), nullptr);
    EXPECT_EQ(learner.mapping(), before) << "until it is changed";
    learner.change();

    EXPECT_EQ(learner.mapping().places[classes.local_read(0)].threads, 0b11u);
    EXPECT_EQ(find_violation(classes, learner.mapping()), std::nullopt);
    EXPECT_EQ(learner.end_block(), nullptr) << "nothing has changed since";
}

TEST(ClassLearner, keeps_a_mapping_that_was_given) {
    const RequestClasses classes{1};
    const ClassMapping given = map_greedily(classes, 2, ClassWeights(classes.count(), 1));
    ClassLearner learner(classes, 2, given);
    for (int i = 0; i < 1'000; ++i)
        learner.count(classes.local_read(0));

    EXPECT_EQ(learner.end_block(), nullptr);
    EXPECT_EQ(learner.mapping(), given);
}

}  // namespace
}  // namespace heddle::executor
