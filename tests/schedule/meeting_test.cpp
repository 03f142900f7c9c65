// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Meetings of lanes under many interleavings: each request is executed once, by one lane, after all
// have come and before any goes on; and nobody waits for ever.
#include "early/meeting.hpp"

#include <array>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "checks.hpp"
#include "explored_atomics.hpp"
#include "explorer.hpp"
#include "workers/parking_lot.hpp"

namespace heddle::executor {
namespace {

using test::Case;
using test::expect_found;
using test::expect_holds;
using test::Exploration;
using test::ExploredAtomics;
using test::MakeCase;

/// Wrong turns, to see whether they would be found.
enum class Flaw : std::uint8_t {
    none,
    one_cycle,         // a lane comes to the next request where the last one was
    tells_nobody,      // who lets others go on does not wake them
    wakes_before_done  // and who has executed wakes them too early
};

/// Lanes come to so many requests, all of one class.
class MeetingCase final : public Case {
public:
    MeetingCase(MeetingRules rules, unsigned lanes, unsigned requests, Flaw flaw)
        : rules_(rules), lanes_(lanes), requests_(requests), flaw_(flaw) {
        for (unsigned lane = 0; lane < lanes_; ++lane)
            lots_.push_back(std::make_unique<BasicParkingLot<ExploredAtomics>>());
    }

    std::vector<Thread> threads() override {
        static constexpr std::array kNames{"first", "second", "third"};
        std::vector<Thread> result;
        for (unsigned lane = 0; lane < lanes_; ++lane)
            result.push_back({kNames[lane], [this, lane] { run(lane); }});
        return result;
    }
    void at_end() override {
        for (unsigned request = 0; request < requests_; ++request)
            test::expect(executed_[request] == 1, "a request was not executed");
    }
    [[nodiscard]] unsigned spurious_failures() const override { return 0; }

private:
    void run(unsigned lane) {
        for (unsigned request = 0; request < requests_; ++request)
            attend(lane, request);
    }
    void attend(unsigned lane, unsigned request) {
        Visit visit{.cycle = flaw_ != Flaw::one_cycle && request % 2 != 0,
                    .is_first = lane == 0,
                    .lanes = first_threads(lanes_)};
        ++come_[request];
        for (;;) {
            const Advance advance = meeting_.step(rules_, visit, [this] { wake_all(); });
            if (advance == Advance::leave) break;
            if (advance == Advance::execute) {
                execute(request);
                if (flaw_ == Flaw::wakes_before_done) wake_all();
                meeting_.done(visit.cycle);
                if (flaw_ != Flaw::wakes_before_done) wake_all();
                continue;
            }
            lots_[lane]->park([&] { return meeting_.can_step(rules_, visit); });
        }
        test::expect(executed_[request] == 1, "a lane went on before the request was executed");
    }
    void execute(unsigned request) {
        test::expect(come_[request] == lanes_, "executed before all had come");
        test::expect(++executed_[request] == 1, "executed twice");
    }
    void wake_all() {
        if (flaw_ == Flaw::tells_nobody) return;
        for (const auto& lot : lots_)
            lot->notify();
    }

    static constexpr std::size_t kMost = 4;
    const MeetingRules rules_;
    const unsigned lanes_;
    const unsigned requests_;
    const Flaw flaw_;
    BasicMeeting<ExploredAtomics> meeting_;
    std::vector<std::unique_ptr<BasicParkingLot<ExploredAtomics>>> lots_;
    std::array<unsigned, kMost> come_{};
    std::array<unsigned, kMost> executed_{};
};

constexpr MeetingRules kBarriers{.gathers_at_barrier = true, .leaves_at_barrier = true};
constexpr MeetingRules kMarks{};
constexpr MeetingRules kMarksAndBarrier{.leaves_at_barrier = true};
constexpr std::array kAllRules{kBarriers, kMarks, kMarksAndBarrier};

MakeCase meeting(MeetingRules rules, unsigned lanes, unsigned requests, Flaw flaw = Flaw::none) {
    return [=] { return std::make_unique<MeetingCase>(rules, lanes, requests, flaw); };
}

TEST(MeetingSchedule, two_lanes_meet_for_one_request) {
    for (const MeetingRules rules : kAllRules) {
        const Exploration exploration = explore_all(meeting(rules, 2, 1));
        expect_holds(exploration);
        EXPECT_TRUE(exploration.is_complete);
    }
}

TEST(MeetingSchedule, lanes_meet_for_one_request_after_the_other) {
    const std::uint64_t seed = test::announced_seed();
    for (const MeetingRules rules : kAllRules) {
        expect_holds(explore_bounded(meeting(rules, 2, 3), 2));
        expect_holds(explore_randomly(meeting(rules, 3, 4), seed, 5'000));
    }
}

/// The last one to come executes, leaves, and counts itself for the next request before the other
/// has seen that the first is over.
TEST(MeetingSchedule, one_cycle_of_marks_is_found) {
    expect_found(explore_bounded(meeting(kMarks, 2, 2, Flaw::one_cycle), 2), "for ever asleep");
}

TEST(MeetingSchedule, waking_nobody_is_found) {
    for (const MeetingRules rules : kAllRules)
        expect_found(explore_bounded(meeting(rules, 2, 1, Flaw::tells_nobody), 2),
                     "for ever asleep");
}

TEST(MeetingSchedule, waking_before_it_is_over_is_found) {
    expect_found(explore_bounded(meeting(kMarks, 2, 1, Flaw::wakes_before_done), 2),
                 "for ever asleep");
}

}  // namespace
}  // namespace heddle::executor
