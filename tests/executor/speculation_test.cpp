// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "stream/speculation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>

#include "stream/attempt_supervisor.hpp"

namespace heddle::executor {
namespace {

class SpeculationTest : public testing::Test {
protected:
    /// The next transaction, which calls this account; never one of those that try whether it is
    /// calm again.
    Task& next(AccountCell& recipient) {
        if (++task_.position % 32 == 0) ++task_.position;
        task_.recipient = &recipient;
        task_.drawn_gas = 0;
        task_.lost_turns = 0;
        task_.is_behind = false;
        return task_;
    }
    /// The same; it waits for the one before it that does.
    Task& next_behind(AccountCell& recipient) {
        Task& task = next(recipient);
        task.is_behind = true;
        return task;
    }
    /// It holds, and has read a slot that changed so many positions before.
    void accept_behind(AccountCell& account, std::uint64_t distance) {
        task_.position += distance;
        accept_reading(next_behind(account), account, distance);
    }
    /// The same, where it waits for what its object set says and calls another account.
    void accept_behind_set(AccountCell& account, std::uint64_t distance) {
        task_.position += distance;
        Task& task = next(calm_);
        task.is_behind_all = true;
        accept_reading(task, account, distance);
        task.is_behind_all = false;
    }
    void accept_reading(const Task& task, AccountCell& account, std::uint64_t distance) {
        SlotCell slot;
        slot.account = &account;
        Attempt attempt;
        attempt.accounts.push_back({&account, {}});
        attempt.slots.push_back({&slot, make_stamp(task.position - distance, 0)});
        speculation_.accepted(task, attempt);
    }
    /// Draws what an attempt does before it begins.
    bool begin(Task& task) {
        window_.set_committed(task.position - 1);
        return speculation_.draw(task, AttemptSupervisor::drawn_by(task, speculation_.usual_gas()),
                                 window_);
    }
    Task& next_probe(AccountCell& recipient) {
        Task& task = next(recipient);
        task.position += 32 - task.position % 32;
        return task;
    }
    void lose(AccountCell& account, int times) {
        for (int i = 0; i < times; ++i) {
            speculation_.lost(next(account), &account);
            speculation_.committed(task_, 0, 0);
        }
    }
    /// One that takes so many times as long as a transaction that does nothing but what each does.
    void lose_long(AccountCell& account, std::int64_t times) {
        constexpr std::int64_t kTicks = 1'000;
        speculation_.committed(next(calm_), 0, kTicks);
        Task& task = next(account);
        speculation_.note_lost(task, times * kTicks);
        speculation_.lost(task, &account);
    }
    void accept(AccountCell& account, int times) {
        Attempt attempt;
        attempt.accounts.push_back({&account, {}});
        for (int i = 0; i < times; ++i)
            speculation_.accepted(next(account), attempt);
    }
    void accept_probe(AccountCell& account) {
        Attempt attempt;
        attempt.accounts.push_back({&account, {}});
        speculation_.accepted(next_probe(account), attempt);
    }

