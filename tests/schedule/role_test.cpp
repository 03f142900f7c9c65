// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The roles of committer and finisher under every interleaving: nothing that can be done is left
// behind when everybody has gone.
#include "stream/role.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "checks.hpp"
#include "explored_atomics.hpp"
#include "explorer.hpp"
#include "stream/window_bounds.hpp"
#include "workers/parking_lot.hpp"

namespace heddle::executor {
namespace {

using test::Case;
using test::expect_found;
using test::expect_holds;
using test::Exploration;
using test::ExploredAtomics;
using test::MakeCase;

/// A wrong turn, to see whether it would be found.
enum class Flaw : std::uint8_t {
    none,
    looks_once,           // having given the role back, nobody looks again
    gives_back_by_store,  // see the test
    late_store,           // the last look goes ahead of the store that gives the role back
    takes_in_two_steps,   // look, then take
    wants_too_long,       // still announced while trying for the role
    looks_outside,        // looks something up without the role
};

/// BasicRole once more, with a flaw.
template <Flaw kFlaw>
class FlawedRole {
public:
    template <typename Duty>
    void run(Duty&& duty) {
        for (;;) {
            if constexpr (kFlaw == Flaw::takes_in_two_steps) {
                if (is_taken_.load()) return;
                is_taken_.store(true);
            } else {
                if (is_taken_.exchange(true)) return;
            }
            bool has_worked = false;
            while (duty.has_work() && !is_wanted_.load()) {
                duty.run_once();
                has_worked = true;
            }
            if (has_worked) duty.before_giving_back();
            if constexpr (kFlaw == Flaw::late_store) {
                const bool looks_again = duty.has_work();
                is_taken_.store(false);
                if (!looks_again) return;
                continue;
            } else if constexpr (kFlaw == Flaw::gives_back_by_store) {
                is_taken_.store(false);
            } else {
                is_taken_.exchange(false);
            }
            if (has_worked) duty.after_giving_back();
            if (kFlaw == Flaw::looks_once || !duty.has_work() || is_wanted_.load()) return;
        }
    }
    template <typename Duty>
    void run_first(Duty&& duty, unsigned patience) {
        if (is_taken_.load()) {
            is_wanted_.store(true);
            for (unsigned i = 0; i < patience; ++i)
                static_cast<void>(is_taken_.load());
            if constexpr (kFlaw != Flaw::wants_too_long) is_wanted_.store(false);
        }
        run(duty);
        if constexpr (kFlaw == Flaw::wants_too_long) is_wanted_.store(false);
    }

    template <typename Action>
    bool try_once(Action&& action) {
        if constexpr (kFlaw == Flaw::looks_outside) {
            action();
            return true;
        }
        if (is_taken_.exchange(true)) return false;
        action();
        is_taken_.exchange(false);
        return true;
    }

private:
    ExploredAtomics::Atomic<bool> is_taken_{false};
    ExploredAtomics::Atomic<bool> is_wanted_{false};
};

using Role = BasicRole<ExploredAtomics>;

/// A stream whose tasks are flags and where committing is counting; role and bounds are real.
template <typename RoleType>
class Stream {
public:
    static constexpr std::size_t kTasks = 3;

    /// A worker has made an attempt at the position, from 1 on.
    void finish(std::uint64_t position) {
        is_settled_[position].store(true);
        run();
    }
    /// One more position, which a worker will finish.
    void dispatch() { bounds_.set_dispatched(bounds_.dispatched() + 1, false); }
    /// The same for one that runs in stream order.
    void bring() {
        const std::uint64_t position = bounds_.dispatched();
        is_settled_[position].store(true);
        bounds_.set_dispatched(position + 1, true);
    }
    [[nodiscard]] bool is_all_committed() const {
        return bounds_.committed() == bounds_.dispatched();
    }
    [[nodiscard]] std::uint64_t committed() const { return bounds_.committed(); }
    [[nodiscard]] bool has_work() const { return !role_.is_taken() && is_committable(); }

    /// The first attempt at the position will not hold: it is to be attempted again.
    void overtake(std::uint64_t position) { overtaken_ = position; }
    /// The same, by the worker that makes the next attempt.
    void attempt_again() {
        again_.wait(0);
        finish(again_.load());
    }

