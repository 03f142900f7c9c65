// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/transport/memory_budget.hpp"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::node::rpc {
namespace {

constexpr std::size_t kAll = std::size_t{64} << 20;
constexpr std::size_t kAnswer = std::size_t{10} << 20;

TEST(MemoryBudget, one_client_that_reads_nothing_leaves_others_room) {
    MemoryBudget budget{kAll};
    std::vector<MemoryShare> unread;
    const auto answer = [&](std::uint64_t client) {
        MemoryShare share{budget, client};
        if (!share.grow_to(kAnswer)) return false;
        unread.push_back(std::move(share));
        return true;
    };
    std::size_t count = 0;
    while (answer(1))
        ASSERT_LT(++count, 7u);
    EXPECT_GE(count, 3u);

    EXPECT_TRUE(answer(2));
    EXPECT_FALSE(answer(1));
    EXPECT_EQ(budget.taken(), (count + 1) * kAnswer);
    unread.clear();
    EXPECT_EQ(budget.taken(), 0u);
    EXPECT_TRUE(answer(1));
}

TEST(MemoryBudget, one_answer_may_have_all_that_nobody_has) {
    MemoryBudget budget{kAll};
    MemoryShare share{budget, 1};
    EXPECT_FALSE(share.grow_to(kAll + 1));
    EXPECT_TRUE(share.grow_to(kAll));
    MemoryShare other{budget, 2};
    EXPECT_FALSE(other.grow_to(MemoryShare::kFree + 1));
    EXPECT_TRUE(other.grow_to(MemoryShare::kFree)) << "so little is free";
    share.release();
    EXPECT_TRUE(other.grow_to(kAnswer));
    EXPECT_EQ(budget.taken(), kAnswer);
}

}  // namespace
}  // namespace heddle::node::rpc
