// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "stream/speculation.hpp"

#include <algorithm>
#include <utility>

namespace heddle::executor {

std::int64_t Speculation::limit_for(unsigned workers, std::int64_t gas,
                                    std::int64_t peak) noexcept {
    return workers * std::clamp(gas, kLeast, std::max(kMostGas, peak));
}

bool Speculation::is_held(const Task& task) const noexcept {
    const bool is_storm = is_storm_.load(std::memory_order_relaxed);
    if (!is_storm && !is_restless_.load(std::memory_order_relaxed)) return false;
    if (is_probe(task)) return false;
    return is_storm || names(task, has_waited(task) ? executor::is_unruly : executor::is_restless);
}

bool Speculation::draw(Task& task, std::int64_t gas, const Window& window) noexcept {
    const std::int64_t more = gas - task.drawn_gas;
    if (more <= 0) return true;
    // Mostly there is enough for all, and where the stream is need not be asked.
    const std::int64_t kept = kept_.load(std::memory_order_relaxed);
    if (!budget_.draw(more, kept) && (kept_from(task, window) == kept || !budget_.draw(more)))
        return false;
    task.drawn_gas += more;
    return true;
}

bool Speculation::draw_at_turn(Task& task, std::int64_t gas) noexcept {
    const std::int64_t more = gas - task.drawn_gas;
    if (more <= 0) return true;
    const std::int64_t credit = kept_.load(std::memory_order_relaxed);
    if (!budget_.draw(more, -credit)) return false;
    task.drawn_gas += more;
    return true;
}

bool Speculation::begin_another(Task& task) noexcept {
    if (task.withdrawn + 1u >= kMaxAttempts) return false;
    // The first attempt is paid for by what the transaction pays before it executes.
    if (!budget_.draw(kFreeGas)) return false;
    task.forfeited_gas += std::exchange(task.drawn_gas, kFreeGas);
    ++task.withdrawn;
    return true;
}

void Speculation::note_lost(Task& task, std::int64_t ticks) const noexcept {
    const std::int64_t turns = pace_.worth(ticks) / (usual_gas() + GasPace::kBeforeExecution);
    // Counters of two processors may differ: not less than nothing.
    task.lost_turns = static_cast<std::uint8_t>(
        std::clamp<std::int64_t>(task.lost_turns + turns, 0, kMostLostTurns));
}

void Speculation::accepted(const Task& task, const Attempt& attempt) noexcept {
    if (task.drawn_gas >= 0)
        budget_.give_back(task.drawn_gas);
    else
        budget_.put_back(task.drawn_gas);  // at once: until then there is too much
    trust_ = std::min(trust_ + 1, (kMostPeaks - kLeastPeaks) * kHoldsForPeak);
    if (last_unrest_ != 0) calm(task, attempt);
    const bool stands_for_others = is_storm_.load(std::memory_order_relaxed) && is_probe(task);
    if (storm_ != 0) weigh(stands_for_others ? -kProbeWeight * kCalmStep : -kCalmStep);
}

void Speculation::lost(const Task& task, AccountCell* by) noexcept {
    if (task.drawn_gas >= 0) {
        budget_.lose(task.drawn_gas);
        // What is like it needs as much.
        if (task.drawn_gas != 0) note_usual(task.drawn_gas);
    } else {
        // It held, and a block before its own was refused: what it has lent is called in, and what
        // it has used itself is as lost as what others did with that.
        budget_.put_back(2 * task.drawn_gas);
        budget_.lose(-task.drawn_gas);
    }
    if (by == nullptr) return;
    trust_ /= 2;
    disturb(*by, task);
    weigh(kStep);
    if (is_storm_.load(std::memory_order_relaxed))
        had_storm_.store(true, std::memory_order_relaxed);
}

void Speculation::committed(const Task& task, std::uint64_t gas, std::int64_t ticks) noexcept {
    const auto own = static_cast<std::int64_t>(gas);
    budget_.pay(own);
    pace_.note(own, ticks);
    peak_ = std::max(own, peak_ - peak_ / kForget);
    at_first_ -= at_first_ / kForget;
    note_usual(own);
    // Not for every small change: others read what it is kept in.
    const std::int64_t limit = limit_for(
        workers_, std::max(at_first_, (kLeastPeaks + trust_ / kHoldsForPeak) * peak_), peak_);
    if (limit > budget_.limit() || limit < budget_.limit() - budget_.limit() / 4) set_limit(limit);
    if (left_of_youth_ == 1) is_young_.store(false, std::memory_order_relaxed);
    if (left_of_youth_ != 0) --left_of_youth_;
    if (last_unrest_ != 0 && task.position > last_unrest_ + kMemory) {
        last_unrest_ = 0;
        is_restless_.store(false, std::memory_order_relaxed);
        had_storm_.store(false, std::memory_order_relaxed);
    }
}

void Speculation::reset() noexcept {
    peak_ = 0;
    at_first_ = kFirstGas;
    trust_ = 0;
    set_limit(limit_for(workers_, kFirstGas, peak_));
    budget_.reset();
    mean_ = 1;
    usual_gas_.store(mean_, std::memory_order_relaxed);
    storm_ = 0;
    left_of_youth_ = kYouth;
    is_young_.store(true, std::memory_order_relaxed);
    last_unrest_ = 0;
    is_storm_.store(false, std::memory_order_relaxed);
    is_restless_.store(false, std::memory_order_relaxed);
    had_storm_.store(false, std::memory_order_relaxed);
}

void Speculation::set_limit(std::int64_t limit) noexcept {
    budget_.set_limit(limit);
    kept_.store(limit / kKeptPart, std::memory_order_relaxed);
}

/// Attempts pay where those that hold save more time than those that do not take. One that is lost
/// may take many times as long as a transaction: then fewer of them are too many.
/// Only those that are overtaken although they have waited show that to wait is not enough.
void Speculation::disturb(AccountCell& cell, const Task& task) noexcept {
    const std::uint32_t weight = std::max<std::uint32_t>(task.lost_turns, 1);
    const std::uint32_t before = cell.unrest.load(std::memory_order_relaxed);
    const std::uint32_t most = is_ordered_by(task, cell) ? kMostUnrest : kUnruly - 1;
    const std::uint32_t unrest = std::max(before, std::min(before + weight * kUnrestStep, most));
    cell.unrest.store(unrest, std::memory_order_relaxed);
    last_unrest_ = task.position;
    if (unrest >= kRestless) is_restless_.store(true, std::memory_order_relaxed);
}

/// The accounts that the attempt has read are a little calmer than they seemed.
void Speculation::calm(const Task& task, const Attempt& attempt) noexcept {
    bool knows_waited = false;
    for (const AccountRead& seen : attempt.accounts) {
        const std::uint32_t unrest = seen.cell->unrest.load(std::memory_order_relaxed);
        if (unrest == 0) continue;
        if (!std::exchange(knows_waited, true)) find_waited(task, attempt);
        seen.cell->unrest.store(unrest_after(*seen.cell, task), std::memory_order_relaxed);
    }
}

/// By which accounts the attempt had to wait. Of many, some may do for all.
void Speculation::find_waited(const Task& task, const Attempt& attempt) noexcept {
    waited_.clear();
    if (!has_waited(task)) return;
    for (const SlotRead& seen : attempt.slots) {
        if (position_of(seen.stamp) + kRecent < task.position) continue;
        const AccountCell* const cell = seen.cell->account;
        if (!task.is_behind_all && !is_ordered_by(task, *cell)) continue;
        if (std::ranges::find(waited_, cell) != waited_.end()) continue;
        if (waited_.size() == kMostWaited) return;
        waited_.push_back(cell);
    }
}

/// Where it holds because it has waited, the account is as restless as it was, but not worse: to
/// wait is enough.
std::uint32_t Speculation::unrest_after(const AccountCell& cell, const Task& task) const noexcept {
    const std::uint32_t unrest = cell.unrest.load(std::memory_order_relaxed);
    if (unrest < kUnruly && std::ranges::find(waited_, &cell) != waited_.end())
        return std::min(unrest + kUnrestStep, kUnruly - 1);
    const bool stands_for_others =
        unrest >= (has_waited(task) ? kUnruly : kRestless) && is_probe(task);
    const auto step = static_cast<std::uint32_t>(stands_for_others ? kProbeWeight : kCalmStep);
    return unrest - std::min(unrest, step);
}

void Speculation::note_usual(std::int64_t gas) noexcept {
    mean_ = std::max<std::int64_t>(mean_ + (gas - mean_) / kMeanOf, 1);
    // Not for every small change: workers read it.
    const std::int64_t told = usual_gas_.load(std::memory_order_relaxed);
    if (mean_ > told + told / 4 || mean_ < told - told / 4)
        usual_gas_.store(mean_, std::memory_order_relaxed);
}

void Speculation::weigh(std::int32_t change) noexcept {
    storm_ = std::clamp(storm_ + change, 0, kMost);
    const bool is_storm = is_storm_.load(std::memory_order_relaxed);
    if (!is_storm && storm_ >= kStorm)
        is_storm_.store(true, std::memory_order_relaxed);
    else if (is_storm && storm_ <= kCalm)
        is_storm_.store(false, std::memory_order_relaxed);
}

}  // namespace heddle::executor
