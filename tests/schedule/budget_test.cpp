// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The budget of speculation under every interleaving: whatever is drawn and decided at once, what
// is not decided and what is owed are never more than the limit, and nothing is lost.
#include "stream/budget.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>

#include <gtest/gtest.h>

#include "checks.hpp"
#include "explored_atomics.hpp"
#include "explorer.hpp"

namespace heddle::executor {
namespace {

using test::Case;
using test::expect_found;
using test::expect_holds;
using test::ExploredAtomics;
using test::MakeCase;

/// A wrong turn, to see whether it would be found.
enum class Flaw : std::uint8_t {
    none,
    draws_in_two_steps,    // look, then take
    keeps_what_is_short,   // what was not there is not given back
    gives_back_twice,      // what did not hold can be drawn again, and is owed as well
    puts_back_too_little,  // of what is not used after all, what was on credit stays away
};

/// BasicBudget once more, with a flaw.
template <Flaw kFlaw>
class FlawedBudget {
public:
    explicit FlawedBudget(std::int64_t limit) : left_(limit) {}

    [[nodiscard]] bool draw(std::int64_t gas, std::int64_t kept = 0) {
        if constexpr (kFlaw == Flaw::draws_in_two_steps) {
            const std::int64_t left = left_.load();
            if (left - gas < kept) return false;
            left_.store(left - gas);
            return true;
        }
        if (left_.fetch_sub(gas) - gas >= kept) return true;
        if constexpr (kFlaw != Flaw::keeps_what_is_short) left_.fetch_add(gas);
        return false;
    }
    void put_back(std::int64_t drawn) {
        if constexpr (kFlaw == Flaw::puts_back_too_little)
            drawn = std::min(drawn, drawn + left_.load());
        left_.fetch_add(drawn);
    }
    void give_back(std::int64_t drawn) { left_.fetch_add(drawn); }
    void lose(std::int64_t drawn) {
        owed_ += drawn;
        if constexpr (kFlaw == Flaw::gives_back_twice) left_.fetch_add(drawn);
    }
    void pay(std::int64_t own) {
        const std::int64_t paid = std::min(own, owed_);
        owed_ -= paid;
        left_.fetch_add(paid);
    }
    void flush() {}
    [[nodiscard]] std::int64_t owed() const { return owed_; }

private:
    ExploredAtomics::Atomic<std::int64_t> left_;
    std::int64_t owed_ = 0;
};

/// What was drawn holds or does not, and its transaction pays half as much.
template <typename Budget>
void decide(Budget& budget, std::int64_t drawn, bool holds) {
    if (holds)
        budget.give_back(drawn);
    else
        budget.lose(drawn);
    budget.pay(drawn / 2);
    budget.flush();
}

/// All of it but what is owed can be drawn, and no more.
template <typename Budget>
void expect_all_is_there(Budget& budget, std::int64_t limit) {
    budget.flush();
    test::expect(budget.draw(limit - budget.owed()), "something was lost");
    test::expect(!budget.draw(1), "something was made out of nothing");
}

/// Two workers draw for an attempt each, twice; each decides its own, as whoever commits does, one
/// at a time. The first one's attempts hold, the other one's do not, and its transactions pay half.
template <typename Budget>
class TwoWorkers final : public Case {
public:
    std::vector<Thread> threads() override {
        return {{"honest", [this] { work(true); }}, {"liar", [this] { work(false); }}};
    }
    void at_end() override { expect_all_is_there(budget_, kLimit); }

private:
    static constexpr std::int64_t kLimit = 3;
    static constexpr std::int64_t kGas = 2;

    void work(bool holds) {
        for (int i = 0; i < 2; ++i) {
            if (!budget_.draw(kGas)) continue;
            drawn_ += kGas;
            test::expect(drawn_ + budget_.owed() <= kLimit, "more was drawn than there is");
            while (is_deciding_.exchange(true))
                is_deciding_.wait(true);
            drawn_ -= kGas;
            decide(budget_, kGas, holds);
            is_deciding_.exchange(false);
            is_deciding_.notify_one();
        }
    }

    Budget budget_{kLimit};
    ExploredAtomics::Atomic<bool> is_deciding_{false};
    std::int64_t drawn_ = 0;  // and not decided
};

/// The one whose turn it is draws on credit, twice, of which the first does not hold and the second
/// one does; another one draws meanwhile and does not use it after all, as nobody decides.
template <typename Budget>
class OneOnCredit final : public Case {
public:
    std::vector<Thread> threads() override {
        return {{"turn", [this] { have_turn(); }}, {"other", [this] { change_mind(); }}};
    }
    void at_end() override { expect_all_is_there(budget_, kLimit); }

private:
    static constexpr std::int64_t kLimit = 3;
    static constexpr std::int64_t kCredit = 1;
    static constexpr std::int64_t kGas = 2;