    /// A worker has made part of an attempt at the position: where it is its turn, it looks in the
    /// role whether what it has seen holds.
    /// @param waits_for_turn  False: it looks whenever it is.
    void look(std::uint64_t position, bool waits_for_turn = true) {
        if (waits_for_turn && bounds_.committed() != position) return;
        static_cast<void>(role_.try_once([&] {
            test::expect(!is_in_role_, "two are in the role");
            test::expect(values_.load() == position - 1, "what was seen is not final");
        }));
    }

    void run() { role_.run(Duty{*this}); }
    /// With hardly any patience: that is the hardest case.
    void run_first() { role_.run_first(Duty{*this}, 1); }

private:
    struct Duty {
        Stream& stream;

        [[nodiscard]] bool has_work() const { return stream.is_committable(); }
        void run_once() {
            stream.is_in_role_ = true;
            stream.commit_next();
        }
        void before_giving_back() {
            stream.bounds_.announce_committed();
            stream.is_in_role_ = false;
        }
        void after_giving_back() {}
    };

    [[nodiscard]] bool is_committable() const {
        return bounds_.is_committable(
            [this](std::uint64_t position) { return is_settled_[position].load(); });
    }
    void commit_next() {
        const std::uint64_t position = bounds_.committed();
        if (position == overtaken_) {
            overtaken_ = 0;
            // The task must not be seen as settled once another worker may have it.
            is_settled_[position].store(false);
            again_.store(position);
            again_.notify_one();
            return;
        }
        test::expect(!is_committed_[position], "committed twice");
        is_committed_[position] = true;
        values_.store(position);
        bounds_.set_committed(position + 1);
    }

    RoleType role_;
    BasicWindowBounds<ExploredAtomics> bounds_;
    std::array<ExploredAtomics::Atomic<bool>, kTasks + 1> is_settled_{};
    ExploredAtomics::Atomic<std::uint64_t> again_{0};   // position
    ExploredAtomics::Atomic<std::uint64_t> values_{0};  // what committing changes
    std::array<bool, kTasks + 1> is_committed_{};
    std::uint64_t overtaken_ = 0;  // whoever has the role
    bool is_in_role_ = false;      // the same
};

template <typename RoleType>
class RoleCase final : public Case {
public:
    explicit RoleCase(std::vector<Thread> (RoleCase::*threads)()) : threads_(threads) {}
    std::vector<Thread> threads() override { return (this->*threads_)(); }
    void at_end() override { test::expect(stream_.is_all_committed(), "a task is left behind"); }

    /// All have been dispatched and finish in any order.
    std::vector<Thread> three_finishers() {
        for (std::size_t i = 0; i < 3; ++i)
            stream_.dispatch();
        return {{"first", [this] { stream_.finish(1); }},
                {"second", [this] { stream_.finish(2); }},
                {"third", [this] { stream_.finish(3); }}};
    }
    std::vector<Thread> two_finishers() {
        for (std::size_t i = 0; i < 2; ++i)
            stream_.dispatch();
        return {{"first", [this] { stream_.finish(1); }},
                {"second", [this] { stream_.finish(2); }}};
    }
    /// The first one's attempt is overtaken, and a third worker makes another.
    std::vector<Thread> overtaken() {
        for (std::size_t i = 0; i < 2; ++i)
            stream_.dispatch();
        stream_.overtake(1);
        return {{"first", [this] { stream_.finish(1); }},
                {"second", [this] { stream_.finish(2); }},
                {"again", [this] { stream_.attempt_again(); }}};
    }
    /// Both look in the middle of their attempts whether their turn has come.
    std::vector<Thread> lookers() {
        for (std::size_t i = 0; i < 2; ++i)
            stream_.dispatch();
        return {{"first",
                 [this] {
                     stream_.look(1);
                     stream_.finish(1);
                 }},
                {"second", [this] {
                     stream_.look(2);
                     stream_.finish(2);
                 }}};
    }
    /// The second one looks although it may not be its turn.
    std::vector<Thread> early_looker() {
        for (std::size_t i = 0; i < 2; ++i)
            stream_.dispatch();
        return {{"first", [this] { stream_.finish(1); }}, {"second", [this] {
                                                               stream_.look(2, false);
                                                               stream_.finish(2);
                                                           }}};
    }
    /// Two are under way while the dispatcher brings one that runs in stream order.
    std::vector<Thread> finishers_and_dispatcher() {
        for (std::size_t i = 0; i < 2; ++i)
            stream_.dispatch();
        return {{"first", [this] { stream_.finish(1); }},
                {"second", [this] { stream_.finish(2); }},
                {"dispatcher", [this] {
                     stream_.bring();
                     stream_.run_first();
                 }}};
    }
    /// One is under way while the dispatcher brings two that run in stream order.
    std::vector<Thread> finisher_and_dispatcher() {
        stream_.dispatch();
        return {{"first", [this] { stream_.finish(1); }}, {"dispatcher", [this] {
                                                               for (int i = 0; i < 2; ++i) {
                                                                   stream_.bring();
                                                                   stream_.run_first();
                                                               }
                                                           }}};
    }

private:
    Stream<RoleType> stream_;
    std::vector<Thread> (RoleCase::*threads_)();
};

/// The finisher's duty: blocks are counted as they end, and as they are finished.
class Finishers final : public Case {
public:
    std::vector<Thread> threads() override {
        return {{"committer",
                 [this] {
                     for (std::uint64_t i = 1; i <= kBlocks; ++i) {
                         ended_.store(i);
                         role_.run(Duty{*this});
                     }
                 }},
                {"worker", [this] { role_.run(Duty{*this}); }}};
    }
    void at_end() override { test::expect(!has_work(), "a block is left behind"); }

private:
    static constexpr std::uint64_t kBlocks = 2;
    struct Duty {
        Finishers& finishers;

