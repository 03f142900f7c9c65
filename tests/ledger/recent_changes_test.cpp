// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "durable/recent_changes.hpp"

#include <gtest/gtest.h>

namespace heddle::ledger {
namespace {

RecentChanges::Shared changes_of(std::uint64_t number) {
    BlockChanges changes;
    changes.accounts.emplace_back().address = address_from_low64(number);
    return std::make_shared<const BlockChanges>(std::move(changes));
}

std::vector<std::uint64_t> numbers(const std::vector<RecentChanges::Entry>& entries) {
    std::vector<std::uint64_t> result;
    for (const RecentChanges::Entry& entry : entries) {
        EXPECT_NE(entry.changes->find(address_from_low64(entry.number)), nullptr);
        result.push_back(entry.number);
    }
    return result;
}

using Numbers = std::vector<std::uint64_t>;

TEST(RecentChanges, lists_blocks_up_to_one) {
    RecentChanges recent;
    for (std::uint64_t number = 5; number <= 9; ++number)
        recent.add(number, changes_of(number));

    EXPECT_EQ(numbers(recent.through(4)), Numbers{});
    EXPECT_EQ(numbers(recent.through(7)), (Numbers{5, 6, 7}));
    EXPECT_EQ(numbers(recent.through(100)), (Numbers{5, 6, 7, 8, 9}));
}

TEST(RecentChanges, drops_what_the_tables_show) {
    RecentChanges recent;
    for (std::uint64_t number = 1; number <= 5; ++number)
        recent.add(number, changes_of(number));
    recent.drop_through(3);
    EXPECT_EQ(numbers(recent.through(100)), (Numbers{4, 5}));
    recent.drop_through(100);
    EXPECT_TRUE(recent.through(100).empty());
    recent.add(6, changes_of(6));
    recent.clear();
    EXPECT_TRUE(recent.through(100).empty());
    recent.add(1, changes_of(1));
    EXPECT_EQ(numbers(recent.through(100)), Numbers{1});
}

TEST(RecentChanges, visits_later_blocks_until_told_to_stop) {
    RecentChanges recent;
    for (std::uint64_t number = 1; number <= 5; ++number)
        recent.add(number, changes_of(number));
    std::size_t visited = 0;
    recent.visit_after(2, [&](const BlockChanges& changes) {
        EXPECT_NE(changes.find(address_from_low64(3 + visited)), nullptr);
        return ++visited == 2;
    });
    EXPECT_EQ(visited, 2u);
}

TEST(RecentChangesDeath, gap_between_blocks_is_fatal) {
    RecentChanges recent;
    recent.add(1, changes_of(1));
    EXPECT_DEATH(recent.add(3, changes_of(3)), "");
}

}  // namespace
}  // namespace heddle::ledger
