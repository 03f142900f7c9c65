// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The explorer itself, on programs whose interleavings can be counted by hand.
#include "explorer.hpp"

#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "explored_atomics.hpp"

namespace heddle::test {
namespace {

using Number = ExploredAtomic<int>;

/// A case of two threads given by functions.
class TwoThreads : public Case {
public:
    std::vector<Thread> threads() override {
        return {{"left", [this] { left(); }}, {"right", [this] { right(); }}};
    }
    virtual void left() = 0;
    virtual void right() = 0;
};

template <typename T, typename... Args>
MakeCase make(Args... args) {
    return [=] { return std::make_unique<T>(args...); };
}

/// Both add one, by a load and a store.
class LostUpdate final : public TwoThreads {
public:
    void left() override { add(); }
    void right() override { add(); }
    void at_end() override { expect(number_.load() == 2, "an update is lost"); }

private:
    void add() { number_.store(number_.load() + 1); }
    Number number_{0};
};

TEST(Explorer, finds_a_lost_update) {
    const Exploration exploration = explore_all(make<LostUpdate>());

    ASSERT_TRUE(exploration.failure.has_value());
    EXPECT_EQ(exploration.failure->what, "an update is lost");
}

TEST(Explorer, replays_what_it_found) {
    for (const Exploration& found :
         {explore_all(make<LostUpdate>()), explore_bounded(make<LostUpdate>(), 1),
          explore_randomly(make<LostUpdate>(), 7, 1'000)}) {
        ASSERT_TRUE(found.failure.has_value());

        const Exploration replayed = replay(make<LostUpdate>(), found.failure->schedule);

        ASSERT_TRUE(replayed.failure.has_value());
        EXPECT_EQ(replayed.failure->trace, found.failure->trace);
    }
}

TEST(Explorer, same_seed_gives_the_same_schedules) {
    const Exploration first = explore_randomly(make<LostUpdate>(), 3, 1'000);
    const Exploration second = explore_randomly(make<LostUpdate>(), 3, 1'000);

    ASSERT_TRUE(first.failure.has_value() && second.failure.has_value());
    EXPECT_EQ(first.executions, second.executions);
    EXPECT_EQ(first.failure->schedule.choices, second.failure->schedule.choices);
}

TEST(Explorer, needs_a_preemption_to_find_a_lost_update) {
    const Exploration exploration = explore_bounded(make<LostUpdate>(), 0);

    EXPECT_TRUE(exploration.is_complete);
    EXPECT_FALSE(exploration.failure.has_value());
}

/// Two variables, stored to in turn and loaded by the other: of the four outcomes one is impossible
/// in sequential consistency.
class StoreBuffering final : public TwoThreads {
public:
    explicit StoreBuffering(std::set<std::pair<int, int>>* outcomes) : outcomes_(outcomes) {}
    void left() override {
        first_.store(1);
        seen_left_ = second_.load();
    }
    void right() override {
        second_.store(1);
        seen_right_ = first_.load();
    }
    void at_end() override { outcomes_->emplace(seen_left_, seen_right_); }

private:
    std::set<std::pair<int, int>>* outcomes_;
    Number first_{0};
    Number second_{0};
    int seen_left_ = 0;
    int seen_right_ = 0;
};

TEST(Explorer, visits_all_sequentially_consistent_outcomes_and_no_other) {
    const std::set<std::pair<int, int>> expected{{0, 1}, {1, 0}, {1, 1}};

    std::set<std::pair<int, int>> outcomes;
    EXPECT_TRUE(explore_all(make<StoreBuffering>(&outcomes)).is_complete);
    EXPECT_EQ(outcomes, expected);

    outcomes.clear();
    EXPECT_TRUE(explore_bounded(make<StoreBuffering>(&outcomes), 2).is_complete);
    EXPECT_EQ(outcomes, expected);
}

/// Of six interleavings of two stores each, on two variables, all show the same.
class Unrelated final : public TwoThreads {
public:
    void left() override {
        first_.store(1);
        first_.store(2);
    }
    void right() override {
        second_.store(1);
        second_.store(2);
    }

private:
    Number first_{0};
    Number second_{0};
};

TEST(Explorer, runs_unrelated_operations_in_one_order_only) {
    const Exploration exploration = explore_all(make<Unrelated>());

    EXPECT_TRUE(exploration.is_complete);
    EXPECT_EQ(exploration.executions - exploration.abandoned, 1u);
}

class Related final : public TwoThreads {
public:
    void left() override { store_twice(); }
    void right() override { store_twice(); }

private:
    void store_twice() {
        number_.store(1);
        number_.store(2);
    }
    Number number_{0};
};

TEST(Explorer, runs_related_operations_in_every_order) {
    const Exploration exploration = explore_all(make<Related>());

    EXPECT_TRUE(exploration.is_complete);
    EXPECT_EQ(exploration.executions - exploration.abandoned, 6u);
}

class ForgottenWaiter final : public TwoThreads {
public:
    void left() override { number_.wait(0); }
    void right() override { number_.store(1); }

private:
    Number number_{0};
};

TEST(Explorer, finds_who_sleeps_for_ever) {
    const Exploration exploration = explore_all(make<ForgottenWaiter>());

    ASSERT_TRUE(exploration.failure.has_value());
    EXPECT_EQ(exploration.failure->what, "for ever asleep: left");
}

class Spinning final : public TwoThreads {
public:
    void left() override {
        while (number_.load() == 0) {
        }
    }
    void right() override {}

private:
    Number number_{0};
};

TEST(Explorer, finds_what_does_not_end) {
    const Exploration exploration = explore_all(make<Spinning>());

    ASSERT_TRUE(exploration.failure.has_value());
    EXPECT_EQ(exploration.failure->what, "does not end");
}

class OneTry final : public TwoThreads {
public:
    void left() override {
        int expected = 0;
        expect(number_.compare_exchange_weak(expected, 1), "failed for no reason");
    }
    void right() override {}

private:
    Number number_{0};
};

TEST(Explorer, lets_weak_comparisons_fail_for_no_reason) {
    const Exploration exploration = explore_all(make<OneTry>());

    ASSERT_TRUE(exploration.failure.has_value());
    EXPECT_EQ(exploration.failure->what, "failed for no reason");
}

}  // namespace
}  // namespace heddle::test
