// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Who waits for whose next attempt, under every interleaving: nobody is left behind, nobody is
// resumed twice, and whoever takes an attempt has it alone.
#include "optimistic/incarnations.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "checks.hpp"
#include "explored_atomics.hpp"
#include "explorer.hpp"
#include "stream/role.hpp"
#include "stream/task.hpp"

namespace heddle::executor {
namespace {

using test::Case;
using test::expect_found;
using test::expect_holds;
using test::Exploration;
using test::ExploredAtomics;

/// A wrong turn, to see whether it would be found.
enum class Flaw : std::uint8_t {
    none,
    looks_before,    // who waits looks whether it has to before it is on the stack
    takes_first,     // who ends an attempt takes the stack before it says so
    takes_in_steps,  // whoever takes the stack looks, then empties it
};

/// The part of BasicIncarnations that waits and wakes once more, with a flaw.
template <Flaw kFlaw>
class FlawedIncarnations {
public:
    explicit FlawedIncarnations(std::size_t) {}

    template <typename Resume>
    void arrive(std::uint64_t, Resume&&) {}
    void release(std::uint64_t) {}
    void begin(std::uint64_t position) { nodes_[position].is_over.store(false); }
    template <typename Resume>
    void suspend(std::uint64_t position, std::uint64_t on, Resume&& resume) {
        Node& node = nodes_[on];
        if (kFlaw == Flaw::looks_before && node.is_over.load()) return resume(position);
        std::uint64_t top = node.waiting.load();
        do
            nodes_[position].before = top;
        while (!node.waiting.compare_exchange_weak(top, position));
        if (kFlaw != Flaw::looks_before && node.is_over.load()) resume_all(node, resume);
    }
    template <typename Resume>
    void executed(std::uint64_t position, Resume&& resume) {
        Node& node = nodes_[position];
        if (kFlaw == Flaw::takes_first) resume_all(node, resume);
        node.is_over.store(true);
        if (kFlaw != Flaw::takes_first) resume_all(node, resume);
    }

private:
    struct Node {
        ExploredAtomics::Atomic<bool> is_over{false};
        ExploredAtomics::Atomic<std::uint64_t> waiting{0};
        std::uint64_t before = 0;
    };

    template <typename Resume>
    void resume_all(Node& node, Resume&& resume) {
        std::uint64_t position = node.waiting.load();
        if (position == 0) return;
        if (kFlaw == Flaw::takes_in_steps)
            node.waiting.store(0);
        else
            position = node.waiting.exchange(0);
        while (position != 0) {
            const std::uint64_t next = nodes_[position].before;
            resume(position);
            position = next;
        }
    }

    std::array<Node, 4> nodes_;
};

/// Two positions have read what the first one is going to write again.
template <typename IncarnationsType>
class Waiting final : public Case {
public:
    Waiting() {
        for (std::uint64_t position = 1; position <= 3; ++position) {
            incarnations_.arrive(position, [](std::uint64_t) {});
            incarnations_.release(position);
            incarnations_.begin(position);
        }
    }
    std::vector<Thread> threads() override {
        return {{"first", [this] { incarnations_.executed(1, resume()); }},
                {"second", [this] { incarnations_.suspend(2, 1, resume()); }},
                {"third", [this] { incarnations_.suspend(3, 1, resume()); }}};
    }
    void at_end() override {
        test::expect(resumed_[2] == 1 && resumed_[3] == 1, "one that waits is left behind");
    }

private:
    auto resume() {
        return [this](std::uint64_t position) {
            test::expect(++resumed_[position] == 1, "resumed twice");
        };
    }

