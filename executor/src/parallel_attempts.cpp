// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// What a worker does with one task: it attempts the transaction and hands the outcome over to the
// committer.
#include <utility>

#include <vm/block.hpp>
#include <vm/validate.hpp>

#include "parallel_executor.hpp"
#include "stream/attempt_supervisor.hpp"
#include "stream/run_trace.hpp"
#include "workers/artificial_delay.hpp"

namespace heddle::executor {

Task* ParallelExecutor::execute(Worker& worker, Task& task, bool may_continue) {
    RunTrace trace(observer_, worker.index, task, RunTrace::Kind::given_up);
    if (options_.parallel.delay_seed != 0) delay_artificially(worker.delays);
    Attempt* made = nullptr;
    task.overtaken_by = nullptr;
    if (!finisher_.is_halted() && !may_attempt(worker, task)) {
        worker.held.add();
    } else if (!finisher_.is_halted()) {
        worker.executed.add();
        made = &worker.take_attempt(attempts_);
        if (!attempt(worker, task, *made)) {
            worker.give_back(*std::exchange(made, nullptr), attempts_);
            if (suspend(worker, task)) return nullptr;
        }
    }
    trace.becomes(made != nullptr ? RunTrace::Kind::attempted : RunTrace::Kind::given_up);
    return hand_over(worker, task, made, may_continue);
}

/// Where the attempt has read a value that is going to be replaced, or has been, it is made again
/// after that. At its turn it is run in order at once.
bool ParallelExecutor::suspend(Worker& worker, Task& task) {
    if (estimates_ == nullptr || window_.committed() == task.position || finisher_.is_halted() ||
        (worker.view.awaited() == 0 && task.overtaken_by == nullptr) ||
        !speculation_.begin_another(task))
        return false;
    worker.suspended.add();
    scheduler_->suspended(worker.index, task, worker.view.awaited());
    return true;
}

/// @param made  The attempt, which ran to its end. Null: there is none.
Task* ParallelExecutor::hand_over(Worker& worker, Task& task, Attempt* made, bool may_continue) {
    Task* next = nullptr;
    const std::uint64_t position = task.position;
    Left left = Left::nothing;
    if (made != nullptr) {
        if (options_.parallel.delay_seed != 0) delay_artificially(worker.delays);
        publish(state_, *made, task.stamp());
        if (keeps_back_) worker.view.add_own(*made, task.stamp());
    }
    if (task.attempt != nullptr) [[unlikely]]
        recall_.withdraw_estimates(worker, task, made);
    if (made != nullptr) {
        task.attempt = made;
        left = task.has_new_places ? Left::new_places : Left::same_places;
        next = scheduler_->attempted(worker.index, task, may_continue);
    }
    const TaskState state = made != nullptr ? TaskState::attempted : TaskState::unattempted;
    // From here on the task is the committer's, or the policy's until it hands it over.
    if (keeps_back_)
        scheduler_->settle(worker.index, task, state);
    else
        task.state.store(state, std::memory_order_release);
    if (estimates_ != nullptr) scheduler_->handed_over(worker.index, position, left);
    return next;
}

/// What is not attempted is run at its turn. When it has come, nothing is risked. An attempt draws
/// beforehand what one takes of late: it would be work for nothing if that was not there half-way.
/// While it waits for budget, this thread brings it.
bool ParallelExecutor::may_attempt(Worker& worker, Task& task) {
    const bool is_held = speculation_.is_held(task);
    const std::int64_t gas = AttemptSupervisor::drawn_by(task, speculation_.usual_gas());
    if (!is_held && speculation_.draw(task, gas, window_)) [[likely]]
        return true;
    if (window_.committed() == task.position) return true;
    if (is_held) return false;
    const auto draw = [&] { return speculation_.draw_if_left(task, gas, window_); };
    return wait_for_budget(window_, task, speculation_.waiting(), draw, [&] {
        if (committer_.has_work()) committer_.run(worker);
        return committer_.is_busy() || leaves_.run_once(worker.leaf) ||
               speculation_.is_getting_on(window_);
    });
}

bool ParallelExecutor::attempt(Worker& worker, Task& task, Attempt& attempt) {
    Transaction& tx = *task.tx;
    worker.view.await_nothing();
    if (!tx.sender.has_value()) tx.sender = recover_sender(tx);
    if (!tx.sender.has_value() || !task.upfront_cost.has_value()) {
        worker.unattempted.add();
        return false;
    }
    const Stamp first = estimates_ == nullptr ? 0 : make_stamp(window_.committed(), 0);
    const Sight sight = keeps_back_ ? scheduler_->sight(task) : Sight{};
    worker.view.begin(state_, attempt,
                      {.position = task.position,
                       .tx = tx,
                       .sender = task.sender,
                       .recipient = task.recipient,
                       .estimates = estimates_,
                       .first_in_flight = first,
                       .sight = sight,
                       .is_behind = task.is_behind,
                       .is_behind_all = task.is_behind_all});
    const BlockEnv& env = task.block->env;
    // What the block has left is known when the turn has come.
    const auto valid = vm::validate(tx, worker.view, env, vm::BlockGas::whole(env));
    if (!valid.has_value()) {
        worker.view.await_sender();
        worker.unattempted.add();
        speculation_.put_back(task);
        return false;
    }
    worker.view.restart();
    attempt.outcome.receipt.blob_gas_used = valid->blob_gas();
    AttemptSupervisor supervisor({window_, finisher_, committer_, speculation_}, worker, task,
                                 attempt);
    worker.evm.supervise(&supervisor);
    vm::transition(worker.view, hashes_, env, *valid, worker.evm, attempt.outcome);
    worker.evm.supervise(nullptr);
    attempt.drop_output();
    attempt.ticks = supervisor.ticks();
    attempt.worked_ticks = supervisor.worked_ticks();
    worker.attempted_gas.add(attempt.outcome.executed_gas);
    const bool has_ended = attempt.outcome.status != vm::Status::stopped;
    if (has_ended && !worker.view.awaits_anything()) return true;
    worker.stopped.add();
    if (worker.view.has_met_unrest() && task.recipient != nullptr)
        task.recipient->leads_to_unrest.store(true, std::memory_order_relaxed);
    task.lost_gas += attempt.outcome.executed_gas;
    speculation_.note_lost(task, attempt.ticks);
    worker.wasted_gas.add(attempt.outcome.executed_gas);
    return false;
}

}  // namespace heddle::executor
