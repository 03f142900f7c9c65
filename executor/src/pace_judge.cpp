// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "pace_judge.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <types/assert.hpp>

namespace heddle::executor {

void PaceJudge::start() noexcept {
    const std::lock_guard guard(lock_);
    begun_.clear();
    phase_ = Phase::usual;
    begun_in_phase_ = 0;
}

bool PaceJudge::is_phase_over() const noexcept {
    return begun_in_phase_ >= (phase_ == Phase::usual ? interval_ : kStretch);
}

bool PaceJudge::wants_pause() const noexcept {
    const std::lock_guard guard(lock_);
    return is_phase_over();
}

Pace PaceJudge::begin(std::uint64_t now_ns) {
    const std::lock_guard guard(lock_);
    if (is_phase_over()) {
        HEDDLE_ASSERT(begun_.empty());
        if (phase_ == Phase::other) judge();
        if (phase_ == Phase::usual) same_ = other_ = {};
        phase_ = phase_ == Phase::usual  ? Phase::same
                 : phase_ == Phase::same ? Phase::other
                                         : Phase::usual;
        begun_in_phase_ = 0;
    }
    ++begun_in_phase_;
    begun_.push_back({phase_, now_ns});
    return phase_ == Phase::other ? other(pace_) : pace_;
}

void PaceJudge::ended(std::uint64_t gas, std::uint64_t now_ns) noexcept {
    const std::lock_guard guard(lock_);
    HEDDLE_ASSERT(!begun_.empty());
    const Begun block = begun_.front();
    begun_.pop_front();
    const std::uint64_t from = std::max(block.begin_ns, std::exchange(last_end_ns_, now_ns));
    if (block.phase == Phase::usual || gas < kLeastGas) return;
    Sum& sum = block.phase == Phase::same ? same_ : other_;
    sum.ns += now_ns - std::min(now_ns, from);
    sum.gas += gas;
}

std::int64_t PaceJudge::cost(const Sum& sum) noexcept {
    // A stretch that takes longer than this has stood still for another reason.
    constexpr std::uint64_t kLongest = 1'000'000'000'000;  // ns
    return static_cast<std::int64_t>(std::min(sum.ns, kLongest) * 1'000 / sum.gas);
}

void PaceJudge::judge() {
    const bool is_known = same_.gas != 0 && other_.gas != 0;
    const std::int64_t usual = is_known ? cost(same_) : 0;
    const std::int64_t tried = is_known ? cost(other_) : 0;
    if (is_known && tried * (100 + kGain) < usual * 100) {
        pace_ = other(pace_);
        reason_ = fmt::format("transactions run {} from here on: {} ps per gas, where it was {} {}",
                              pace_ == Pace::in_order ? "in order" : "ahead of their turn", tried,
                              usual, pace_ == Pace::in_order ? "ahead of their turn" : "in order");
        interval_ = kFirstInterval;
    } else {
        interval_ = std::min(2 * interval_, kLongestInterval);
    }
}

std::optional<std::string> PaceJudge::take_reason() {
    const std::lock_guard guard(lock_);
    return std::exchange(reason_, std::nullopt);
}

}  // namespace heddle::executor
