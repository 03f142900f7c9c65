// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What each of the paper's execution models does at each step, with one thread that plays all
// workers. That it holds when they run at once is tests/schedule/lanes_test.cpp.
#include "early/lanes.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::executor {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Positions = std::vector<std::uint64_t>;

/// Notes who was woken; nobody sleeps.
class FakeParking {
public:
    bool notify_worker(unsigned worker) {
        woken.insert(worker);
        return true;
    }
    bool notify_any() { return notify_worker(0); }

    std::set<unsigned> woken;
};

constexpr unsigned kLanes = 4;
const RequestClasses kClasses{2};

class LanesTest : public testing::Test {
protected:
    void start(ThreadModel model) {
        lanes_ = std::make_unique<BasicLanes<StandardAtomics, FakeParking>>(
            BasicLanes<StandardAtomics, FakeParking>::Shape{
                .lanes = kLanes, .workers = kLanes, .window = 64, .model = model},
            kClasses, parking_);
        next_ = 1;
    }
    /// @return its position.
    std::uint64_t add(ClassId id, bool is_sequential, ThreadSet lanes) {
        lanes_->add(next_, 21'000, id, {is_sequential, lanes});
        return next_++;
    }
    std::uint64_t add_move(unsigned lane) {
        return add(kClasses.moves(), false, ThreadSet{1} << lane);
    }
    /// As far as the worker comes without anybody else.
    Positions take(unsigned worker) {
        Positions positions;
        std::array<ReadyItem, 4> items;
        for (unsigned i = 0; i < 2 * kLanes; ++i) {
            const ReadyBundle taken = lanes_->take(worker, items);
            is_stolen_ = taken.is_stolen;
            for (std::size_t k = 0; k < taken.count; ++k)
                positions.push_back(items[k].position);
            if (!positions.empty() || !lanes_->has_ready(worker)) return positions;
        }
        ADD_FAILURE() << "it would look for ever";
        return positions;
    }

    FakeParking parking_;
    std::unique_ptr<BasicLanes<StandardAtomics, FakeParking>> lanes_;
    std::uint64_t next_ = 1;
    bool is_stolen_ = false;
};

const ClassId kWrite = kClasses.local_write(0);
const ClassId kRead = kClasses.local_read(0);

TEST_F(LanesTest, at_a_barrier_the_first_lane_executes_and_all_leave_together) {
    start(ThreadModel::barrier);
    const std::uint64_t request = add(kWrite, true, 0b0110);
    const std::uint64_t behind = add_move(2);

    EXPECT_THAT(take(1), IsEmpty()) << "the other lane has not come";
    EXPECT_THAT(take(2), IsEmpty()) << "it is not the first";
    EXPECT_THAT(parking_.woken, Contains(1u));
    EXPECT_THAT(take(1), ElementsAre(request));
    lanes_->done(request);
    EXPECT_THAT(take(2), IsEmpty()) << "the first lane has not come to the second barrier";
    EXPECT_THAT(take(1), IsEmpty());
    EXPECT_THAT(take(2), ElementsAre(behind));
}

TEST_F(LanesTest, at_marks_the_last_lane_executes_and_others_go_on_when_it_is_done) {
    start(ThreadModel::busy_wait);
    const std::uint64_t request = add(kWrite, true, 0b0110);
    const std::uint64_t behind = add_move(1);

    EXPECT_THAT(take(1), IsEmpty());
    EXPECT_THAT(take(2), ElementsAre(request));
    EXPECT_THAT(take(1), IsEmpty());
    parking_.woken.clear();
    lanes_->done(request);
    EXPECT_THAT(parking_.woken, ElementsAre(1, 2));
    EXPECT_THAT(take(1), ElementsAre(behind)) << "whether the other one has left or not";
}

TEST_F(LanesTest, after_a_moderate_thiefs_request_all_leave_together) {
    start(ThreadModel::moderate);
    const std::uint64_t request = add(kWrite, true, 0b0110);
    const std::uint64_t behind = add(kWrite, false, 0b0010);

    EXPECT_THAT(take(1), IsEmpty());
    EXPECT_THAT(take(2), ElementsAre(request));
    lanes_->done(request);
    EXPECT_THAT(take(1), IsEmpty()) << "the other lane has not come to the barrier";
    EXPECT_THAT(take(2), IsEmpty());
    EXPECT_THAT(take(1), ElementsAre(behind));
}

TEST_F(LanesTest, only_thieves_steal_and_say_so) {
    for (const ThreadModel model : {ThreadModel::barrier, ThreadModel::busy_wait}) {
        start(model);
        add_move(3);
        EXPECT_THAT(take(1), IsEmpty());
    }
    for (const ThreadModel model : {ThreadModel::conservative, ThreadModel::moderate,
                                    ThreadModel::aggressive, ThreadModel::optimistic}) {
        start(model);
        const std::uint64_t request = add_move(3);
        EXPECT_THAT(take(1), ElementsAre(request));
        EXPECT_TRUE(is_stolen_);
    }
}

TEST_F(LanesTest, while_it_gathers_a_lane_steals_what_does_not_conflict_unless_it_is_conservative) {
    for (const ThreadModel model :
         {ThreadModel::moderate, ThreadModel::aggressive, ThreadModel::optimistic}) {
        start(model);
        add(kWrite, true, 0b0110);
        const std::uint64_t other = add_move(3);
        add(kRead, false, 0b1000);
        EXPECT_THAT(take(1), ElementsAre(other)) << "and not what reads the same shard";
    }
    start(ThreadModel::conservative);
    add(kWrite, true, 0b0110);
    add_move(3);
    EXPECT_THAT(take(1), IsEmpty());
}

TEST_F(LanesTest, victims_are_looked_for_from_the_first_or_from_the_next_lane_on) {
    for (const bool begins_with_next : {false, true}) {
        start(begins_with_next ? ThreadModel::aggressive : ThreadModel::moderate);
        const std::uint64_t first = add_move(1);
        const std::uint64_t last = add_move(3);
        EXPECT_THAT(take(2), ElementsAre(begins_with_next ? last : first));
    }
}

TEST_F(LanesTest, a_lane_waits_for_its_thieves_before_a_sequential_request) {
    start(ThreadModel::optimistic);
    const std::uint64_t loot = add_move(3);
    const std::uint64_t request = add(kWrite, true, 0b1100);
    EXPECT_THAT(take(1), ElementsAre(loot));

    EXPECT_THAT(take(2), IsEmpty());
    EXPECT_THAT(take(3), IsEmpty()) << "what was stolen is not done";
    parking_.woken.clear();
    lanes_->done(loot);

    EXPECT_THAT(parking_.woken, ElementsAre(3));
    EXPECT_THAT(take(3), ElementsAre(request));
}

TEST_F(LanesTest, nothing_behind_a_sequential_request_is_stolen) {
    start(ThreadModel::optimistic);
    add(kWrite, true, 0b1100);
    add_move(3);
    EXPECT_THAT(take(1), IsEmpty());
}

TEST_F(LanesTest, requests_of_one_lane_need_no_meeting_and_are_taken_together) {
    start(ThreadModel::optimistic);
    for (int i = 0; i < 5; ++i)
        add(kWrite, true, 0b1000);
    const std::uint64_t read = add(kRead, false, 0b1000);

    EXPECT_THAT(take(3), ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(take(3), IsEmpty()) << "they have the lane for themselves";
    EXPECT_THAT(take(1), IsEmpty()) << "thieves included";
    for (std::uint64_t position = 1; position <= 4; ++position)
        lanes_->done(position);
    EXPECT_THAT(take(3), ElementsAre(5, read));
}

TEST_F(LanesTest, a_request_that_needs_its_lane_for_itself_waits_for_what_was_taken_before) {
    start(ThreadModel::busy_wait);
    const std::uint64_t read = add(kRead, false, 0b1000);
    EXPECT_THAT(take(3), ElementsAre(read));
    const std::uint64_t write = add(kWrite, true, 0b1000);

    EXPECT_THAT(take(3), IsEmpty());
    lanes_->done(read);
    EXPECT_THAT(take(3), ElementsAre(write));
}

TEST_F(LanesTest, what_a_bundle_may_cost_is_bounded) {
    start(ThreadModel::busy_wait);
    for (std::uint64_t position = 1; position <= 3; ++position)
        lanes_->add(position, 250'000, kRead, {false, 0b0010});
    EXPECT_THAT(take(1), ElementsAre(1));
}

TEST_F(LanesTest, concurrent_requests_go_around_the_lanes_of_their_class) {
    start(ThreadModel::busy_wait);
    for (int i = 0; i < 4; ++i)
        add(kRead, false, 0b1110);
    EXPECT_THAT(take(1), ElementsAre(1, 4));
    EXPECT_THAT(take(2), ElementsAre(2));
    EXPECT_THAT(take(3), ElementsAre(3));
}

TEST_F(LanesTest, lanes_of_the_worker_that_dispatches_are_driven_by_others) {
    start(ThreadModel::busy_wait);
    const std::uint64_t concurrent = add_move(0);
    const std::uint64_t request = add(kWrite, true, 0b0011);
    EXPECT_THAT(take(3), ElementsAre(concurrent));
    EXPECT_FALSE(is_stolen_) << "that is no theft";
    lanes_->done(concurrent);
    EXPECT_THAT(take(1), ElementsAre(request));
}

TEST_F(LanesTest, a_fence_lets_nobody_pass_before_everything_before_it_is_done) {
    for (const ThreadModel model : {ThreadModel::barrier, ThreadModel::optimistic}) {
        start(model);
        const std::uint64_t before = add_move(1);
        ASSERT_TRUE(lanes_->has_passed_fence());
        lanes_->fence();
        EXPECT_FALSE(lanes_->has_passed_fence());
        const std::uint64_t behind = add_move(2);

        EXPECT_THAT(take(1), ElementsAre(before));
        EXPECT_THAT(take(2), IsEmpty());
        EXPECT_THAT(take(3), IsEmpty());
        lanes_->done(before);
        EXPECT_THAT(take(1), IsEmpty());
        Positions taken;
        for (unsigned round = 0; round < 3 && taken.empty(); ++round)
            for (const unsigned worker : {3U, 1U, 2U})
                if (taken.empty()) taken = take(worker);
        EXPECT_THAT(taken, ElementsAre(behind));
        for (const unsigned worker : {3U, 1U, 2U})
            EXPECT_THAT(take(worker), IsEmpty());
        EXPECT_TRUE(lanes_->has_passed_fence());
    }
}

}  // namespace
}  // namespace heddle::executor
