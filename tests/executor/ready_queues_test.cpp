// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "workers/ready_queues.hpp"

#include <array>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::executor {
namespace {

constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

class ReadyQueuesTest : public testing::Test {
protected:
    WorkerParking parking_;
    ReadyQueues queues_{3, 16, parking_};

    /// @param most  Items at once.
    std::vector<std::uint64_t> take(unsigned worker, std::size_t most = 1) {
        std::array<ReadyItem, ReadyQueue::kMaxTaken> items;
        last_ = queues_.take(worker, std::span{items}.first(most), kNoLimit, committed_);
        std::vector<std::uint64_t> positions;
        for (std::size_t i = 0; i < last_.count; ++i)
            positions.push_back(items[i].position);
        return positions;
    }
    ReadyBundle last_;
    std::uint64_t committed_ = 1;
};

using Positions = std::vector<std::uint64_t>;

TEST_F(ReadyQueuesTest, have_nothing_at_first) {
    EXPECT_FALSE(queues_.has_ready());
    EXPECT_EQ(queues_.backlog(), 0u);
    EXPECT_EQ(take(0), Positions{});
}

TEST_F(ReadyQueuesTest, give_the_older_of_a_workers_own_and_what_was_dispatched) {
    queues_.push(1, {7, 0});
    queues_.push_dispatched({5, 0});
    queues_.push_dispatched({9, 0});
    EXPECT_EQ(queues_.backlog(), 3u);

    EXPECT_EQ(take(1), Positions{5});
    EXPECT_EQ(take(1), Positions{7});
    EXPECT_EQ(take(1), Positions{9});
    EXPECT_FALSE(last_.is_stolen);
    EXPECT_FALSE(queues_.has_ready());
}

TEST_F(ReadyQueuesTest, give_several_by_position_whatever_became_ready_first) {
    for (const std::uint64_t position : {8U, 3U, 6U, 4U, 9U, 5U})
        queues_.push(1, {position, 0});
    EXPECT_EQ(take(1, 3), (Positions{3, 6, 8})) << "the first three, half of what is there";
}

TEST_F(ReadyQueuesTest, prefer_what_was_dispatched_to_what_another_worker_made_ready) {
    queues_.push(1, {3, 0});
    queues_.push_dispatched({4, 0});

    EXPECT_EQ(take(0), Positions{4});
    EXPECT_FALSE(last_.is_stolen);
}

TEST_F(ReadyQueuesTest, far_ahead_of_the_committer_give_the_oldest_of_all) {
    queues_.push(0, {1'000, 0});
    queues_.push(1, {400, 0});
    queues_.push(2, {300, 0});
    queues_.push_dispatched({500, 0});

    EXPECT_EQ(take(0), Positions{300});
    EXPECT_TRUE(last_.is_stolen);
    EXPECT_EQ(take(0), Positions{400});
    EXPECT_EQ(take(0), Positions{500});
    EXPECT_FALSE(last_.is_stolen);
}

TEST_F(ReadyQueuesTest, near_the_committer_leave_others_alone) {
    committed_ = 490;
    queues_.push(1, {491, 0});
    queues_.push_dispatched({500, 0});

    EXPECT_EQ(take(0), Positions{500});
    EXPECT_FALSE(last_.is_stolen);
}

TEST_F(ReadyQueuesTest, leave_nothing_to_a_busy_worker_while_another_is_idle) {
    queues_.push(1, {3, 0});
    queues_.push(2, {2, 0});
    EXPECT_TRUE(queues_.has_ready());

    // The oldest first.
    EXPECT_EQ(take(0), Positions{2});
    EXPECT_TRUE(last_.is_stolen);
    EXPECT_EQ(take(0), Positions{3});
    EXPECT_TRUE(last_.is_stolen);
}

TEST_F(ReadyQueuesTest, give_several_of_one_queue_and_leave_half_to_others) {
    for (std::uint64_t position = 1; position <= 8; ++position)
        queues_.push_dispatched({position, 0});

    EXPECT_EQ(take(0, 16), (Positions{1, 2, 3, 4}));
    EXPECT_EQ(take(2, 1), Positions{5});
}

}  // namespace
}  // namespace heddle::executor
