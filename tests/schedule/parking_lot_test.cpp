// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The parking lot under every interleaving: nobody sleeps for ever, and nobody is woken for
// nothing.
#include "workers/parking_lot.hpp"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "checks.hpp"
#include "explored_atomics.hpp"
#include "explorer.hpp"

namespace heddle::executor {
namespace {

using test::Case;
using test::expect_found;
using test::expect_holds;
using test::Exploration;
using test::ExploredAtomics;
using test::MakeCase;

using Lot = BasicParkingLot<ExploredAtomics>;

/// A wrong turn, to see whether it would be found.
enum class Flaw : std::uint8_t {
    none,
    looks_before_announcing,  // and not again
    notifies_too_early,       // before there is anything to find
    // Of lots in which sleepers wait for another ticket than the one they took:
    late_ticket,       // taken after the announcement, when the one meant for it may be gone
    early_ticket,      // before it; but who is woken may wait for the next one
    takes_count_back,  // early, and who leaves takes one off the count, be it another's
};

/// The lot once more, with a flaw: who is claimed gets a permit, whoever takes it.
template <Flaw kFlaw>
class FlawedLot {
public:
    template <typename HasWork>
    void park(HasWork&& has_work) noexcept {
        if constexpr (kFlaw == Flaw::looks_before_announcing) {
            if (has_work()) return;
            sleepers_.fetch_add(1);
        } else {
            sleepers_.fetch_add(1);
            if (has_work() && claim(sleepers_)) return;
        }
        while (!claim(permits_))
            permits_.wait(0);
    }
    bool notify() noexcept {
        if (!claim(sleepers_)) return false;
        if constexpr (kFlaw == Flaw::notifies_too_early) permits_.notify_one();
        permits_.fetch_add(1);
        if constexpr (kFlaw != Flaw::notifies_too_early) permits_.notify_one();
        return true;
    }

private:
    using Count = ExploredAtomics::Atomic<std::uint32_t>;
    static bool claim(Count& counter) noexcept {
        std::uint32_t count = counter.load();
        while (count != 0)
            if (counter.compare_exchange_weak(count, count - 1)) return true;
        return false;
    }
    Count sleepers_{0};
    Count permits_{0};
};

template <Flaw kFlaw>
class TicketLot {
public:
    template <typename HasWork>
    void park(HasWork&& has_work) noexcept {
        std::uint32_t ticket = ticket_.load();
        sleepers_.fetch_add(1);
        if constexpr (kFlaw == Flaw::late_ticket) ticket = ticket_.load();
        if (!has_work())
            ticket_.wait(ticket);
        else if constexpr (kFlaw == Flaw::takes_count_back)
            static_cast<void>(claim());
    }
    bool notify() noexcept {
        if (!claim()) return false;
        ticket_.fetch_add(1);
        ticket_.notify_one();
        return true;
    }

private:
    bool claim() noexcept {
        std::uint32_t count = sleepers_.load();
        while (count != 0)
            if (sleepers_.compare_exchange_weak(count, count - 1)) return true;
        return false;
    }
    ExploredAtomics::Atomic<std::uint32_t> sleepers_{0};
    ExploredAtomics::Atomic<std::uint32_t> ticket_{0};
};

/// Sleepers each want one piece of work; each waker brings one piece for each of its rounds.
template <typename AnyLot>
class Handover final : public Case {
public:
    Handover(unsigned sleepers, unsigned wakers, unsigned rounds)
        : sleepers_(sleepers), wakers_(wakers), rounds_(rounds) {}

    std::vector<Thread> threads() override {
        std::vector<Thread> result;
        result.reserve(sleepers_ + wakers_);
        for (unsigned i = 0; i < sleepers_; ++i)
            result.push_back({i == 0 ? "sleeper" : "other sleeper", [this] { take_one(); }});
        for (unsigned i = 0; i < wakers_; ++i)
            result.push_back({i == 0 ? "waker" : "other waker", [this] { bring(); }});
        return result;
    }
    void at_end() override {
        test::expect(work_.load() == wakers_ * rounds_ - sleepers_, "work is lost");
    }
    [[nodiscard]] unsigned spurious_failures() const override { return 0; }

private:
    bool try_take() {
        std::uint32_t count = work_.load();
        while (count != 0)
            if (work_.compare_exchange_weak(count, count - 1)) return true;
        return false;
    }
    void take_one() {
        while (!try_take())
            lot_.park([this] { return work_.load() != 0; });
    }
    void bring() {
        for (unsigned i = 0; i < rounds_; ++i) {
            work_.fetch_add(1);
            lot_.notify();
        }
    }

    const unsigned sleepers_;
    const unsigned wakers_;
    const unsigned rounds_;
    AnyLot lot_;
    ExploredAtomics::Atomic<std::uint32_t> work_{0};
};

template <typename AnyLot>
MakeCase handover(unsigned sleepers, unsigned wakers, unsigned rounds) {
    return [=] { return std::make_unique<Handover<AnyLot>>(sleepers, wakers, rounds); };
}

/// As a worker pool does: the owner brings work, takes it itself where it can, and in the end stops
/// the others, whom it wakes until nobody is counted.
template <typename AnyLot>
class Pool final : public Case {
public:
    explicit Pool(unsigned workers) : workers_(workers) {}

    std::vector<Thread> threads() override {
        std::vector<Thread> result{{"owner", [this] {
                                        work_.fetch_add(1);
                                        lot_.notify();
                                        try_take();
                                        is_stopping_.store(true);
                                        while (lot_.notify()) {
                                        }
                                    }}};
        for (unsigned i = 0; i < workers_; ++i)
            result.push_back({i == 0 ? "worker" : "other worker", [this] { run(); }});
        return result;
    }
    [[nodiscard]] unsigned spurious_failures() const override { return 0; }

private:
    void try_take() {
        std::uint32_t one = 1;
        work_.compare_exchange_weak(one, 0);
    }
    void run() {
        while (!is_stopping_.load()) {
            try_take();
            lot_.park([this] { return is_stopping_.load() || work_.load() != 0; });
        }
    }

