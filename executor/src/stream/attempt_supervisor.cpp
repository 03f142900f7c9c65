// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "stream/attempt_supervisor.hpp"

#include <algorithm>

#include "stream/block_finisher.hpp"

namespace heddle::executor {
std::int64_t AttemptSupervisor::on_gas(std::int64_t gas_used) noexcept {
    if (began_ == 0) began_ = last_look_ = StreamAtomics::ticks();
    if (gas_used < kFirstLook) return kFirstLook;
    if (parts_.finisher.is_halted()) return kStop;
    const std::int64_t allowed = gas_used + std::min(gas_used, kLongestStep);
    if (gas_used >= next_judgement_ && parts_.window.committed() == task_.position) {
        switch (parts_.judge.look_at(worker_, task_, attempt_)) {
            case Standing::holds:
                return kNever;
            case Standing::overtaken:
                return kStop;
            case Standing::holds_so_far:
                next_judgement_ = 2 * gas_used;
                break;
            case Standing::unknown:
                break;  // whoever has the role may keep it long, and it may be for nothing
        }
    }
    if (worker_.view.awaited() != 0) return kStop;
    if (worker_.view.has_met_unrest() && !Speculation::is_probe(task_)) return kStop;
    // Of further attempts all gas is drawn.
    const std::int64_t free = task_.withdrawn == 0 ? Speculation::kFreeGas : 0;
    const std::int64_t used = std::max(gas_used, worth_of_time());
    if (is_overtaken(gas_used) || !draw(used + allowed - gas_used - free)) return kStop;
    return allowed;
}

std::int64_t AttemptSupervisor::ticks() const noexcept {
    return began_ == 0 ? 0 : StreamAtomics::ticks() - began_;
}

std::int64_t AttemptSupervisor::worth_of_time() noexcept {
    const std::int64_t now = StreamAtomics::ticks();
    spent_ += std::clamp<std::int64_t>(now - last_look_, 0, kLongestLook);
    last_look_ = now;
    return parts_.speculation.pace().worth(spent_);
}

bool AttemptSupervisor::is_overtaken(std::int64_t gas_used) noexcept {
    if (gas_used < next_comparison_) return false;
    next_comparison_ = 2 * gas_used;
    task_.overtaken_by = worker_.view.overtaken_by();
    return task_.overtaken_by != nullptr;
}

/// @param gas  That the attempt must have drawn.
bool AttemptSupervisor::draw(std::int64_t gas) noexcept {
    const std::int64_t more = gas - task_.drawn_gas;
    if (more <= 0) return true;
    Budget& budget = parts_.speculation.budget();
    const auto has_budget = [&] { return budget.left() >= more; };
    if (!budget.draw(more) &&
        !(wait_for_budget(parts_.window, task_, parts_.speculation.waiting(), has_budget) &&
          budget.draw(more)))
        return false;
    task_.drawn_gas += more;
    return true;
}

}  // namespace heddle::executor
