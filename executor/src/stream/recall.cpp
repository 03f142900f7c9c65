// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "stream/recall.hpp"

#include <utility>

#include "state/committed_state.hpp"
#include "state/early_check.hpp"
#include "stream/speculation.hpp"

namespace heddle::executor {

/// What is not looked at ahead of its turn is compared when that has come.
bool Recall::pay_look(Attempt& attempt) noexcept {
    attempt.looked_gas += kLookGas * (1 + attempt.accounts.size() + attempt.slots.size());
    return attempt.looked_gas <= kGasBeforeExecution + attempt.outcome.executed_gas;
}

bool Recall::check(unsigned index, Task& task, const Estimates& estimates) {
    if (!try_take(task.state, TaskState::checked)) return false;
    Worker& worker = *parts_.workers[index];
    const bool is_paid = pay_look(*task.attempt);
    if (is_paid) worker.checked.add();
    const Stamp limit = make_stamp(task.position, 0);
    const bool is_taken_back =
        is_paid &&
        overtaken_ahead(parts_.state, *task.attempt, *task.tx, limit, estimates) != nullptr &&
        take_back(worker, task);
    // Release: of what becomes of it, everything is visible to whoever goes on with it.
    task.state.store(is_taken_back ? TaskState::waiting : TaskState::attempted,
                     std::memory_order_release);
    return is_taken_back;
}

/// @return false: there is no other attempt to be made, and nothing has changed.
bool Recall::take_back(Worker& worker, Task& task) {
    const Stamp stamp = task.stamp();
    if (!parts_.speculation.begin_another(task)) return false;
    task.attempt->stamp = stamp;
    const std::uint64_t gas = task.attempt->outcome.executed_gas;
    task.lost_gas += gas;
    parts_.speculation.note_lost(task, task.attempt->ticks);
    worker.wasted_gas.add(gas);
    worker.taken_back.add();
    return true;
}

void Recall::withdraw_estimates(Worker& worker, Task& task, const Attempt* now) {
    Attempt& before = *std::exchange(task.attempt, nullptr);
    task.has_new_places = now != nullptr && !writes_same_places(before, *now);
    withdraw(parts_.state, before, before.stamp, parts_.window.dispatched());
    worker.give_back(before, parts_.attempts);
}

}  // namespace heddle::executor