        [[nodiscard]] bool has_work() const { return finishers.has_work(); }
        void run_once() {
            test::expect(!finishers.is_finishing_, "two finish at once");
            finishers.is_finishing_ = true;
            finishers.finished_.store(finishers.finished_.load() + 1);
            finishers.is_finishing_ = false;
        }
        void before_giving_back() {}
        void after_giving_back() {}
    };
    [[nodiscard]] bool has_work() const { return finished_.load() != ended_.load(); }

    Role role_;
    ExploredAtomics::Atomic<std::uint64_t> ended_{0};
    ExploredAtomics::Atomic<std::uint64_t> finished_{0};
    bool is_finishing_ = false;
};

/// A dispatcher on a thread of its own brings tasks that run in stream order; workers commit them
/// and sleep in between. Who commits the last wakes everybody to go home.
class SleepyCommitters final : public Case {
public:
    std::vector<Thread> threads() override {
        return {{"dispatcher",
                 [this] {
                     for (std::uint64_t i = 0; i < kTasks; ++i) {
                         stream_.bring();
                         lot_.notify();
                     }
                 }},
                {"worker", [this] { work(); }},
                {"other worker", [this] { work(); }}};
    }
    void at_end() override { test::expect(stream_.is_all_committed(), "a task is left behind"); }

private:
    static constexpr std::uint64_t kTasks = 2;
    [[nodiscard]] bool is_over() const { return stream_.committed() == kTasks + 1; }
    void work() {
        while (!is_over()) {
            if (stream_.has_work())
                stream_.run();
            else
                lot_.park([this] { return is_over() || stream_.has_work(); });
        }
        while (lot_.notify()) {
        }
    }

