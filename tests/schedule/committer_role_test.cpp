// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The committer's role under every interleaving: nothing that can be committed is left behind when
// everybody has gone. A model, as the committer is no template.
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "checks.hpp"
#include "explored_atomics.hpp"
#include "explorer.hpp"
#include "parking_lot.hpp"

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
};

/// Committer::run(), run_first(), is_committable() and Window in executor/src, with the same
/// operations in the same order; committing is counting.
template <Flaw kFlaw>
class Role {
public:
    static constexpr std::size_t kTasks = 3;

    /// DagExecutor::execute() and run(): a worker has made an attempt.
    void finish(std::size_t task) {
        states_[task].store(true);
        run();
    }
    /// DagExecutor::spawn(): one more position, which a worker will finish.
    void dispatch() { dispatched_.store(dispatched_.load() + 1); }
    /// The same for one that runs in stream order.
    void bring() {
        const std::uint32_t position = dispatched_.load();
        states_[position].store(true);
        dispatched_.store(position + 1);
    }
    [[nodiscard]] bool is_all_committed() const { return committed_.load() == dispatched_.load(); }
    [[nodiscard]] std::uint32_t committed() const { return committed_.load(); }
    /// Committer::has_work().
    [[nodiscard]] bool has_work() const { return !is_taken_.load() && is_committable(); }

    void run() {
        for (;;) {
            if constexpr (kFlaw == Flaw::takes_in_two_steps) {
                if (is_taken_.load()) return;
                is_taken_.store(true);
            } else {
                if (is_taken_.exchange(true)) return;
            }
            while (is_committable() && !is_wanted_.load()) {
                const std::uint32_t position = committed_.load();
                test::expect(!is_committed_[position], "committed twice");
                is_committed_[position] = true;
                committed_.store(position + 1);
            }
            if constexpr (kFlaw == Flaw::late_store) {
                const bool looks_again = is_committable();
                is_taken_.store(false);
                if (!looks_again) return;
                continue;
            } else if constexpr (kFlaw == Flaw::gives_back_by_store) {
                is_taken_.store(false);
            } else {
                is_taken_.exchange(false);
            }
            if (kFlaw == Flaw::looks_once || !is_committable() || is_wanted_.load()) return;
        }
    }
    /// With no patience at all: that is the hardest case.
    void run_first() {
        if (is_taken_.load()) {
            is_wanted_.store(true);
            static_cast<void>(is_taken_.load());
            if constexpr (kFlaw != Flaw::wants_too_long) is_wanted_.store(false);
        }
        run();
        if constexpr (kFlaw == Flaw::wants_too_long) is_wanted_.store(false);
    }

private:
    [[nodiscard]] bool is_committable() const {
        const std::uint32_t position = committed_.load();
        if (position >= dispatched_.load()) return false;
        return states_[position].load();
    }

    ExploredAtomics::Atomic<bool> is_taken_{false};
    ExploredAtomics::Atomic<bool> is_wanted_{false};
    ExploredAtomics::Atomic<std::uint32_t> committed_{0};
    ExploredAtomics::Atomic<std::uint32_t> dispatched_{0};
    std::array<ExploredAtomics::Atomic<bool>, kTasks> states_{};
    std::array<bool, kTasks> is_committed_{};
};

template <Flaw kFlaw>
class RoleCase final : public Case {
public:
    explicit RoleCase(std::vector<Thread> (RoleCase::*threads)()) : threads_(threads) {}
    std::vector<Thread> threads() override { return (this->*threads_)(); }
    void at_end() override { test::expect(role_.is_all_committed(), "a task is left behind"); }

    /// All have been dispatched and finish in any order.
    std::vector<Thread> three_finishers() {
        for (std::size_t i = 0; i < Role<kFlaw>::kTasks; ++i)
            role_.dispatch();
        return {{"first", [this] { role_.finish(0); }},
                {"second", [this] { role_.finish(1); }},
                {"third", [this] { role_.finish(2); }}};
    }
    std::vector<Thread> two_finishers() {
        for (std::size_t i = 0; i < 2; ++i)
            role_.dispatch();
        return {{"first", [this] { role_.finish(0); }}, {"second", [this] { role_.finish(1); }}};
    }
    /// Two are under way while the dispatcher brings one that runs in stream order.
    std::vector<Thread> finishers_and_dispatcher() {
        for (std::size_t i = 0; i < 2; ++i)
            role_.dispatch();
        return {{"first", [this] { role_.finish(0); }},
                {"second", [this] { role_.finish(1); }},
                {"dispatcher", [this] {
                     role_.bring();
                     role_.run_first();
                 }}};
    }
    /// One is under way while the dispatcher brings two that run in stream order.
    std::vector<Thread> finisher_and_dispatcher() {
        role_.dispatch();
        return {{"first", [this] { role_.finish(0); }}, {"dispatcher", [this] {
                                                             for (int i = 0; i < 2; ++i) {
                                                                 role_.bring();
                                                                 role_.run_first();
                                                             }
                                                         }}};
    }

private:
    Role<kFlaw> role_;
    std::vector<Thread> (RoleCase::*threads_)();
};

