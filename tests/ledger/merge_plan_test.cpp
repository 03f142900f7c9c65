// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "storage/merge_plan.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "random.hpp"

namespace heddle::ledger {
namespace {

constexpr std::uint64_t kKilobyte = 1024;

std::string key(std::size_t number) {
    return {static_cast<char>(number / 256), static_cast<char>(number % 256)};
}

/// Files of these sizes, one after another.
std::vector<FileSpan> neighbours(const std::vector<std::uint64_t>& sizes) {
    std::vector<FileSpan> files;
    for (const std::uint64_t bytes : sizes)
        files.push_back(
            {.first = key(2 * files.size()), .last = key(2 * files.size() + 1), .bytes = bytes});
    return files;
}

std::vector<FileSpan> equal_neighbours(std::size_t count, std::uint64_t bytes) {
    return neighbours(std::vector<std::uint64_t>(count, bytes));
}

TEST(MergePlan, files_wait_until_together_they_are_eight_times_the_largest) {
    EXPECT_EQ(plan_merge({}), std::nullopt);
    EXPECT_EQ(plan_merge(equal_neighbours(7, kKilobyte)), std::nullopt);
    EXPECT_EQ(plan_merge(equal_neighbours(8, kKilobyte)), (MergePlan{.begin = 0, .count = 8}));
}

TEST(MergePlan, a_larger_file_is_not_written_again_for_a_few_small_ones) {
    std::vector<std::uint64_t> sizes{64, 8, 8, 8, 1, 1, 1, 1, 1, 1, 1};
    EXPECT_EQ(plan_merge(neighbours(sizes)), std::nullopt);
    sizes.push_back(1);
    EXPECT_EQ(plan_merge(neighbours(sizes)), (MergePlan{.begin = 4, .count = 8}));
}

TEST(MergePlan, many_files_that_were_left_are_merged_at_once) {
    EXPECT_EQ(plan_merge(equal_neighbours(1000, 500 * kKilobyte)),
              (MergePlan{.begin = 0, .count = kMostMergedFiles}));
}

TEST(MergePlan, what_a_merge_makes_is_not_too_large) {
    const std::uint64_t bytes = 5 * kMostMergedBytes / 48;  // nine are within the limit, ten above
    EXPECT_EQ(plan_merge(equal_neighbours(100, bytes)), (MergePlan{.begin = 0, .count = 9}));
    EXPECT_EQ(plan_merge(equal_neighbours(100, kMostMergedBytes / 16)),
              (MergePlan{.begin = 0, .count = 16}))
        << "just as large as it may be";
}

TEST(MergePlan, files_that_could_not_grow_eightfold_wait_for_half_of_the_limit) {
    const std::uint64_t bytes = kMostMergedBytes / 9;
    EXPECT_EQ(plan_merge(equal_neighbours(4, bytes)), std::nullopt);
    EXPECT_EQ(plan_merge(equal_neighbours(5, bytes)), (MergePlan{.begin = 0, .count = 5}));
}

TEST(MergePlan, files_that_are_large_enough_stay) {
    EXPECT_EQ(plan_merge(equal_neighbours(100, kSmallFileBytes)), std::nullopt);
    EXPECT_TRUE(plan_merge(equal_neighbours(100, kSmallFileBytes - 1)).has_value());
}

TEST(MergePlan, files_on_both_sides_of_a_large_one_are_not_merged_across_it) {
    std::vector<std::uint64_t> sizes(14, kKilobyte);
    sizes.insert(sizes.begin() + 7, kMostMergedBytes);
    EXPECT_EQ(plan_merge(neighbours(sizes)), std::nullopt);
}

TEST(MergePlan, a_file_in_compaction_is_left_out) {
    auto files = equal_neighbours(16, kKilobyte);
    files[7].is_busy = true;
    EXPECT_EQ(plan_merge(files), (MergePlan{.begin = 8, .count = 8}));
    files[8].is_busy = true;
    EXPECT_EQ(plan_merge(files), std::nullopt);
}

TEST(MergePlan, files_that_overlap_are_left_out) {
    auto files = equal_neighbours(17, kKilobyte);
    files[7].last = files[8].first;
    EXPECT_EQ(plan_merge(files), (MergePlan{.begin = 9, .count = 8}));
    files = equal_neighbours(17, kKilobyte);
    files[0].last = files[9].last;  // over many
    EXPECT_EQ(plan_merge(files), std::nullopt);
}

/// Flushes of sizes that differ by up to `spread`, each followed by what is due.
struct Growth {
    std::size_t most_small_neighbours = 0;
    double times_written = 0;  // each byte, by merges
    std::size_t files = 0;
    std::uint64_t bytes = 0;
};
Growth grow(test::Random& random, std::uint64_t bytes, std::size_t spread, std::size_t flushes) {
    Growth growth;
    std::vector<std::uint64_t> sizes;
    std::uint64_t merged = 0;
    for (std::size_t i = 0; i < flushes; ++i) {
        sizes.push_back(bytes * (1 + random.below(spread)));
        growth.bytes += sizes.back();
        while (const auto plan = plan_merge(neighbours(sizes))) {
            const auto begin = sizes.begin() + static_cast<std::ptrdiff_t>(plan->begin);
            const auto end = begin + static_cast<std::ptrdiff_t>(plan->count);
            std::uint64_t sum = 0;
            for (auto it = begin; it != end; ++it)
                sum += *it;
            EXPECT_GE(sum,
                      std::min(kMergeGrowth * *std::max_element(begin, end), kMostMergedBytes / 2));
            EXPECT_LE(sum, kMostMergedBytes);
            merged += sum;
            *begin = sum;
            sizes.erase(begin + 1, end);
        }
        std::size_t small_neighbours = 0;
        for (const std::uint64_t size : sizes) {
            small_neighbours = size < kSmallFileBytes ? small_neighbours + 1 : 0;
            growth.most_small_neighbours = std::max(growth.most_small_neighbours, small_neighbours);
        }
    }
    growth.files = sizes.size();
    growth.times_written = static_cast<double>(merged) / static_cast<double>(growth.bytes);
    return growth;
}

TEST(MergePlan, files_stay_few_and_are_written_again_few_times) {
    test::Random random(11);
    for (const std::uint64_t bytes : {kKilobyte, 20 * kKilobyte, 500 * kKilobyte, 5000 * kKilobyte})
        for (const std::size_t spread : {1U, 2U, 10U}) {
            SCOPED_TRACE(testing::Message() << bytes << " bytes, spread " << spread);
            const Growth growth = grow(random, bytes, spread, 3000);
            // How often a file can become eight times larger before it is not small any more.
            double steps = 0;
            for (std::uint64_t size = bytes; size < kSmallFileBytes; size *= kMergeGrowth)
                ++steps;
            EXPECT_LE(growth.times_written, steps);
            EXPECT_LE(static_cast<double>(growth.most_small_neighbours),
                      (steps + 1) * static_cast<double>(kMergeGrowth) * 2);
            // Where flushes are large themselves, small ones stay between them.
            EXPECT_LE(growth.files,
                      growth.most_small_neighbours + 2 * growth.bytes / kSmallFileBytes);
        }
}

}  // namespace
}  // namespace heddle::ledger
