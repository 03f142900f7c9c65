// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks for the judge of paces, by a clock of the test's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>

#include <gtest/gtest.h>

#include "pace_judge.hpp"

namespace heddle::executor {

inline constexpr std::uint64_t kGas = 30'000'000;
/// Of a block of sixty transfers, which takes a tenth of a millisecond.
inline constexpr std::uint64_t kTinyGas = 60 * 21'000;
/// Of a block of ten transfers.
inline constexpr std::uint64_t kLittleGas = 10 * 21'000;

/// What a block takes, in milliseconds.
struct Times {
    double ahead;
    double in_order;
    double alone;
};

inline double of(const Times& times, Pace pace) {
    return pace == Pace::ahead      ? times.ahead
           : pace == Pace::in_order ? times.in_order
                                    : times.alone;
}

/// Blocks that follow each other, by a clock of the test's.
class PaceJudgeTest : public testing::Test {
protected:
    /// How many blocks ran each way, and what all took.
    struct Runs {
        int ahead = 0;
        int in_order = 0;
        int alone = 0;
        int changes = 0;  // of the way that is not tried
        double ms = 0;
    };
    /// Of a block by its number.
    using Load = std::function<Times(int)>;

    /// @param behind  Blocks that have begun before one ends.
    Runs run(int blocks, const Load& load, std::size_t behind = 2, std::uint64_t gas = kGas) {
        Runs runs;
        const std::uint64_t start = now_ns_;
        for (int i = 0; i < blocks; ++i) {
            while (judge_.wants_pause() && !in_flight_.empty())
                end_oldest(gas);
            const Pace pace = judge_.next();
            if (judge_.take_reason().has_value()) ++runs.changes;
            judge_.begin(now_ns_);
            in_flight_.push_back({pace, load(number_++), in_flight_.empty()});
            ++(pace == Pace::ahead      ? runs.ahead
               : pace == Pace::in_order ? runs.in_order
                                        : runs.alone);
            // Nobody begins a block beside one that is run alone.
            if (in_flight_.size() > behind || pace == Pace::alone) end_oldest(gas);
        }
        runs.ms = static_cast<double>(now_ns_ - start) / 1e6;
        return runs;
    }
    Runs run(int blocks, const Times& times, std::size_t behind = 2, std::uint64_t gas = kGas) {
        return run(blocks, [times](int) { return times; }, behind, gas);
    }

    void end_oldest(std::uint64_t gas) {
        const Begun block = in_flight_.front();
        in_flight_.pop_front();
        double ms = of(block.times, block.pace);
        const auto is_ahead = [](const Begun& other) { return other.pace == Pace::ahead; };
        if (block.pace == Pace::in_order && std::ranges::any_of(in_flight_, is_ahead))
            ms *= slowed_by_attempts_;
        if (block.is_first && block.pace != Pace::alone) ms += pause_ms_;
        now_ns_ += static_cast<std::uint64_t>(ms * 1e6);
        const double worked_ms = block.pace == Pace::ahead ? overlap_ * ms : 0;
        judge_.ended(gas, now_ns_, static_cast<std::uint64_t>(worked_ms * 1e6));
    }

    Runs run_streams(int streams, int blocks, const Load& load, std::size_t behind = 2) {
        Runs all;
        for (int i = 0; i < streams; ++i) {
            const Runs runs = run(blocks, load, behind);
            const std::uint64_t before = now_ns_;
            while (!in_flight_.empty())
                end_oldest(kGas);
            all.ahead += runs.ahead;
            all.in_order += runs.in_order;
            all.alone += runs.alone;
            all.changes += runs.changes;
            all.ms += runs.ms + static_cast<double>(now_ns_ - before) / 1e6;
            judge_.start();
        }
        return all;
    }
    Runs run_streams(int streams, int blocks, const Times& times) {
        return run_streams(streams, blocks, [times](int) { return times; });
    }

    struct Begun {
        Pace pace;
        Times times;
        bool is_first;  // nothing was in flight
    };
    /// What it takes in the parallel executor until blocks overlap again.
    double pause_ms_ = 0;
    /// How many times as long a block in order takes while others are attempted.
    double slowed_by_attempts_ = 1;
    /// For how many times as long as blocks take they are executed ahead of their turn.
    double overlap_ = 0;
    PaceJudge judge_;
    std::deque<Begun> in_flight_;
    std::uint64_t now_ns_ = 1;
    int number_ = 0;
};

/// Until the first trial can be over.
inline constexpr int kFirstTrial =
    static_cast<int>(PaceJudge::kFirstInterval + 2 * PaceJudge::kStretch + PaceJudge::kWarmUp);
inline constexpr int kBeforeTrial =
    static_cast<int>(PaceJudge::kFirstInterval + PaceJudge::kStretch);

}  // namespace heddle::executor
