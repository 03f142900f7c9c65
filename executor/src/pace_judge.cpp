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

void PaceJudge::start() {
    const std::lock_guard guard(lock_);
    const bool is_whole = begun_.empty();  // else it was given up
    begun_.clear();
    begun_in_stream_ = 0;
    if (begun_in_phase_ == 0) return;
    if (is_whole && (is_of_streams_ || phase_ == Phase::base) &&
        (is_phase_complete() || is_behind_in_streams())) {
        enter_next();
        return;
    }
    if (phase_ == Phase::usual || (is_whole && is_of_streams_)) return;
    if (phase_ == Phase::base) {
        enter(is_whole ? Phase::base : Phase::usual);
    } else {
        // It is not compared, but what it has cost is known.
        const bool is_judged = is_whole && phase_ == Phase::trial &&
                               (tried_rounds() >= kStretch / 2 || is_phase_complete());
        if (!is_judged) tried_count_ = 0;
        end_trial();
    }
    is_of_streams_ = is_whole;
}

Pace PaceJudge::other() const noexcept {
    constexpr std::array<std::array<Pace, 2>, 3> kOthers = {{
        {Pace::alone, Pace::in_order},
        {Pace::ahead, Pace::alone},
        {Pace::ahead, Pace::in_order},
    }};
    return kOthers[static_cast<std::size_t>(pace_)][trials_ % 2];
}

PaceJudge::Sum PaceJudge::tried(std::size_t first) const noexcept {
    Sum sum;
    for (std::size_t i = first; i < kStretch; ++i)
        sum += tried_[i];
    return sum;
}

std::int64_t PaceJudge::tried_cost() const noexcept {
    const std::int64_t all = cost(tried(0));
    // It gets better while its caches fill. Of blocks that overlap single times tell nothing.
    return other() == Pace::alone && !is_of_streams_
               ? std::min(all, cost(tried(tried_rounds() / 2)))
               : all;
}

bool PaceJudge::is_behind(std::int64_t cost, std::int64_t percent) const noexcept {
    return base_.gas != 0 && cost * 100 > this->cost(base_) * (100 + percent);
}

bool PaceJudge::is_lost() const noexcept {
    if (phase_ != Phase::trial || base_.gas == 0) return false;
    // Where nothing has warmed up.
    if (is_of_streams_ && other() != Pace::alone && is_behind(cost(trial_), 2 * kHopeless))
        return true;
    // Those that overlap with these have taken a part of their time.
    const std::size_t enough = other() == Pace::alone ? 2 : kStretch / 2;
    if (tried_rounds() < enough) return false;
    return is_behind(cost(tried(tried_rounds() - enough)), kLoss);
}

bool PaceJudge::is_behind_in_streams() const noexcept {
    return phase_ == Phase::trial && is_of_streams_ && base_.gas != 0 &&
           tried_rounds() >= kStretch / 2 && cost(tried(0)) >= cost(base_);
}

std::uint64_t PaceJudge::rounds_of(std::uint64_t blocks, std::uint64_t ns) const noexcept {
    if (round_ns_ == 0) return blocks;
    return std::min(blocks, std::max(ns / round_ns_, blocks / kMostInRound));
}

std::uint64_t PaceJudge::rounds_of_phase() const noexcept {
    const std::uint64_t in_flight = begun_.size();
    const std::uint64_t ended = begun_in_phase_ - in_flight;
    const std::uint64_t ns = phase_ns_ + in_flight * (ended == 0 ? block_ns_ : phase_ns_ / ended);
    // What is in flight is estimated: where a pause has shown that it took less, another one would
    // cost more than it is worth.
    return rounds_of(begun_in_phase_, begun_.empty() ? ns * 4 / 3 : ns);
}

std::uint64_t PaceJudge::rounds_of_ended() const noexcept {
    return rounds_of(begun_in_phase_ - begun_.size(), phase_ns_);
}

bool PaceJudge::overlaps_by(std::uint64_t percent) const noexcept {
    return worked_ns_ * 100 >= phase_ns_ * percent;
}

bool PaceJudge::may_be_put_off() const noexcept {
    // Where no time is asked for, as in tests, ways change within a few blocks.
    return pace_ == Pace::ahead && !has_won_ && round_ns_ != 0 &&
           rounds() < tried_at_ + kAfterOverlap;
}

bool PaceJudge::is_usual_over() const noexcept {
    const std::uint64_t rounds = rounds_of_phase();
    if (rounds < wait_ || !may_be_put_off()) return rounds >= wait_;
    if (phase_ns_ != 0 && worked_ns_ == 0) return true;  // that is not timed
    // The first blocks have nothing before them to overlap with.
    const std::uint64_t ended = rounds_of_ended();
    if (ended < kFirstInterval) return false;
    if (overlaps_by(kOverlap)) return false;
    return !overlaps_by(kSomeOverlap) || ended >= 2 * kFirstInterval;
}

