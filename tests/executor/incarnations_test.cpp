// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Attempts by number, who waits for them and when they are looked at; what happens at once is in
// tests/schedule.
#include "optimistic/incarnations.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace heddle::executor {
namespace {

class IncarnationsTest : public testing::Test {
protected:
    Incarnations incarnations_{512};
    std::vector<std::uint64_t> resumed_;

    auto resume() {
        return [this](std::uint64_t position) { resumed_.push_back(position); };
    }
    void release(std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t position = first; position <= last; ++position) {
            incarnations_.arrive(position, resume());
            incarnations_.release(position);
        }
    }
    /// It is attempted and handed over.
    bool execute(std::uint64_t position, bool has_new_places = true) {
        incarnations_.begin(position);
        incarnations_.executed(position, resume());
        return incarnations_.handed_over(position, has_new_places);
    }
    /// All looks that there are, in order.
    std::vector<std::uint64_t> looks(std::uint64_t committed = 0) {
        std::vector<std::uint64_t> positions;
        while (const std::uint64_t position = incarnations_.take_look(committed))
            positions.push_back(position);
        return positions;
    }
};

using Positions = std::vector<std::uint64_t>;

TEST_F(IncarnationsTest, values_of_an_attempt_that_was_taken_back_are_estimates_until_the_next) {
    release(1, 2);
    execute(1);
    EXPECT_FALSE(incarnations_.is_estimate(make_stamp(1, 0)));
    incarnations_.taken_back(1);
    EXPECT_TRUE(incarnations_.is_estimate(make_stamp(1, 0)));
    EXPECT_FALSE(incarnations_.is_estimate(make_stamp(1, 1))) << "being made";
    incarnations_.begin(1);
    EXPECT_TRUE(incarnations_.is_estimate(make_stamp(1, 0)));
    EXPECT_FALSE(incarnations_.is_estimate(make_stamp_in_order(1))) << "those are final";
}

TEST_F(IncarnationsTest, nothing_is_an_estimate_whose_position_is_committed) {
    release(1, 1);
    execute(1);
    incarnations_.taken_back(1);
    incarnations_.commit(1, true, resume());
    EXPECT_FALSE(incarnations_.is_estimate(make_stamp(1, 0)));
    // The place is used again.
    release(513, 513);
    execute(513);
    incarnations_.taken_back(513);
    EXPECT_FALSE(incarnations_.is_estimate(make_stamp(1, 0)));
    EXPECT_TRUE(incarnations_.is_estimate(make_stamp(513, 0)));
}

TEST_F(IncarnationsTest, who_waits_is_resumed_when_the_next_attempt_has_ended) {
    release(1, 3);
    execute(1);
    incarnations_.taken_back(1);
    incarnations_.begin(2);
    incarnations_.suspend(2, 1, resume());
    incarnations_.begin(3);
    incarnations_.suspend(3, 1, resume());
    EXPECT_EQ(resumed_, Positions{});

    execute(1);
    EXPECT_EQ(resumed_, (Positions{3, 2}));
}

TEST_F(IncarnationsTest, who_waits_for_one_that_fails_is_resumed_at_its_commit) {
    release(1, 2);
    execute(1);
    incarnations_.taken_back(1);
    incarnations_.begin(2);
    incarnations_.suspend(2, 1, resume());
    incarnations_.begin(1);
    incarnations_.stopped(1);
    EXPECT_EQ(resumed_, Positions{}) << "what it writes is not known";
    incarnations_.commit(1, true, resume());
    EXPECT_EQ(resumed_, Positions{2});
}

TEST_F(IncarnationsTest, who_comes_too_late_to_wait_is_resumed_at_once) {
    release(1, 3);
    execute(1);
    incarnations_.begin(2);
    incarnations_.suspend(2, 1, resume());
    EXPECT_EQ(resumed_, Positions{2}) << "it was executed meanwhile";
    incarnations_.commit(1, false, resume());
    incarnations_.begin(3);
    incarnations_.suspend(3, 1, resume());
    EXPECT_EQ(resumed_, (Positions{2, 3})) << "it was committed meanwhile";
}

