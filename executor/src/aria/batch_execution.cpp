// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "aria/batch_execution.hpp"

#include <algorithm>
#include <numeric>

#include <types/assert.hpp>

#include <vm/supervisor.hpp>
#include <vm/transition.hpp>
#include <vm/validate.hpp>

#include "aria/footprint.hpp"
#include "parallel_settings.hpp"
#include "state/committed_state.hpp"
#include "stream/code_turn.hpp"
#include "stream/run_trace.hpp"

namespace heddle::executor {
namespace {

/// Objects that a transaction touches, for most.
constexpr std::size_t kUsualTouches = 12;

/// Ends nothing: what is attempted is in the batch, and which of them hold must not depend on time.
/// But of those that keep much code one goes on at a time.
class BatchSupervisor final : public vm::Supervisor {
public:
    BatchSupervisor(const vm::Evm& evm, StreamAtomics::Atomic<bool>& code_turn)
        : code_turn_(evm, code_turn) {}
    [[nodiscard]] std::int64_t on_gas(std::int64_t gas_used) noexcept override {
        return code_turn_.have([] { return false; }) ? gas_used + kUsualStep : kStop;
    }

private:
    CodeTurn code_turn_;
};

}  // namespace

BatchExecution::BatchExecution(const Options& options, const BlockHashes& block_hashes,
                               bool is_watched)
    : block_hashes_(block_hashes),
      is_watched_(is_watched),
      // There are no leaves of a block that is being put together: each makes blooms itself.
      workers_(make_workers(options, false)),
      state_(kept_state(options.parallel.kept_bytes)),
      pool_(static_cast<unsigned>(workers_.size()), options.parallel.pin_threads, parking_, *this) {
}

void BatchExecution::attach(const StateView& base, const BlockEnv& env) {
    state_.attach(base);
    env_ = env;
    beneficiary_ = &state_.account(env.beneficiary);
}

void BatchExecution::run(std::span<Trial> trials, std::span<Unit> units,
                         std::uint64_t first_position, FirstTouches* touches,
                         const std::function<void()>& beside) {
    HEDDLE_ASSERT(!units.empty());
    trials_ = trials;
    units_ = units;
    first_position_ = first_position;
    touches_ = touches;
    order_units();
    is_over_.store(false, std::memory_order_relaxed);
    const auto count = static_cast<std::uint32_t>(units.size());
    barrier_.start(count, count);
    for (std::uint32_t i = 1; i < std::min(workers(), count); ++i)
        parking_.notify_any();
    beside();
    pool_.help_until([this] { return is_over_.load(std::memory_order_seq_cst); });
}

bool BatchExecution::run_once(unsigned worker) {
    const UnitRange range = barrier_.take(1, workers());
    if (range.is_empty()) return false;
    run(*workers_[worker], order_[range.begin]);
    if (!barrier_.settle()) return true;
    is_over_.store(true, std::memory_order_seq_cst);
    parking_.notify_owner();
    return true;
}

bool BatchExecution::has_work(unsigned /*worker*/) const noexcept {
    return barrier_.left() != 0;
}

/// Those that may take longest first, so that nobody waits for one that was taken last.
void BatchExecution::order_units() {
    std::vector<std::uint64_t> gas(units_.size());
    for (std::size_t i = 0; i < units_.size(); ++i)
        for (const std::uint32_t number : units_[i].trials)
            gas[i] += trials_[number].tx->gas_limit;
    order_.resize(units_.size());
    std::iota(order_.begin(), order_.end(), std::uint32_t{0});
    std::ranges::sort(order_, [&](std::uint32_t a, std::uint32_t b) {
        return gas[a] != gas[b] ? gas[a] > gas[b] : a < b;
    });
}

void BatchExecution::run(Worker& worker, std::uint32_t index) {
    Unit& unit = units_[index];
    unit.footprint.clear();
    unit.footprint.reserve(kUsualTouches * unit.trials.size());
    unit.is_whole = true;
    const std::uint64_t name = unit.trials.size() > 1 ? first_position_ + unit.trials.front() : 0;
    for (const std::uint32_t number : unit.trials) {
        Trial& trial = trials_[number];
        trial.attempt = &worker.take_attempt(attempts_);
        trial.worker = worker.index;
        if (!attempt_watched(worker, trial, first_position_ + number, name)) {
            worker.give_back(*trial.attempt, attempts_);
            trial.attempt = nullptr;
            unit.is_whole = false;
            continue;
        }
        trial.is_published = number != unit.trials.back();
        if (trial.is_published) {
            publish(state_, *trial.attempt, trial.stamp);
            worker.view.add_own(*trial.attempt, trial.stamp);
        } else {
            find_changed_slots(state_, *trial.attempt);
        }
        const FootprintOf of{&state_.account(*trial.tx->sender), beneficiary_};
        visit_objects(*trial.attempt, of, [&](const ObjectTouch& touch) {
            TouchMode mode = touch.is_changed ? TouchMode::write : TouchMode::read;
            if (!touch.is_read) mode = TouchMode::move;
            unit.footprint.push_back({touch.number, touch.slot != nullptr, mode});
            return true;
        });
    }
    // In any case, or what others are told of would depend on time.
    if (touches_ != nullptr) touches_->reserve(index, unit.footprint);
}

bool BatchExecution::attempt_watched(Worker& worker, Trial& trial, std::uint64_t position,
                                     std::uint64_t unit) {
    if (!is_watched_) [[likely]]
        return attempt(worker, trial, position, unit);
    ScheduleEvent event{.worker = worker.index,
                        .attempt = static_cast<std::uint32_t>(trial.runs.size()),
                        .block = env_.number,
                        .begin_ns = trace_clock_ns()};
    const bool is_valid = attempt(worker, trial, position, unit);
    if (!is_valid) event.kind = ScheduleEvent::Kind::given_up;
    event.end_ns = trace_clock_ns();
    trial.runs.push_back(event);
    return is_valid;
}

/// @return whether it could be validated on what is committed.
bool BatchExecution::attempt(Worker& worker, Trial& trial, std::uint64_t position,
                             std::uint64_t unit) {
    const Transaction& tx = *trial.tx;
    Attempt& attempt = *trial.attempt;
    trial.gas = 0;
    trial.stamp = make_stamp(position, 0);
    worker.view.begin(
        state_, attempt,
        {.position = position, .tx = tx, .sight = {.before = first_position_, .unit = unit}});
    const auto valid = vm::validate(tx, worker.view, env_, vm::BlockGas::whole(env_));
    if (!valid.has_value()) return false;
    worker.view.restart();
    attempt.outcome.receipt.blob_gas_used = valid->blob_gas();
    {
        BatchSupervisor supervisor(worker.evm, code_turn_);
        worker.evm.supervise(&supervisor);
        vm::transition(worker.view, block_hashes_, env_, *valid, worker.evm, attempt.outcome);
        worker.evm.supervise(nullptr);
    }
    attempt.drop_output();
    trial.gas = attempt.outcome.executed_gas;
    std::optional<Address> fee_recipient;
    if (attempt.outcome.deferred_fee.has_value()) fee_recipient = env_.beneficiary;
    trial.objects = attempt.outcome.accesses.object_set(fee_recipient);
    return true;
}

void BatchExecution::hide(Trial& trial) noexcept {
    if (!trial.is_published) return;
    const Attempt& attempt = *trial.attempt;
    for (const std::uint32_t index : attempt.outcome.accesses.changed_accounts)
        VersionedState::withdraw(*attempt.accounts[index].cell, trial.stamp);
    for (SlotCell* const slot : attempt.changed_slots)
        VersionedState::withdraw(*slot, trial.stamp);
}

void BatchExecution::give_back(Trial& trial) {
    if (trial.attempt == nullptr) return;
    workers_[trial.worker]->give_back(*trial.attempt, attempts_);
    trial.attempt = nullptr;
}

}  // namespace heddle::executor