bool PaceJudge::is_phase_complete() const noexcept {
    switch (phase_) {
        case Phase::usual:
            return is_usual_over();
        case Phase::base:
            return rounds_of_phase() >= kStretch;
        case Phase::warm_up:
            if (has_used(trial_, 1)) return true;
            if (begun_in_phase_ < kWarmUp * blocks_of_round_) return false;
            return other() != Pace::alone || is_warm_ || is_hopeless_ ||
                   begun_in_phase_ >= kStretch * blocks_of_round_;
        case Phase::trial:
            break;
    }
    // What has nothing to be compared with ends with the first block that could be.
    const bool is_in_vain = base_.gas == 0 && tried_count_ != 0;
    return begun_in_phase_ >= stretch_ || is_lost() || is_in_vain ||
           (tried_count_ >= kStretch / 2 && has_used(tried(0), kMostOfBase));
}

bool PaceJudge::has_used(const Sum& sum, std::uint64_t times) const noexcept {
    return sum.gas / times >= std::max(base_.gas, kLeastGas);
}

bool PaceJudge::is_phase_over() const noexcept {
    if (!is_of_streams_ || is_hopeless_ || is_lost()) return is_phase_complete();
    return is_stream_long() && is_phase_complete();
}

void PaceJudge::enter_next() {
    if (phase_ == Phase::trial || is_hopeless_) {
        end_trial();
    } else if (phase_ == Phase::base && may_be_put_off() && overlaps_by(kOverlap)) {
        // As if it had lost, but for nothing.
        wait_ = interval_ = std::min(2 * interval_, kLongestInterval);
        enter(Phase::usual);
    } else if (phase_ == Phase::base && is_of_streams_ && other() != Pace::alone) {
        // The same executor, and what it knew of the state is gone with each stream.
        enter(Phase::trial);
    } else {
        enter(static_cast<Phase>(static_cast<unsigned>(phase_) + 1));
    }
}

bool PaceJudge::wants_pause() const noexcept {
    const std::lock_guard guard(lock_);
    return is_phase_over();
}

bool PaceJudge::is_undecided() const noexcept {
    const std::lock_guard guard(lock_);
    return is_trying() || has_won_;
}

void PaceJudge::enter(Phase phase) noexcept {
    const std::uint64_t rounds = rounds_of_phase();
    rounds_ += rounds;
    if (begun_in_phase_ != 0) block_ns_ = phase_ns_ / begun_in_phase_;
    if (phase_ == Phase::base) {
        stretch_ = begun_in_phase_;
        // One that ends where a stream does may be longer than it has to be.
        base_rounds_ = is_of_streams_ ? std::max(rounds, kStretch) : kStretch;
        blocks_of_round_ = (begun_in_phase_ + base_rounds_ - 1) / base_rounds_;
    }
    phase_ = phase;
    begun_in_phase_ = phase_ns_ = worked_ns_ = 0;
    is_warm_ = is_hopeless_ = false;
    if (phase != Phase::base) return;
    base_ = slowest_ = warmed_ = warming_ = trial_ = {};
    tried_ = {};
    tried_count_ = warming_up_ = 0;
}

std::uint64_t PaceJudge::choose_other() noexcept {
    const std::uint64_t mine = not_before(other());
    skip_other();
    const std::uint64_t next = not_before(other());
    const std::uint64_t now = rounds();
    if (mine <= std::max(next, now)) skip_other();
    const std::uint64_t earliest = std::min(mine, next);
    return std::max(interval_, earliest - std::min(earliest, now));
}

Pace PaceJudge::next() {
    const std::lock_guard guard(lock_);
    // Not if the last look became out of date, by a block that has just ended.
    if (is_phase_over() && begun_.empty()) {
        const bool is_long = is_stream_long();
        enter_next();
        if (is_long) is_of_streams_ = false;
    }
    return is_trying() ? other() : pace_;
}

void PaceJudge::begin(std::uint64_t now_ns) {
    const std::lock_guard guard(lock_);
    if (begun_in_stream_++ == 0) stream_began_at_ = rounds();
    begun_.push_back(now_ns);
    ++begun_in_phase_;
}