    Task task_;
    Window window_{8};
    AccountCell busy_;
    AccountCell calm_;
    Speculation speculation_{2};
};

// Whoever brings it about that blocks are refused must not be forgiven what they have cost.
TEST_F(SpeculationTest, what_was_certain_of_a_refused_chain_is_owed_as_what_it_lent) {
    constexpr std::int64_t kUsed = 300'000;
    const std::int64_t limit = speculation_.budget().limit();
    Task certain;
    Task other;
    certain.position = 1;
    other.position = 2;
    speculation_.lend(certain, kUsed);
    ASSERT_TRUE(speculation_.draw(other, limit + kUsed, window_));

    speculation_.lost(certain, nullptr);
    speculation_.lost(other, nullptr);
    EXPECT_EQ(speculation_.budget().owed(), limit + 2 * kUsed);
    EXPECT_EQ(speculation_.budget().left(), -2 * kUsed) << "the loan is called in";
    speculation_.reset();
    EXPECT_EQ(speculation_.budget().left(), -2 * kUsed);
}

TEST_F(SpeculationTest, what_calls_an_account_that_overtakes_many_is_not_attempted) {
    EXPECT_FALSE(speculation_.is_held(next(busy_)));
    lose(busy_, 6);
    EXPECT_TRUE(speculation_.is_held(next(busy_)));
    EXPECT_FALSE(speculation_.is_held(next_probe(busy_)));
    EXPECT_FALSE(speculation_.is_held(next(calm_)));
}

TEST_F(SpeculationTest, what_is_sent_by_it_is_not_attempted_either) {
    lose(busy_, 6);
    Task& task = next(calm_);
    task.sender = &busy_;
    EXPECT_TRUE(speculation_.is_held(task));
}

TEST_F(SpeculationTest, an_account_stays_restless_while_sets_have_transactions_wait_for_it) {
    lose(busy_, 6);
    const std::uint32_t before = busy_.unrest.load();
    for (int i = 0; i < 100; ++i)
        accept_behind_set(busy_, 3);
    EXPECT_GE(busy_.unrest.load(), before);
    EXPECT_LT(busy_.unrest.load(), kUnruly) << "to wait is enough";
    for (int i = 0; i < 100; ++i)
        accept_behind_set(busy_, 100);
    EXPECT_EQ(busy_.unrest.load(), 0u) << "nothing that was in flight was waited for";
}

TEST_F(SpeculationTest, a_few_among_many_that_hold_are_no_reason) {
    for (int i = 0; i < 100; ++i) {
        lose(busy_, 1);
        accept(busy_, 8);
        ASSERT_FALSE(speculation_.is_held(next(busy_)));
    }
}

TEST_F(SpeculationTest, of_those_that_take_longer_than_they_would_save_fewer_are_too_many) {
    for (int i = 0; i < 100; ++i) {
        lose_long(calm_, 1);
        accept(calm_, 8);
        ASSERT_FALSE(speculation_.is_held(next(calm_)));
    }
    for (int i = 0; i < 4; ++i) {
        lose_long(busy_, 5);
        accept(busy_, 8);
    }
    EXPECT_TRUE(speculation_.is_held(next(busy_)));
}

TEST_F(SpeculationTest, one_alone_is_not_too_many_however_long_it_takes) {
    lose_long(busy_, 1'000'000);
    EXPECT_FALSE(speculation_.is_held(next(busy_)));
}

TEST_F(SpeculationTest, probes_that_hold_end_it) {
    lose(busy_, 100);
    for (int i = 0; i < 20; ++i)
        accept_probe(busy_);
    EXPECT_FALSE(speculation_.is_held(next(busy_)));
    EXPECT_FALSE(speculation_.is_held(next(calm_)));
}

TEST_F(SpeculationTest, where_everything_is_overtaken_nothing_is_attempted) {
    std::array<AccountCell, 30> accounts;
    for (AccountCell& account : accounts)
        lose(account, 1);
    EXPECT_TRUE(speculation_.is_held(next(calm_)));
    EXPECT_FALSE(speculation_.is_held(next_probe(calm_)));
    accept(calm_, 60);
    EXPECT_FALSE(speculation_.is_held(next(calm_)));
}

TEST_F(SpeculationTest, a_new_stream_knows_nothing_of_the_last_but_its_cells_and_what_it_owes) {
    std::array<AccountCell, 30> accounts;
    for (AccountCell& account : accounts)
        lose(account, 1);
    speculation_.reset();
    EXPECT_FALSE(speculation_.is_held(next(calm_)));
    ASSERT_TRUE(speculation_.budget().draw(2'000'000)) << "a million for each worker";
    EXPECT_FALSE(speculation_.budget().draw(1));
    speculation_.budget().put_back(1'000'000);
    Task& task = next(calm_);
    task.drawn_gas = 1'000'000;
    speculation_.lost(task, nullptr);

    speculation_.reset();
    EXPECT_FALSE(speculation_.budget().draw(1'000'001)) << "what was lost is owed";
    speculation_.committed(next(calm_), 1'000'000, 0);
    speculation_.flush();
    EXPECT_EQ(speculation_.budget().owed(), 0);
    speculation_.reset();
    EXPECT_TRUE(speculation_.budget().draw(2'000'000));
}

TEST_F(SpeculationTest, time_that_has_gone_backwards_counts_as_none) {
    speculation_.committed(next(calm_), 100'000, 1'000);
    Task& task = next(calm_);
    speculation_.note_lost(task, -1'000'000);
    EXPECT_EQ(task.lost_turns, 0);
}

TEST_F(SpeculationTest, the_budget_follows_what_transactions_take) {
    speculation_.committed(next(calm_), 1'500'000, 0);
    EXPECT_EQ(speculation_.budget().limit(), 2 * 4 * 1'500'000);
    speculation_.committed(next(calm_), 15'000'000, 0);
    EXPECT_EQ(speculation_.budget().limit(), 2 * 17'000'000) << "has a most";
    speculation_.committed(next(calm_), 60'000'000, 0);
    EXPECT_EQ(speculation_.budget().limit(), 2 * 60'000'000) << "but for what takes more itself";
    for (int i = 0; i < 5'000; ++i)
        speculation_.committed(next(calm_), 5'000, 0);
    EXPECT_LE(speculation_.budget().limit(), 2 * 140'000) << "forgets";
    EXPECT_GE(speculation_.budget().limit(), 2 * 100'000) << "has a least";
}

TEST_F(SpeculationTest, the_budget_grows_while_attempts_hold) {
    for (int i = 0; i < 5'000; ++i)
        speculation_.committed(next(calm_), 100'000, 0);
    ASSERT_LE(speculation_.budget().limit(), 2 * 5 * 100'000);
    accept(calm_, 500);
    speculation_.committed(next(calm_), 100'000, 0);
    EXPECT_GE(speculation_.budget().limit(), 2 * 32 * 100'000);

    lose(busy_, 8);
    speculation_.committed(next(calm_), 100'000, 0);
    EXPECT_LE(speculation_.budget().limit(), 2 * 5 * 100'000) << "and is small where they do not";
}

TEST_F(SpeculationTest, nothing_is_begun_without_budget_for_what_transactions_take_of_late) {
    for (int i = 0; i < 200; ++i)
        speculation_.committed(next(calm_), 300'000, 0);
    EXPECT_TRUE(begin(next(calm_)));
    EXPECT_GE(task_.drawn_gas, 200'000) << "drawn beforehand";
    speculation_.put_back(task_);
    ASSERT_TRUE(speculation_.budget().draw(speculation_.budget().left() - 200'000));
    EXPECT_FALSE(begin(next(calm_))) << "200,000 gas are left";
    EXPECT_EQ(task_.drawn_gas, 0);

    for (int i = 0; i < 64; ++i)
        speculation_.committed(next(calm_), 21'000, 0);
    EXPECT_TRUE(begin(next(calm_))) << "smaller ones are begun";
}

TEST_F(SpeculationTest, what_is_far_ahead_leaves_some_for_what_is_near_its_turn) {
    const std::int64_t limit = speculation_.budget().limit();
    Task far;
    far.position = 1'000;
    EXPECT_FALSE(speculation_.may_draw(far, limit * 7 / 8, window_));
    EXPECT_FALSE(speculation_.draw(far, limit * 7 / 8, window_));
    EXPECT_TRUE(speculation_.draw(far, limit * 3 / 4, window_));
    EXPECT_FALSE(speculation_.draw(far, limit * 3 / 4 + 1, window_));

    Task near;
    near.position = 2;
    EXPECT_TRUE(speculation_.may_draw(near, limit / 4, window_));
    EXPECT_TRUE(speculation_.draw(near, limit / 4, window_));
    EXPECT_FALSE(speculation_.draw(near, limit / 4 + 1, window_));
}

TEST_F(SpeculationTest, at_its_turn_a_quarter_of_the_limit_is_drawn_on_credit) {
    const std::int64_t limit = speculation_.budget().limit();
    Task task;
    Task later;
    EXPECT_TRUE(speculation_.draw_at_turn(task, limit + limit / 4));
    EXPECT_EQ(speculation_.budget().left(), -limit / 4);
    EXPECT_FALSE(speculation_.draw_at_turn(task, limit + limit / 4 + 1));
    EXPECT_FALSE(speculation_.draw(later, 1, window_));

    speculation_.lost(task, nullptr);
    EXPECT_EQ(speculation_.budget().owed(), limit + limit / 4) << "as all else that was drawn";
}

TEST_F(SpeculationTest, what_was_not_used_is_put_back) {
    const std::int64_t limit = speculation_.budget().limit();
    Task& task = next(calm_);
    ASSERT_TRUE(speculation_.draw(task, limit, window_));
    speculation_.put_back(task);
    EXPECT_EQ(task.drawn_gas, 0);
    speculation_.put_back(task);
    EXPECT_EQ(speculation_.budget().left(), limit);
}

TEST_F(SpeculationTest, what_is_ordered_by_a_restless_account_is_attempted) {
    lose(busy_, 100);
    ASSERT_TRUE(speculation_.is_restless(next(busy_)));
    ASSERT_FALSE(speculation_.is_restless(next(calm_)));
    ASSERT_TRUE(speculation_.is_unsettled());
    accept(calm_, 100);  // the storm is over
    EXPECT_TRUE(speculation_.is_held(next(busy_)));
    EXPECT_FALSE(speculation_.is_held(next_behind(busy_)));
}

TEST_F(SpeculationTest, those_that_had_to_wait_keep_the_account_restless_and_no_more_than_that) {
    lose(busy_, 8);
    for (int i = 0; i < 100; ++i) {
        accept_behind(busy_, 1);
        accept(calm_, 10);
        ASSERT_TRUE(speculation_.is_restless(next(busy_)));
        ASSERT_FALSE(speculation_.is_held(next_behind(busy_)));
    }
}

TEST_F(SpeculationTest, those_that_need_not_have_waited_calm_it) {
    lose(busy_, 8);
    for (int i = 0; i < 100; ++i)
        accept_behind(busy_, 1'000);
    EXPECT_FALSE(speculation_.is_restless(next(busy_)));
}

TEST_F(SpeculationTest, what_is_overtaken_although_it_has_waited_is_not_attempted) {
    lose(busy_, 8);
    for (int i = 0; i < 10; ++i) {
        speculation_.lost(next_behind(busy_), &busy_);
        accept(calm_, 10);
    }
    EXPECT_TRUE(speculation_.is_held(next_behind(busy_)));
}

TEST_F(SpeculationTest, what_is_overtaken_without_having_waited_is_no_reason_not_to_wait) {
    lose(busy_, 100);
    accept(calm_, 100);
    EXPECT_FALSE(speculation_.is_held(next_behind(busy_)));
}

TEST_F(SpeculationTest, what_needed_more_than_there_was_is_taken_for_usual) {
    for (int i = 0; i < 200; ++i)
        speculation_.committed(next(calm_), 5'000, 0);
    ASSERT_TRUE(speculation_.budget().draw(speculation_.budget().left() - 20'000));
    ASSERT_TRUE(begin(next(calm_)));
    speculation_.put_back(task_);
    for (int i = 0; i < 8; ++i) {
        Task& task = next(calm_);
        task.drawn_gas = 100'000;
        speculation_.lost(task, nullptr);
    }
    EXPECT_FALSE(begin(next(calm_)));
}

TEST_F(SpeculationTest, where_many_are_ended_nothing_is_attempted) {
    for (int i = 0; i < 100; ++i)
        speculation_.ended();
    EXPECT_TRUE(speculation_.is_held(next(calm_)));
    EXPECT_FALSE(speculation_.is_held(next_probe(calm_)));
}

// Whose gas is quick: creations that fail, accounts destroyed. Whose gas is slow: hashing.

TEST(GasPace, time_is_worth_what_the_committed_use_in_it) {
    GasPace pace;
    EXPECT_EQ(pace.worth(1'000'000), 0) << "nothing is known";
    for (int i = 0; i < 100; ++i)
        pace.note(90'000, 1'000);
    EXPECT_NEAR(static_cast<double>(pace.worth(1'000)), 100'000, 200)
        << "with what a transaction pays before it executes";
    EXPECT_NEAR(static_cast<double>(pace.worth(64'000)), 6'400'000, 12'800);
}

TEST(GasPace, is_that_of_their_sums_whoever_is_quick) {
    GasPace pace;
    for (int i = 0; i < 200; ++i) {
        pace.note(90'000, 1'000);
        pace.note(90'000, 1'000'000);
    }
    EXPECT_NEAR(static_cast<double>(pace.worth(1'001'000)), 200'000, 20'000);
}

TEST(GasPace, follows_what_is_committed_now) {
    GasPace pace;
    for (int i = 0; i < 1'000; ++i)
        pace.note(90'000, 1'000'000);
    for (int i = 0; i < 1'000; ++i)
        pace.note(90'000, 1'000);
    EXPECT_GT(pace.worth(1'000), 90'000);
}

TEST(GasPace, bears_any_number) {
    GasPace pace;
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    for (int i = 0; i < 1'000; ++i)
        pace.note(kMost, 1);
    EXPECT_GT(pace.worth(kMost), 0);
    for (int i = 0; i < 1'000; ++i)
        pace.note(0, kMost);
    EXPECT_GE(pace.worth(kMost), 0);
    pace.note(1, 0);
    pace.note(1, -1);
    EXPECT_GE(pace.worth(kMost), 0);
}

}  // namespace
}  // namespace heddle::executor
