// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "stream/attempt_supervisor.hpp"

#include <algorithm>

#include "stream/block_finisher.hpp"

namespace heddle::executor {
std::int64_t AttemptSupervisor::on_gas(std::int64_t gas_used) noexcept {
    if (is_unwatched_) return lend(gas_used);
    if (began_ == 0) began_ = last_look_ = StreamAtomics::ticks();
    if (gas_used < kFirstLook) return kFirstLook;
    if (parts_.finisher.is_halted()) return kStop;
    const std::int64_t allowed = gas_used + std::min(gas_used, kLongestStep);
    if (const auto verdict = judge(gas_used)) return *verdict;
    if (worker_.view.awaited() != 0) return kStop;
    if (worker_.view.has_met_unrest() && !Speculation::is_probe(task_)) return kStop;
    if (!has_its_turn_ && worker_.evm.keeps_much_code()) return kStop;
    const std::int64_t used = std::max(gas_used, worth_of_time());
    if (is_overtaken(gas_used)) return kStop;
    const std::int64_t wanted = used + allowed - gas_used - free_gas(task_);
    if (draw(wanted)) return allowed;
    // It may have waited until its turn came. Whoever brought that about has the role a little
    // longer, and then nothing to do before this attempt has ended.
    LookPause pause;
    for (unsigned looks = 0; is_to_be_judged(gas_used) && looks < kBudgetPatience; ++looks) {
        if (const auto verdict = judge(gas_used)) return *verdict;
        if (parts_.judge.is_busy()) looks = 0;
        pause.take();
    }
    count_waiting();
    const bool may_go_on = has_its_turn_ && parts_.speculation.draw_at_turn(task_, wanted);
    return may_go_on ? allowed : kStop;
}

std::int64_t AttemptSupervisor::lend(std::int64_t gas_used) noexcept {
    if (parts_.finisher.is_halted()) return kStop;
    parts_.speculation.lend(task_, gas_used);
    return gas_used + kLentStep;
}

bool AttemptSupervisor::is_to_be_judged(std::int64_t gas_used) const noexcept {
    return gas_used >= next_judgement_ && parts_.window.committed() == task_.position;
}

std::optional<std::int64_t> AttemptSupervisor::judge(std::int64_t gas_used) noexcept {
    if (!is_to_be_judged(gas_used)) return std::nullopt;
    switch (parts_.judge.look_at(worker_, task_, attempt_)) {
        case Standing::holds:
            has_its_turn_ = true;
            is_unwatched_ = true;
            parts_.speculation.lend(task_, 0);
            return gas_used + kLentStep;
        case Standing::overtaken:
            return kStop;
        case Standing::holds_so_far:
            has_its_turn_ = true;
            next_judgement_ = 2 * gas_used;
            break;
        case Standing::unknown:
            break;  // whoever has the role may keep it long, and it may be for nothing
    }
    return std::nullopt;
}

std::int64_t AttemptSupervisor::ticks() const noexcept {
    return began_ == 0 ? 0 : StreamAtomics::ticks() - began_;
}

std::int64_t AttemptSupervisor::worked_ticks() const noexcept {
    if (began_ == 0) return 0;
    const std::int64_t since = StreamAtomics::ticks() - last_look_;
    return spent_ - waited_ + (is_unwatched_ ? std::max<std::int64_t>(since, 0) : of_look(since));
}

std::int64_t AttemptSupervisor::worth_of_time() noexcept {
    const std::int64_t now = StreamAtomics::ticks();
    spent_ += of_look(now - last_look_);
    last_look_ = now;
    return parts_.speculation.pace().worth(spent_);
}

/// What has passed since the last look was waiting.
void AttemptSupervisor::count_waiting() noexcept {
    const std::int64_t before = spent_;
    (void)worth_of_time();
    waited_ += spent_ - before;
}

bool AttemptSupervisor::is_overtaken(std::int64_t gas_used) noexcept {
    if (gas_used < next_comparison_) return false;
    next_comparison_ = 2 * gas_used;
    task_.overtaken_by = worker_.view.overtaken_by();
    return task_.overtaken_by != nullptr;
}

/// Waits for what there is not, but at its turn.
/// @param gas  That the attempt must have drawn.
bool AttemptSupervisor::draw(std::int64_t gas) noexcept {
    Speculation& speculation = parts_.speculation;
    if (speculation.draw(task_, gas, parts_.window)) return true;
    if (has_its_turn_) return false;
    const auto draw_all = [&] { return speculation.draw_if_left(task_, gas, parts_.window); };
    const auto is_getting_on = [&] {
        return parts_.judge.is_busy() || speculation.is_getting_on(parts_.window);
    };
    const bool may_have_come =
        wait_for_budget(parts_.window, task_, speculation.waiting(), draw_all, is_getting_on);
    count_waiting();
    return may_have_come && speculation.draw(task_, gas, parts_.window);
}

std::int64_t AttemptSupervisor::drawn_by(const Task& task, std::int64_t gas) noexcept {
    if (gas < kFirstLook) return task.drawn_gas;
    std::int64_t allowed = 2 * kFirstLook;
    while (allowed < std::min(gas, 2 * kLongestStep))
        allowed *= 2;
    if (gas > allowed) allowed = (gas + kLongestStep - 1) / kLongestStep * kLongestStep;
    return std::max<std::int64_t>(allowed - free_gas(task), 0);
}

}  // namespace heddle::executor
