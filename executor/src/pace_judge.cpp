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
    trial_ = 0;
    tried_ns_ = 0;
    tried_gas_ = 0;
    since_trial_ = 0;
}

Pace PaceJudge::begin(std::uint64_t now_ns) {
    const std::lock_guard guard(lock_);
    const bool is_trial = since_trial_ >= interval_ && trial_ < kTrial;
    if (is_trial)
        ++trial_;
    else
        ++since_trial_;
    // What runs beside a trial, or just after it, says little of how blocks usually run.
    const bool counts = is_trial ? trial_ > 1 : trial_ == 0;
    const Pace pace = is_trial ? other(pace_) : pace_;
    begun_.push_back({pace, is_trial, counts, now_ns});
    return pace;
}

void PaceJudge::ended(std::uint64_t gas, std::uint64_t now_ns) noexcept {
    const std::lock_guard guard(lock_);
    HEDDLE_ASSERT(!begun_.empty());
    const Begun block = begun_.front();
    begun_.pop_front();
    const std::uint64_t from = std::max(block.begin_ns, std::exchange(last_end_ns_, now_ns));
    const std::uint64_t ns = now_ns - std::min(now_ns, from);
    if (block.counts && gas >= kLeastGas) {
        if (block.is_trial) {
            tried_ns_ += ns;
            tried_gas_ += gas;
        } else if (block.pace == pace_) {
            const std::int64_t now = cost(ns, gas);
            usual_ = usual_ == 0 ? now : usual_ + (now - usual_) / kMeanOf;
        }
    }
    const bool has_trial = std::ranges::any_of(begun_, &Begun::is_trial);
    if (block.is_trial && trial_ == kTrial && !has_trial) judge();
}

std::int64_t PaceJudge::cost(std::uint64_t ns, std::uint64_t gas) noexcept {
    // A block that takes longer than this has stood still for another reason.
    constexpr std::uint64_t kLongest = 1'000'000'000'000;  // ns
    return static_cast<std::int64_t>(std::min(ns, kLongest) * 1'000 / gas);
}

void PaceJudge::judge() noexcept {
    const bool is_known = tried_gas_ != 0 && usual_ != 0;
    const std::int64_t tried = is_known ? cost(tried_ns_, tried_gas_) : 0;
    if (is_known && tried * (100 + kGain) < usual_ * 100) {
        pace_ = other(pace_);
        reason_ = fmt::format("transactions run {} from here on: {} ps per gas, where it was {} {}",
                              pace_ == Pace::in_order ? "in order" : "ahead of their turn", tried,
                              usual_, pace_ == Pace::in_order ? "ahead of their turn" : "in order");
        usual_ = tried;
        interval_ = kFirstInterval;
    } else {
        interval_ = std::min(2 * interval_, kLongestInterval);
    }
    trial_ = 0;
    since_trial_ = 0;
    tried_ns_ = 0;
    tried_gas_ = 0;
}

std::optional<std::string> PaceJudge::take_reason() {
    const std::lock_guard guard(lock_);
    return std::exchange(reason_, std::nullopt);
}

}  // namespace heddle::executor