void PaceJudge::ended(std::uint64_t gas, std::uint64_t now_ns, std::uint64_t worked_ns) noexcept {
    const std::lock_guard guard(lock_);
    HEDDLE_ASSERT(!begun_.empty());
    const std::uint64_t from = std::max(begun_.front(), std::exchange(last_end_ns_, now_ns));
    begun_.pop_front();
    const Sum block{now_ns - std::min(now_ns, from), gas};
    phase_ns_ += block.ns;
    worked_ns_ += worked_ns;
    if (is_trying()) trial_ += block;
    if (gas < kLeastGas) return;
    if (phase_ == Phase::trial) {
        // Of more blocks than there are rounds each round gets as many, or one more; the last one
        // has what is left of a stream.
        tried_[std::min(tried_rounds(), kStretch - 1)] += block;
        ++tried_count_;
    } else if (phase_ == Phase::base) {
        base_ += block;
        if (is_slower(block, slowest_)) slowest_ = block;
    } else if (phase_ == Phase::warm_up) {
        look_at_warming(block);
    }
}

void PaceJudge::look_at_warming(const Sum& block) noexcept {
    if (other() != Pace::alone) is_hopeless_ = is_behind(cost(trial_), 2 * kHopeless);
    warming_ += block;
    if (++warming_up_ < blocks_of_round_) return;
    warming_up_ = 0;
    const std::int64_t before = cost(std::exchange(warmed_, std::exchange(warming_, {})));
    if (before == 0) return;
    const std::int64_t now = cost(warmed_);
    is_warm_ = now * (100 + kGain) > before * 100;
    // It does not get better any more, and what is so far behind will not be ahead in a trial.
    if (other() == Pace::alone) is_hopeless_ = is_warm_ && is_behind(now, kHopeless);
}

std::int64_t PaceJudge::usual_cost_without_slowest() const noexcept {
    return cost({base_.ns - slowest_.ns, base_.gas - slowest_.gas});
}

std::int64_t PaceJudge::cost(const Sum& sum) noexcept {
    // A stretch that takes longer than this has stood still for another reason.
    constexpr std::uint64_t kLongest = 1'000'000'000'000;  // ns
    if (sum.gas == 0) return 0;
    return static_cast<std::int64_t>(std::min(sum.ns, kLongest) * 1'000 / sum.gas);
}

bool PaceJudge::is_slower(const Sum& block, const Sum& other) noexcept {
    return cost({block.ns, std::max(block.gas, kTellingGas)}) >
           cost({other.ns, std::max(other.gas, kTellingGas)});
}

std::uint64_t PaceJudge::paid_off() const noexcept {
    // What stood still for another reason is not paid for ever.
    constexpr std::uint64_t kMostWait = 4 * kLongestInterval;
    if (base_.gas == 0 || trial_.gas == 0) return 0;
    const std::int64_t usual = std::max<std::int64_t>(cost(base_), 1);
    const std::int64_t excess = std::max<std::int64_t>(cost(trial_) - usual, 0);
    // In picoseconds: of a trial no more than cost() counts, and a round of the base.
    const std::uint64_t lost = static_cast<std::uint64_t>(excess) * trial_.gas;
    const std::uint64_t round = static_cast<std::uint64_t>(usual) * base_.gas / base_rounds_;
    return std::min(lost * kWorth / std::max<std::uint64_t>(round, 1), kMostWait);
}

void PaceJudge::end_trial() {
    const bool is_known = base_.gas != 0 && tried_count_ != 0;
    const std::int64_t usual = is_known ? cost(base_) : 0;
    const std::int64_t tried = is_known ? tried_cost() : 0;
    const bool is_faster = tried * (100 + kGain) < usual * 100;
    const bool is_clear = has_won_ || tried * (100 + kClearGain) <
                                          std::min(usual, usual_cost_without_slowest()) * 100;
    has_won_ = is_faster && !is_clear;
    if (has_won_) {
        wait_ = kConfirmAfter;
    } else {
        if (is_faster) {
            change(usual, tried);
        } else {
            interval_ = std::min(2 * interval_, kLongestInterval);
            not_before(other()) = rounds() + paid_off();
            skip_other();
        }
        wait_ = choose_other();
    }
    enter(Phase::usual);
    tried_at_ = rounds();
}

void PaceJudge::change(std::int64_t usual, std::int64_t tried) {
    reason_ = fmt::format("transactions run {} from here on: {} ps per gas, where it was {} {}",
                          name_of(other()), tried, usual, name_of(pace_));
    const Pace before = std::exchange(pace_, other());
    if (other() != before) skip_other();
    // What was a mistake is soon found; but not over and over.
    const bool has_stood = rounds() - std::exchange(changed_at_, rounds()) >= kSettled;
    if (has_stood) settle_ = kFirstInterval;
    const bool goes_back = pace_ == came_from_ && !has_stood;
    came_from_ = before;
    interval_ = goes_back ? settle_ : kFirstInterval;
    if (goes_back) settle_ = std::min(2 * settle_, kSettled);
}

std::optional<std::string> PaceJudge::take_reason() {
    const std::lock_guard guard(lock_);
    return std::exchange(reason_, std::nullopt);
}

}  // namespace heddle::executor
