// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "pace_judge.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <types/assert.hpp>

namespace heddle::executor {
namespace {

std::string_view name_of(Pace pace) noexcept {
    switch (pace) {
        case Pace::ahead:
            return "ahead of their turn";
        case Pace::in_order:
            return "in order";
        case Pace::alone:
            return "in order with nothing beside them";
    }
    return {};
}

}  // namespace

void PaceJudge::start() noexcept {
    const std::lock_guard guard(lock_);
    begun_.clear();
    phase_ = Phase::usual;
    begun_in_phase_ = 0;
}

Pace PaceJudge::other() const noexcept {
    constexpr std::array<std::array<Pace, 2>, 3> kOthers = {{
        {Pace::alone, Pace::in_order},
        {Pace::ahead, Pace::alone},
        {Pace::ahead, Pace::in_order},
    }};
    return kOthers[static_cast<std::size_t>(pace_)][trials_ % 2];
}

bool PaceJudge::is_lost() const noexcept {
    if (usual_.gas == 0 || tried_.gas == 0) return false;
    return cost(tried_) * 100 > cost(usual_) * (100 + kLoss);
}

bool PaceJudge::is_phase_over() const noexcept {
    if (phase_ == Phase::trial && is_lost()) return true;
    return begun_in_phase_ >= (phase_ == Phase::usual ? wait_ : kStretch);
}

bool PaceJudge::wants_pause() const noexcept {
    const std::lock_guard guard(lock_);
    return is_phase_over();
}

Pace PaceJudge::next() {
    const std::lock_guard guard(lock_);
    // Not if the last look became out of date, by a block that has just ended.
    if (is_phase_over() && begun_.empty()) {
        if (phase_ == Phase::trial) judge();
        phase_ = phase_ == Phase::trial ? Phase::usual : Phase::trial;
        tried_ = {};
        begun_in_phase_ = 0;
    }
    return phase_ == Phase::trial ? other() : pace_;
}

void PaceJudge::begin(std::uint64_t now_ns) {
    const std::lock_guard guard(lock_);
    begun_.push_back({phase_, begun_in_phase_ != 0, now_ns});
    ++begun_in_phase_;
}

void PaceJudge::ended(std::uint64_t gas, std::uint64_t now_ns) noexcept {
    const std::lock_guard guard(lock_);
    HEDDLE_ASSERT(!begun_.empty());
    const Begun block = begun_.front();
    begun_.pop_front();
    const std::uint64_t from = std::max(block.begin_ns, std::exchange(last_end_ns_, now_ns));
    if (!block.counts || gas < kLeastGas) return;
    if (block.phase == Phase::usual) {
        usual_.ns -= usual_.ns / kMeanOf;
        usual_.gas -= usual_.gas / kMeanOf;
    }
    Sum& sum = block.phase == Phase::usual ? usual_ : tried_;
    sum.ns += now_ns - std::min(now_ns, from);
    sum.gas += gas;
}

std::int64_t PaceJudge::cost(const Sum& sum) noexcept {
    // A stretch that takes longer than this has stood still for another reason.
    constexpr std::uint64_t kLongest = 1'000'000'000'000;  // ns
    return static_cast<std::int64_t>(std::min(sum.ns, kLongest) * 1'000 / sum.gas);
}

void PaceJudge::judge() {
    const bool is_known = usual_.gas != 0 && tried_.gas != 0;
    const std::int64_t usual = is_known ? cost(usual_) : 0;
    const std::int64_t tried = is_known ? cost(tried_) : 0;
    const bool is_faster = is_known && tried * (100 + kGain) < usual * 100;
    if (is_faster && !has_won_) {
        has_won_ = true;
        wait_ = kConfirmAfter;
        return;
    }
    has_won_ = false;
    if (is_faster) {
        reason_ = fmt::format("transactions run {} from here on: {} ps per gas, where it was {} {}",
                              name_of(other()), tried, usual, name_of(pace_));
        pace_ = other();
        usual_ = tried_;
        interval_ = kFirstInterval;
    } else {
        interval_ = std::min(2 * interval_, kLongestInterval);
    }
    wait_ = interval_;
    ++trials_;
}

std::optional<std::string> PaceJudge::take_reason() {
    const std::lock_guard guard(lock_);
    return std::exchange(reason_, std::nullopt);
}

}  // namespace heddle::executor