    void have_turn() {
        for (const bool holds : {false, true}) {
            if (!draw(-kCredit)) continue;
            drawn_ -= kGas;
            decide(budget_, kGas, holds);
        }
    }
    void change_mind() {
        for (int i = 0; i < 2; ++i) {
            if (!draw(0)) continue;
            drawn_ -= kGas;
            budget_.put_back(kGas);
        }
    }
    [[nodiscard]] bool draw(std::int64_t kept) {
        if (!budget_.draw(kGas, kept)) return false;
        drawn_ += kGas;
        test::expect(drawn_ + budget_.owed() <= kLimit + kCredit,
                     "more was drawn than there is and the credit");
        return true;
    }

    Budget budget_{kLimit};
    std::int64_t drawn_ = 0;  // and not decided
};

template <typename Budget = BasicBudget<ExploredAtomics>>
MakeCase two_workers() {
    return [] { return std::make_unique<TwoWorkers<Budget>>(); };
}

template <typename Budget = BasicBudget<ExploredAtomics>>
MakeCase one_on_credit() {
    return [] { return std::make_unique<OneOnCredit<Budget>>(); };
}

TEST(SpeculationBudget, never_gives_more_than_there_is_and_loses_nothing) {
    expect_holds(explore_bounded(two_workers(), 2));
    expect_holds(explore_randomly(two_workers(), test::announced_seed(), 20'000));
}

TEST(SpeculationBudget, a_model_without_flaw_holds) {
    expect_holds(explore_bounded(two_workers<FlawedBudget<Flaw::none>>(), 2));
}

TEST(SpeculationBudget, drawing_in_two_steps_is_found) {
    expect_found(explore_bounded(two_workers<FlawedBudget<Flaw::draws_in_two_steps>>(), 2),
                 "more was drawn than there is");
}

TEST(SpeculationBudget, keeping_what_was_short_is_found) {
    expect_found(explore_bounded(two_workers<FlawedBudget<Flaw::keeps_what_is_short>>(), 2),
                 "something was lost");
}

TEST(SpeculationBudget, giving_back_what_is_owed_is_found) {
    expect_found(explore_bounded(two_workers<FlawedBudget<Flaw::gives_back_twice>>(), 2), "");
}

TEST(SpeculationBudget, gives_no_more_than_the_credit_beyond_and_takes_back_what_is_not_used) {
    expect_holds(explore_bounded(one_on_credit(), 3));
    expect_holds(explore_randomly(one_on_credit(), test::announced_seed(), 20'000));
    expect_holds(explore_bounded(one_on_credit<FlawedBudget<Flaw::none>>(), 3));
}

TEST(SpeculationBudget, a_credit_drawn_in_two_steps_is_found) {
    expect_found(explore_bounded(one_on_credit<FlawedBudget<Flaw::draws_in_two_steps>>(), 3), "");
}

TEST(SpeculationBudget, putting_back_too_little_is_found) {
    expect_found(explore_bounded(one_on_credit<FlawedBudget<Flaw::puts_back_too_little>>(), 3),
                 "something was lost");
}

TEST(SpeculationBudget, pays_back_what_was_lost_and_no_more) {
    Budget budget(1'000'000);
    ASSERT_TRUE(budget.draw(1'000'000));
    EXPECT_LE(budget.left(), 0);
    EXPECT_FALSE(budget.draw(1));
    budget.lose(1'000'000);
    budget.pay(400'000);
    EXPECT_FALSE(budget.draw(400'001));
    EXPECT_TRUE(budget.draw(400'000));
    budget.give_back(400'000);
    budget.pay(5'000'000);
    EXPECT_EQ(budget.owed(), 0);
    EXPECT_TRUE(budget.draw(1'000'000));
    EXPECT_FALSE(budget.draw(1));
}

TEST(SpeculationBudget, what_is_lent_is_called_in) {
    Budget budget(1'000'000);
    ASSERT_TRUE(budget.draw(1'000'000));
    budget.put_back(300'000);  // lent by one that has drawn nothing
    EXPECT_FALSE(budget.draw(300'001));
    ASSERT_TRUE(budget.draw(300'000));
    budget.put_back(-300'000);
    EXPECT_EQ(budget.left(), -300'000);
    budget.lose(1'300'000);
    budget.pay(300'000);
    budget.flush();
    EXPECT_FALSE(budget.draw(1)) << "all of the limit is owed";
    budget.pay(1'000'000);
    budget.flush();
    EXPECT_TRUE(budget.draw(1'000'000));
    EXPECT_FALSE(budget.draw(1));
}

TEST(SpeculationBudget, a_lower_limit_takes_away_what_comes_back) {
    Budget budget(100'000);
    ASSERT_TRUE(budget.draw(100'000));
    budget.set_limit(40'000);
    EXPECT_LE(budget.left(), 0);
    budget.give_back(100'000);
    budget.flush();
    EXPECT_FALSE(budget.draw(40'001));
    EXPECT_TRUE(budget.draw(40'000));
    budget.reset();
    EXPECT_TRUE(budget.draw(40'000));
}

}  // namespace
}  // namespace heddle::executor