    const unsigned workers_;
    AnyLot lot_;
    ExploredAtomics::Atomic<std::uint32_t> work_{0};
    ExploredAtomics::Atomic<bool> is_stopping_{false};
};

/// As who drains the executor does: one sleeper waits for the last of several steps and is told of
/// each.
template <typename AnyLot>
class LastStep final : public Case {
public:
    std::vector<Thread> threads() override {
        return {{"sleeper",
                 [this] {
                     while (!is_done())
                         lot_.park([this] { return is_done(); });
                 }},
                {"waker", [this] {
                     for (std::uint32_t i = 0; i < kSteps; ++i) {
                         steps_.fetch_add(1);
                         lot_.notify();
                     }
                 }}};
    }

private:
    static constexpr std::uint32_t kSteps = 2;
    [[nodiscard]] bool is_done() const { return steps_.load() == kSteps; }
    AnyLot lot_;
    ExploredAtomics::Atomic<std::uint32_t> steps_{0};
};

template <typename AnyLot>
MakeCase last_step() {
    return [] { return std::make_unique<LastStep<AnyLot>>(); };
}

template <typename AnyLot>
MakeCase pool(unsigned workers) {
    return [=] { return std::make_unique<Pool<AnyLot>>(workers); };
}

TEST(ParkingLotSchedule, one_sleeper_is_always_woken) {
    const Exploration exploration = explore_all(handover<Lot>(1, 1, 1));
    expect_holds(exploration);
    EXPECT_TRUE(exploration.is_complete);
}

TEST(ParkingLotSchedule, one_sleeper_and_two_wakers) {
    const Exploration exploration = explore_all(handover<Lot>(1, 2, 1));
    expect_holds(exploration);
    EXPECT_TRUE(exploration.is_complete);
}

TEST(ParkingLotSchedule, one_sleeper_is_woken_for_the_last_step) {
    const Exploration exploration = explore_all(last_step<Lot>());
    expect_holds(exploration);
    EXPECT_TRUE(exploration.is_complete);
}

TEST(ParkingLotSchedule, two_sleepers_are_woken_by_one_waker) {
    expect_holds(explore_bounded(handover<Lot>(2, 1, 2), 3));
}

TEST(ParkingLotSchedule, two_sleepers_and_two_wakers) {
    expect_holds(explore_bounded(handover<Lot>(2, 2, 1), 2));
    expect_holds(explore_randomly(handover<Lot>(2, 2, 1), test::announced_seed(), 20'000));
}

TEST(ParkingLotSchedule, everybody_is_woken_to_stop) {
    expect_holds(explore_bounded(pool<Lot>(2), 2));
    expect_holds(explore_randomly(pool<Lot>(3), test::announced_seed(), 20'000));
}

TEST(ParkingLotSchedule, notifying_nobody_changes_no_ticket) {
    class Nobody final : public Case {
    public:
        std::vector<Thread> threads() override {
            return {{"waker", [this] { test::expect(!lot_.notify(), "there is nobody"); }}};
        }

    private:
        Lot lot_;
    };
    const Exploration exploration = test::explore_all([] { return std::make_unique<Nobody>(); });

    // One load of the count: nothing to choose, and nothing written.
    expect_holds(exploration);
    EXPECT_EQ(exploration.executions, 1u);
}

TEST(ParkingLotSchedule, model_of_the_lot_without_flaw_holds) {
    expect_holds(explore_all(handover<FlawedLot<Flaw::none>>(1, 2, 1)));
    expect_holds(explore_all(last_step<FlawedLot<Flaw::none>>()));
    expect_holds(explore_bounded(handover<FlawedLot<Flaw::none>>(2, 2, 1), 2));
    expect_holds(explore_bounded(pool<FlawedLot<Flaw::none>>(2), 2));
}

TEST(ParkingLotSchedule, not_looking_after_the_announcement_is_found) {
    expect_found(explore_all(handover<FlawedLot<Flaw::looks_before_announcing>>(1, 1, 1)),
                 "for ever asleep");
}

TEST(ParkingLotSchedule, notifying_before_there_is_a_permit_is_found) {
    expect_found(explore_all(handover<FlawedLot<Flaw::notifies_too_early>>(1, 1, 1)),
                 "for ever asleep");
}

/// The sleeper announces itself and is claimed, takes the ticket that was changed for it, finds no
/// work yet and sleeps: nobody knows of it any more.
TEST(ParkingLotSchedule, taking_the_ticket_after_the_announcement_is_found) {
    expect_found(explore_all(last_step<TicketLot<Flaw::late_ticket>>()), "for ever asleep");
}

/// A worker announces itself and is claimed; another announces itself, finds the work gone and
/// sleeps; the first, having seen work, takes the other's count: nobody knows of the other.
TEST(ParkingLotSchedule, taking_back_the_count_of_another_is_found) {
    expect_found(explore_randomly(pool<TicketLot<Flaw::takes_count_back>>(2), 1, 100'000),
                 "for ever asleep");
}

/// A worker sleeps and is claimed; before it is woken another goes to sleep on the new ticket, is
/// woken in its place and sleeps on.
TEST(ParkingLotSchedule, waking_who_waits_for_the_next_ticket_is_found) {
    expect_found(explore_bounded(pool<TicketLot<Flaw::early_ticket>>(2), 3), "for ever asleep");
}

}  // namespace
}  // namespace heddle::executor