    Stream<Role> stream_;
    BasicParkingLot<ExploredAtomics> lot_;
};

template <typename RoleType>
MakeCase make_case(std::vector<Case::Thread> (RoleCase<RoleType>::*threads)()) {
    return [threads] { return std::make_unique<RoleCase<RoleType>>(threads); };
}
template <typename RoleType = Role>
MakeCase two() {
    return make_case(&RoleCase<RoleType>::two_finishers);
}
template <typename RoleType = Role>
MakeCase three() {
    return make_case(&RoleCase<RoleType>::three_finishers);
}
template <typename RoleType = Role>
MakeCase overtaken() {
    return make_case(&RoleCase<RoleType>::overtaken);
}
template <typename RoleType = Role>
MakeCase with_dispatcher() {
    return make_case(&RoleCase<RoleType>::finishers_and_dispatcher);
}
template <typename RoleType = Role>
MakeCase with_chain() {
    return make_case(&RoleCase<RoleType>::finisher_and_dispatcher);
}

TEST(CommitterRole, nothing_is_left_behind_by_two_finishers) {
    const Exploration exploration = explore_all(two());
    expect_holds(exploration);
    EXPECT_TRUE(exploration.is_complete);
}

TEST(CommitterRole, nothing_is_left_behind_by_three_finishers) {
    expect_holds(explore_bounded(three(), 2));
    expect_holds(explore_randomly(three(), test::announced_seed(), 20'000));
}

template <typename RoleType = Role>
MakeCase with_lookers() {
    return make_case(&RoleCase<RoleType>::lookers);
}

TEST(CommitterRole, an_attempt_whose_turn_has_come_sees_what_is_final) {
    const Exploration exploration = explore_all(with_lookers());
    expect_holds(exploration);
    EXPECT_TRUE(exploration.is_complete);
    expect_holds(explore_bounded(with_lookers(), 3));
}

TEST(CommitterRole, looking_before_the_turn_has_come_is_found) {
    expect_found(explore_all(make_case(&RoleCase<Role>::early_looker)),
                 "what was seen is not final");
}

TEST(CommitterRole, looking_without_the_role_is_found) {
    expect_found(explore_bounded(with_lookers<FlawedRole<Flaw::looks_outside>>(), 2),
                 "two are in the role");
}

TEST(CommitterRole, nothing_is_left_behind_when_one_is_attempted_again) {
    expect_holds(explore_bounded(overtaken(), 2));
    expect_holds(explore_randomly(overtaken(), test::announced_seed(), 20'000));
}

TEST(CommitterRole, not_looking_again_is_found_when_one_is_attempted_again) {
    expect_found(explore_bounded(overtaken<FlawedRole<Flaw::looks_once>>(), 2),
                 "a task is left behind");
}

TEST(CommitterRole, nothing_is_left_behind_beside_the_dispatcher) {
    expect_holds(explore_bounded(with_dispatcher(), 2));
    expect_holds(explore_randomly(with_dispatcher(), test::announced_seed(), 20'000));
}

TEST(CommitterRole, nothing_is_left_behind_when_the_dispatcher_wants_the_role) {
    const Exploration exploration = explore_all(with_chain());
    expect_holds(exploration);
    EXPECT_TRUE(exploration.is_complete);
}

TEST(CommitterRole, nothing_waits_while_workers_sleep) {
    const MakeCase sleepy = [] { return std::make_unique<SleepyCommitters>(); };
    expect_holds(explore_bounded(sleepy, 1));
    expect_holds(explore_randomly(sleepy, test::announced_seed(), 20'000));
}

TEST(FinisherRole, nothing_is_left_behind) {
    const Exploration exploration = test::explore_all([] { return std::make_unique<Finishers>(); });
    expect_holds(exploration);
    EXPECT_TRUE(exploration.is_complete);
    expect_holds(test::explore_bounded([] { return std::make_unique<Finishers>(); }, 3));
}

TEST(CommitterRole, model_of_the_role_without_flaw_holds) {
    expect_holds(explore_all(two<FlawedRole<Flaw::none>>()));
    expect_holds(explore_all(with_chain<FlawedRole<Flaw::none>>()));
}

TEST(CommitterRole, not_looking_again_is_found) {
    expect_found(explore_all(two<FlawedRole<Flaw::looks_once>>()), "a task is left behind");
}

TEST(CommitterRole, wanting_the_role_while_trying_for_it_is_found) {
    expect_found(explore_all(with_chain<FlawedRole<Flaw::wants_too_long>>()),
                 "a task is left behind");
}

TEST(CommitterRole, taking_in_two_steps_is_found) {
    expect_found(explore_all(two<FlawedRole<Flaw::takes_in_two_steps>>()), "committed twice");
}

/// Giving the role back by a plain store holds in every sequentially consistent order: that is why
/// the explorer cannot object to it. On real processors the store may take effect after the look
/// that follows it in the program, and in that order a task is left behind. Hence the exchange.
TEST(CommitterRole, giving_back_by_store_is_wrong_only_where_the_look_overtakes_it) {
    expect_holds(explore_all(two<FlawedRole<Flaw::gives_back_by_store>>()));
    expect_found(explore_all(two<FlawedRole<Flaw::late_store>>()), "a task is left behind");
}

}  // namespace
}  // namespace heddle::executor