TEST_F(IncarnationsTest, a_commit_that_comes_before_the_word_that_it_failed_stays) {
    release(1, 2);
    incarnations_.begin(1);
    incarnations_.commit(1, true, resume());
    incarnations_.stopped(1);
    incarnations_.begin(2);
    incarnations_.suspend(2, 1, resume());
    EXPECT_EQ(resumed_, Positions{2}) << "nobody would resume it later";
}

TEST_F(IncarnationsTest, every_attempt_is_looked_at_once_up_to_the_last_one_executed) {
    release(1, 6);
    EXPECT_FALSE(incarnations_.has_look(0));
    for (const std::uint64_t position : {1U, 2U, 4U})
        EXPECT_FALSE(execute(position)) << "a wave is going to come by";
    EXPECT_TRUE(incarnations_.has_look(0));
    EXPECT_EQ(looks(), (Positions{1, 2, 3, 4}));
    EXPECT_FALSE(incarnations_.has_look(0));
}

TEST_F(IncarnationsTest, what_is_written_anew_is_followed_by_a_wave) {
    release(1, 4);
    for (const std::uint64_t position : {1U, 3U, 4U})
        execute(position);
    static_cast<void>(looks());
    EXPECT_FALSE(execute(2, true));
    EXPECT_EQ(looks(), (Positions{2, 3, 4}));
}

TEST_F(IncarnationsTest, what_is_written_where_it_was_is_looked_at_alone) {
    release(1, 3);
    for (const std::uint64_t position : {1U, 2U, 3U})
        execute(position);
    static_cast<void>(looks());
    incarnations_.taken_back(2);
    EXPECT_EQ(looks(), Positions{3}) << "who has read what is an estimate now";
    EXPECT_TRUE(execute(2, false));
    EXPECT_EQ(looks(), Positions{});
}

TEST_F(IncarnationsTest, what_runs_in_order_is_followed_by_a_wave) {
    release(1, 3);
    for (const std::uint64_t position : {1U, 2U, 3U})
        execute(position);
    static_cast<void>(looks());
    incarnations_.commit(1, false, resume());
    EXPECT_EQ(looks(1), Positions{});
    incarnations_.commit(1, true, resume());
    EXPECT_EQ(looks(1), (Positions{2, 3}));
}

TEST_F(IncarnationsTest, one_whose_turn_has_come_is_not_looked_at) {
    release(1, 3);
    for (const std::uint64_t position : {1U, 2U, 3U})
        execute(position);
    EXPECT_EQ(looks(2), Positions{3});
}

TEST_F(IncarnationsTest, one_change_costs_a_bounded_number_of_looks) {
    release(1, 500);
    for (std::uint64_t position = 2; position <= 500; ++position)
        execute(position);
    static_cast<void>(looks());
    execute(1);
    EXPECT_EQ(looks().size(), Incarnations::kWave - 1);
    EXPECT_EQ(looks(100).size(), 100u) << "the others when it is nearer to their turn";
}

TEST_F(IncarnationsTest, changes_without_end_cost_no_more_looks_than_what_is_committed_pays_for) {
    constexpr std::uint64_t kLast = 500;
    constexpr std::uint64_t kChanges = kLast - Incarnations::kWave;
    release(1, kLast);
    for (std::uint64_t position = 1; position <= kLast; ++position)
        execute(position);
    std::uint64_t count = 0;
    for (std::uint64_t position = 1; position <= kChanges; ++position) {
        incarnations_.commit(position, true, resume());
        const std::uint64_t taken = looks(position + 1).size();
        EXPECT_GT(taken, 1u) << "what comes next is looked at in any case";
        count += taken;
    }
    EXPECT_LE(count, Incarnations::kSaved + Incarnations::kLooksEach * (kChanges + 1));
    EXPECT_FALSE(incarnations_.has_look(kChanges + 1)) << "nobody looks for what is not there";
}

TEST_F(IncarnationsTest, looks_that_nobody_wanted_are_not_saved_for_long) {
    release(1, 512);
    for (std::uint64_t position = 1; position <= 512; ++position)
        execute(position);
    constexpr std::uint64_t kCommitted = 200;
    std::uint64_t count = 0;
    for (int change = 0; change < 8; ++change) {
        incarnations_.commit(kCommitted - 1, true, resume());
        count += looks(kCommitted).size();
    }
    EXPECT_LE(count, Incarnations::kSaved);
}

}  // namespace
}  // namespace heddle::executor