/// A dispatcher on a thread of its own brings tasks that run in stream order; workers commit them
/// and sleep in between. Who commits the last wakes everybody to go home.
class SleepyCommitters final : public Case {
public:
    std::vector<Thread> threads() override {
        return {{"dispatcher",
                 [this] {
                     for (std::uint32_t i = 0; i < kTasks; ++i) {
                         role_.bring();
                         lot_.notify();
                     }
                 }},
                {"worker", [this] { work(); }},
                {"other worker", [this] { work(); }}};
    }
    void at_end() override { test::expect(role_.is_all_committed(), "a task is left behind"); }

private:
    static constexpr std::uint32_t kTasks = 2;
    [[nodiscard]] bool is_over() const { return role_.committed() == kTasks; }
    void work() {
        while (!is_over()) {
            if (role_.has_work())
                role_.run();
            else
                lot_.park([this] { return is_over() || role_.has_work(); });
        }
        while (lot_.notify()) {
        }
    }

    Role<Flaw::none> role_;
    BasicParkingLot<ExploredAtomics> lot_;
};

template <Flaw kFlaw>
MakeCase two() {
    return [] { return std::make_unique<RoleCase<kFlaw>>(&RoleCase<kFlaw>::two_finishers); };
}
template <Flaw kFlaw>
MakeCase three() {
    return [] { return std::make_unique<RoleCase<kFlaw>>(&RoleCase<kFlaw>::three_finishers); };
}
template <Flaw kFlaw>
MakeCase with_dispatcher() {
    return [] {
        return std::make_unique<RoleCase<kFlaw>>(&RoleCase<kFlaw>::finishers_and_dispatcher);
    };
}

template <Flaw kFlaw>
MakeCase with_chain() {
    return
        [] { return std::make_unique<RoleCase<kFlaw>>(&RoleCase<kFlaw>::finisher_and_dispatcher); };
}

TEST(CommitterRole, nothing_is_left_behind_by_two_finishers) {
    const Exploration exploration = explore_all(two<Flaw::none>());
    expect_holds(exploration);
    EXPECT_TRUE(exploration.is_complete);
}

TEST(CommitterRole, nothing_is_left_behind_by_three_finishers) {
    expect_holds(explore_bounded(three<Flaw::none>(), 2));
    expect_holds(explore_randomly(three<Flaw::none>(), test::announced_seed(), 20'000));
}

TEST(CommitterRole, nothing_is_left_behind_beside_the_dispatcher) {
    expect_holds(explore_bounded(with_dispatcher<Flaw::none>(), 2));
    expect_holds(explore_randomly(with_dispatcher<Flaw::none>(), test::announced_seed(), 20'000));
}

TEST(CommitterRole, nothing_is_left_behind_when_the_dispatcher_wants_the_role) {
    const Exploration exploration = explore_all(with_chain<Flaw::none>());
    expect_holds(exploration);
    EXPECT_TRUE(exploration.is_complete);
}

TEST(CommitterRole, nothing_waits_while_workers_sleep) {
    const MakeCase sleepy = [] { return std::make_unique<SleepyCommitters>(); };
    expect_holds(explore_bounded(sleepy, 1));
    expect_holds(explore_randomly(sleepy, test::announced_seed(), 20'000));
}

TEST(CommitterRole, not_looking_again_is_found) {
    expect_found(explore_all(two<Flaw::looks_once>()), "a task is left behind");
}

TEST(CommitterRole, wanting_the_role_while_trying_for_it_is_found) {
    expect_found(explore_all(with_chain<Flaw::wants_too_long>()), "a task is left behind");
}

TEST(CommitterRole, taking_in_two_steps_is_found) {
    expect_found(explore_all(two<Flaw::takes_in_two_steps>()), "committed twice");
}

/// Giving the role back by a plain store holds in every sequentially consistent order: that is why
/// the explorer cannot object to it. On real processors the store may take effect after the look
/// that follows it in the program, and in that order a task is left behind. Hence the exchange.
TEST(CommitterRole, giving_back_by_store_is_wrong_only_where_the_look_overtakes_it) {
    expect_holds(explore_all(two<Flaw::gives_back_by_store>()));
    expect_found(explore_all(two<Flaw::late_store>()), "a task is left behind");
}

}  // namespace
}  // namespace heddle::executor