    IncarnationsType incarnations_{4};
    std::array<int, 4> resumed_{};
};

template <typename IncarnationsType>
Exploration explore_waiting() {
    return test::explore_all([] { return std::make_unique<Waiting<IncarnationsType>>(); });
}

TEST(Incarnations, nobody_who_waits_is_left_behind) {
    const Exploration exploration = explore_waiting<BasicIncarnations<ExploredAtomics>>();
    expect_holds(exploration);
    EXPECT_TRUE(exploration.is_complete);
}

TEST(Incarnations, model_of_waiting_without_flaw_holds) {
    expect_holds(explore_waiting<FlawedIncarnations<Flaw::none>>());
}

TEST(Incarnations, a_look_before_waiting_is_found) {
    expect_found(explore_waiting<FlawedIncarnations<Flaw::looks_before>>(),
                 "one that waits is left behind");
}

TEST(Incarnations, waking_before_the_word_is_changed_is_found) {
    expect_found(explore_waiting<FlawedIncarnations<Flaw::takes_first>>(),
                 "one that waits is left behind");
}

TEST(Incarnations, emptying_the_stack_in_two_steps_is_found) {
    EXPECT_TRUE(explore_waiting<FlawedIncarnations<Flaw::takes_in_steps>>().failure.has_value());
}

/// The first position is committed and its place used again while another one is about to wait for
/// it: the ring has two places.
class Reuse final : public Case {
    using Incarnations = BasicIncarnations<ExploredAtomics>;

    auto resume() {
        return [this](std::uint64_t position) {
            test::expect(position == 2, "one that does not wait is resumed");
            ++resumed_;
        };
    }

public:
    Reuse() {
        for (std::uint64_t position = 1; position <= 2; ++position) {
            incarnations_.arrive(position, resume());
            incarnations_.release(position);
            incarnations_.begin(position);
        }
    }
    std::vector<Thread> threads() override {
        return {{"committer and dispatcher",
                 [this] {
                     incarnations_.executed(1, resume());
                     incarnations_.commit(1, false, resume());
                     incarnations_.arrive(3, resume());
                     incarnations_.release(3);
                 }},
                {"second", [this] { incarnations_.suspend(2, 1, resume()); }}};
    }
    void at_end() override { test::expect(resumed_ == 1, "it waits for a later one"); }

private:
    Incarnations incarnations_{2};
    int resumed_ = 0;
};

TEST(Incarnations, nobody_waits_for_a_later_one_whose_place_it_is_by_now) {
    const Exploration exploration = test::explore_all([] { return std::make_unique<Reuse>(); });
    expect_holds(exploration);
    EXPECT_TRUE(exploration.is_complete);
}

/// An attempt ends at the second position while the one at the first is taken back: whoever moves
/// the wave on finds both.
class Wave final : public Case {
public:
    Wave() {
        for (std::uint64_t position = 1; position <= 3; ++position) {
            incarnations_.arrive(position, [](std::uint64_t) {});
            incarnations_.release(position);
            incarnations_.begin(position);
        }
        for (const std::uint64_t position : {1U, 3U}) {
            incarnations_.executed(position, [](std::uint64_t) {});
            is_published_[position].store(true);
            static_cast<void>(incarnations_.handed_over(position, true));
        }
        while (incarnations_.take_look(0) != 0) {
        }
    }
    std::vector<Thread> threads() override {
        return {{"worker",
                 [this] {
                     incarnations_.executed(2, [](std::uint64_t) {});
                     is_published_[2].store(true);
                     static_cast<void>(incarnations_.handed_over(2, true));
                 }},
                {"looker", [this] { look(); }},
                {"taker", [this] { incarnations_.taken_back(1); }}};
    }
    void at_end() override {
        look();
        test::expect(is_seen_[2] && is_seen_[3], "the wave has missed one");
    }

private:
    void look() {
        for (int i = 0; i < 3; ++i) {
            const std::uint64_t position = incarnations_.take_look(0);
            if (position == 0) return;
            if (is_published_[position].load()) is_seen_[position] = true;
        }
    }

    BasicIncarnations<ExploredAtomics> incarnations_{4};
    std::array<ExploredAtomics::Atomic<bool>, 4> is_published_{};
    std::array<bool, 4> is_seen_{};  // the looker's, then the end's
};

TEST(Incarnations, the_wave_finds_what_is_published_while_it_passes) {
    expect_holds(test::explore_all([] { return std::make_unique<Wave>(); }));
}

/// Two that look at attempts and the one that commits want the same one.
template <bool kTakesAtOnce>
class Takers final : public Case {
public:
    std::vector<Thread> threads() override {
        const auto look = [this] {
            if (!take(TaskState::checked)) return;
            enter();
            state_.store(TaskState::attempted);
        };
        return {{"first", look}, {"second", look}, {"committer", [this] {
                                                        if (!take(TaskState::closing)) return;
                                                        enter();
                                                    }}};
    }

private:
    bool take(TaskState next) {
        if constexpr (kTakesAtOnce) return try_take(state_, next);
        if (state_.load() != TaskState::attempted) return false;
        state_.store(next);
        return true;
    }
    void enter() {
        test::expect(owners_.fetch_add(1) == 0, "two have it");
        owners_.fetch_sub(1);
    }

    ExploredAtomics::Atomic<TaskState> state_{TaskState::attempted};
    ExploredAtomics::Atomic<std::uint32_t> owners_{0};
};

TEST(Incarnations, one_at_a_time_has_an_attempt) {
    const Exploration exploration =
        test::explore_all([] { return std::make_unique<Takers<true>>(); });
    expect_holds(exploration);
    EXPECT_TRUE(exploration.is_complete);
}

TEST(Incarnations, taking_an_attempt_in_two_steps_is_found) {
    expect_found(test::explore_all([] { return std::make_unique<Takers<false>>(); }),
                 "two have it");
}

/// The turn of an attempt comes while somebody looks at it: whoever commits leaves it alone then,
/// and whoever has looked tries for the role, whatever came of the look.
template <bool kTriesForRole>
class Closing final : public Case {
public:
    explicit Closing(bool takes_back) : takes_back_(takes_back) {}
    std::vector<Thread> threads() override {
        std::vector<Thread> threads{{"looker",
                                     [this] {
                                         look();
                                         if constexpr (kTriesForRole) role_.run(Duty{*this});
                                     }},
                                    {"committer", [this] {
                                         is_its_turn_.store(true);
                                         role_.run(Duty{*this});
                                     }}};
        // With another one, taking back has too many interleavings.
        if (!takes_back_) threads.push_back({"passer-by", [this] { role_.run(Duty{*this}); }});
        return threads;
    }
    void at_end() override {
        test::expect(times_committed_ == 1, "left behind, or committed twice");
    }

private:
    struct Duty {
        Closing& closing;

        [[nodiscard]] bool has_work() const {
            return closing.is_its_turn_.load() && is_settled(closing.state_.load()) &&
                   closing.times_committed_ == 0;
        }
        void run_once() { closing.commit(); }
        void before_giving_back() {}
        void after_giving_back() {}
    };

    void look() {
        if (!try_take(state_, TaskState::checked)) return;
        enter();
        if (takes_back_) {
            state_.store(TaskState::waiting);
            enter();  // the next attempt is made by the same thread
        }
        state_.store(TaskState::attempted);
    }
    /// As Committer::is_ours() decides it.
    void commit() {
        if (state_.load() != TaskState::attempted || !try_take(state_, TaskState::closing)) return;
        enter();
        ++times_committed_;
    }
    void enter() {
        test::expect(owners_.fetch_add(1) == 0, "two have it");
        owners_.fetch_sub(1);
    }

    const bool takes_back_;
    BasicRole<ExploredAtomics> role_;
    ExploredAtomics::Atomic<TaskState> state_{TaskState::attempted};
    ExploredAtomics::Atomic<bool> is_its_turn_{false};
    ExploredAtomics::Atomic<std::uint32_t> owners_{0};
    int times_committed_ = 0;  // whoever has the role
};

TEST(Incarnations, an_attempt_that_is_looked_at_when_its_turn_comes_is_committed_once) {
    for (const bool takes_back : {false, true}) {
        const Exploration exploration =
            test::explore_all([takes_back] { return std::make_unique<Closing<true>>(takes_back); });
        expect_holds(exploration);
        EXPECT_TRUE(exploration.is_complete);
    }
}

TEST(Incarnations, looking_without_trying_for_the_role_is_found) {
    for (const bool takes_back : {false, true})
        expect_found(test::explore_all(
                         [takes_back] { return std::make_unique<Closing<false>>(takes_back); }),
                     "left behind");
}

}  // namespace
}  // namespace heddle::executor
