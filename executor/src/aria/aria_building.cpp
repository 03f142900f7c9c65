// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "aria/aria_building.hpp"

#include <algorithm>
#include <utility>

#include <types/assert.hpp>
#include <types/expected.hpp>

#include <vm/block.hpp>
#include <vm/next_header.hpp>
#include <vm/validate.hpp>

#include "stream/run_trace.hpp"

namespace heddle::executor {
namespace {

/// Batches get no smaller than this. Not by workers, or the block would depend on their number.
constexpr std::uint32_t kLeastBatch = 32;
/// Limits of a batch, of the room that the block has: what does not fit in the end was executed in
/// vain.
constexpr std::uint64_t kMostOverbookedPercent = 400;
/// In groups only where the largest has at most so much of what all have to do.
constexpr std::uint64_t kMostPercentOfOne = 60;

}  // namespace

AriaBuilding::AriaBuilding(const BuildWorld& world, BuildOptions options,
                           ScheduleObserver* observer)
    : world_(world),
      options_(std::move(options)),
      observer_(observer),
      execution_(options_.executor, world.block_hashes, observer != nullptr),
      committed_(execution_.state()),
      size_(kLeastBatch, options_.batch) {}

std::expected<void, BlockError> AriaBuilding::begin(BuildStart start) {
    execution_.attach(world_.state, start.env);
    committed_.forget();
    busy_.fade();
    env_ = start.env;
    beneficiary_ = &execution_.state().account(env_.beneficiary);
    selection_ = {};
    paid_gas_ = 0;
    chosen_limits_ = 0;
    block_ = {};
    block_.header = std::move(start.header);
    if (observer_ != nullptr) observer_->on_block(block_.header.number);
    if (block_.header.withdrawals_root.has_value())
        block_.withdrawals = std::move(start.withdrawals);
    changes_ = {.serial = changes_.serial + 1,
                .first_stamp = make_stamp(next_position_, 0),
                .accounts = {},
                .codes = {}};
    committed_.begin_in_order(changes_, make_stamp_in_order(next_position_++));
    const auto making =
        start.makes_access_list ? vm::AccessListMaking::always : vm::AccessListMaking::required;
    return block_execution_.begin({.header = block_.header,
                                   .env = env_,
                                   .config = world_.config,
                                   .block_hashes = world_.block_hashes,
                                   .access_list = making},
                                  committed_, execution_.worker().evm);
}

Selection AriaBuilding::select(CandidateSource& source, const BuildLimits& limits) {
    CandidateBatches candidates(source, limits, env_, options_.fee_tolerance_percent);
    while (has_room() && !candidates.is_over()) {
        Batch batch{.candidates = candidates, .trials = candidates.next(bounds())};
        if (batch.trials.empty()) break;
        run(batch);
    }
    return std::move(selection_);
}

std::expected<FinishedBlock, BlockError> AriaBuilding::finish(
    std::vector<Transaction> transactions) {
    HEDDLE_ASSERT(transactions.size() == block_execution_.result().receipts.size());
    block_.transactions = std::move(transactions);
    committed_.begin_in_order(changes_, make_stamp_in_order(next_position_++));
    HEDDLE_CHECK(
        block_execution_.end(vm::ending_of(block_, env_.revision), execution_.worker().evm));
    vm::BlockResult result = block_execution_.take_result();
    vm::fill_body(block_);
    vm::fill(block_.header, result, vm::receipts_root(result.receipts));
    FinishedBlock finished;
    finished.diff = committed_.diff();
    finished.block = std::exchange(block_, {});
    finished.receipts = std::move(result.receipts);
    if (result.access_list.has_value())
        finished.access_list = std::move(result.access_list->encoded);
    finished.check_state_root = false;
    return finished;
}

// --- What a batch may take -----------------------------------------------------------------------

bool AriaBuilding::has_room() const {
    const vm::BlockGas left = block_execution_.left();
    const std::uint64_t least = vm::intrinsic_costs(env_.revision).transaction;
    return left.gas >= least && left.state_gas >= least;
}

std::expected<void, TransactionError> AriaBuilding::check_end(const vm::Outcome& outcome) const {
    const std::size_t withdrawals = block_.withdrawals.has_value() ? block_.withdrawals->size() : 0;
    return block_execution_.check_end(outcome, withdrawals);
}

/// Gas that may yet be executed in vain.
std::uint64_t AriaBuilding::budget() const noexcept {
    const std::uint64_t most = env_.gas_limit / 2 + paid_gas_;
    return most - std::min(most, selection_.stats.wasted_gas);
}

BatchBounds AriaBuilding::bounds() const {
    const std::uint64_t room = block_execution_.left().most(env_.revision);
    // Most take less than their limits: as much less as those before, in all likelihood.
    const std::uint64_t used = std::max<std::uint64_t>(block_execution_.result().gas_used, 1);
    const std::uint64_t ratio_percent =
        std::clamp<std::uint64_t>(100 * chosen_limits_ / used, 100, kMostOverbookedPercent);
    return {.transactions = size_.current(),
            .gas = std::min(room / 100 * ratio_percent, budget()),
            .room_gas = room,
            .room_blob_gas = block_execution_.left().blob_gas};
}

// --- A batch -------------------------------------------------------------------------------------

void AriaBuilding::run(Batch& batch) {
    const std::size_t count = batch.trials.size();
    std::uint64_t limits = 0;
    for (const Trial& trial : batch.trials)
        limits += trial.tx->gas_limit;
    if (count > 1 && limits <= budget()) {
        const std::uint64_t aborted_before = selection_.stats.aborted;
        std::vector<Unit> aborted = run_beside(batch);
        const std::uint64_t aborted_now = selection_.stats.aborted - aborted_before;
        size_.adapt(static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(aborted_now));
        run_by_group(batch, aborted);
    }
    run_in_order(batch);
    execution_.state().free_withdrawn_code(next_position_);
}

/// For the next batch, while others attempt this one.
void AriaBuilding::look_ahead(Batch& batch) {
    const std::uint64_t room = block_execution_.left().most(env_.revision);
    const std::uint64_t least = vm::intrinsic_costs(env_.revision).transaction;
    batch.candidates.look_ahead(std::min<std::uint64_t>(size_.current(), room / least));
}

void AriaBuilding::attempt(Batch& batch, std::span<Unit> units, FirstTouches* touches) {
    batch.first_position = next_position_;
    next_position_ += batch.trials.size();
    execution_.run(batch.trials, units, batch.first_position, touches, [&] { look_ahead(batch); });
    for (const Unit& unit : units) {
        for (const std::uint32_t number : unit.trials) {
            Trial& trial = batch.trials[number];
            ++selection_.stats.attempts;
            if (trial.attempt == nullptr) continue;
            selection_.stats.attempted_gas += trial.gas;
            // Nothing of it is shown to anybody but by being put in.
            BatchExecution::hide(trial);
        }
    }
}

std::vector<std::uint32_t> AriaBuilding::choose(std::span<const Unit> units) {
    std::vector<std::uint32_t> chosen;
    std::vector<const Footprint*> footprints;
    bool has_moved = false;
    for (std::uint32_t i = 0; i < units.size(); ++i) {
        const Footprint& footprint = units[i].footprint;
        if (!units[i].is_whole || !touches_.commits(i, footprint)) continue;
        const bool goes_ahead = touches_.goes_ahead(i, footprint);
        if (goes_ahead && !options_.reorders) continue;
        chosen.push_back(i);
        footprints.push_back(&footprint);
        if (!goes_ahead) continue;
        has_moved = true;
        selection_.stats.reordered += units[i].trials.size();
    }
    // As they come, nobody reads what one before it changes.
    if (!has_moved) return chosen;
    std::vector<std::uint32_t> order = order_units(footprints);
    for (std::uint32_t& place : order)
        place = chosen[place];
    return order;
}

/// @return what has not gone in and whose sets are known.
std::vector<Unit> AriaBuilding::run_beside(Batch& batch) {
    std::vector<Unit> units = units_by_sender(batch.trials, busy_);
    if (units.size() < 2) return {};
    ++selection_.stats.batches;
    touches_.begin_batch();
    attempt(batch, units, &touches_);
    for (const std::uint32_t index : choose(units))
        put_in(batch, units[index]);
    std::vector<Unit> aborted;
    for (Unit& unit : units) {
        const bool is_one_of_many = unit.trials.size() == 1;
        for (const std::uint32_t number : unit.trials)
            if (is_one_of_many) busy_.note(*batch.trials[number].tx, !batch.trials[number].is_in);
        std::erase_if(unit.trials,
                      [&](std::uint32_t number) { return batch.trials[number].is_in; });
        for (const std::uint32_t number : unit.trials)
            abort(batch.trials[number]);
        if (!unit.trials.empty() && unit.is_whole) aborted.push_back(std::move(unit));
    }
    return aborted;
}

/// Whether groups are short enough beside each other, and paid for.
bool AriaBuilding::pays_by_group(const Batch& batch, std::span<const Unit> groups) const {
    if (groups.size() < 2) return false;
    std::uint64_t limits = 0;
    std::uint64_t all = 0;
    std::uint64_t most = 0;
    for (const Unit& group : groups) {
        std::uint64_t gas = 0;
        for (const std::uint32_t number : group.trials) {
            limits += batch.trials[number].tx->gas_limit;
            gas += batch.trials[number].gas;
        }
        all += gas;
        most = std::max(most, gas);
    }
    return limits <= budget() && most <= all * kMostPercentOfOne / 100;
}

void AriaBuilding::run_by_group(Batch& batch, std::span<const Unit> aborted) {
    std::vector<Unit> groups = units_by_conflict(aborted);
    if (!pays_by_group(batch, groups)) return;
    attempt(batch, groups, nullptr);
    for (const Unit& group : groups)
        put_in(batch, group);
    for (const Unit& group : groups)
        for (const std::uint32_t number : group.trials)
            if (!batch.trials[number].is_in) abort(batch.trials[number]);
}

void AriaBuilding::run_in_order(Batch& batch) {
    for (Trial& trial : batch.trials) {
        if (trial.is_in) continue;
        if (batch.candidates.is_dropped(trial))
            batch.candidates.drop(trial);
        else
            run_in_order(batch.candidates, trial);
    }
}

void AriaBuilding::run_in_order(CandidateBatches& candidates, Trial& trial) {
    Worker& worker = execution_.worker();
    const std::uint64_t began_ns = observer_ != nullptr ? trace_clock_ns() : 0;
    committed_.begin_in_order(changes_, make_stamp_in_order(next_position_++));
    const auto run = block_execution_.run(*trial.tx, worker.evm, worker.outcome);
    if (!run.has_value()) {
        if (is_misfit(run.error()))
            return candidates.drop_misfit(trial, block_execution_.left().most(env_.revision));
        candidates.drop(trial);
        selection_.rejected.push_back({trial.candidate, run.error()});
        return;
    }
    vm::Outcome& outcome = worker.outcome;
    if (const auto checked = check_end(outcome); !checked.has_value()) {
        block_execution_.forfeit(outcome);
        selection_.stats.wasted_gas += outcome.executed_gas;
        // What does not fit into a block of its own fits into none.
        if (is_misfit(checked.error()) && !selection_.chosen.empty())
            return candidates.drop_misfit(trial, block_execution_.left().most(env_.revision));
        candidates.drop(trial);
        selection_.rejected.push_back({trial.candidate, checked.error()});
        return;
    }
    ++selection_.stats.in_order;
    selection_.stats.in_order_gas += outcome.executed_gas;
    std::optional<Address> fee_recipient;
    if (outcome.deferred_fee.has_value()) fee_recipient = env_.beneficiary;
    committed_.apply(outcome.diff);
    tell(trial, !trial.runs.empty() ? ScheduleEvent::Kind::repaired : ScheduleEvent::Kind::in_order,
         began_ns);
    accept(trial, outcome, outcome.accesses.object_set(fee_recipient));
}

// --- Putting in ----------------------------------------------------------------------------------

void AriaBuilding::put_in(Batch& batch, const Unit& unit) {
    for (const std::uint32_t number : unit.trials)
        if (!put_in(batch, batch.trials[number])) return;
}

/// @return whether the attempt holds, and the block has room for it.
bool AriaBuilding::put_in(Batch& batch, Trial& trial) {
    if (trial.attempt == nullptr) return false;
    const std::uint64_t began_ns = observer_ != nullptr ? trace_clock_ns() : 0;
    Attempt& attempt = *trial.attempt;
    if (!vm::check_room(*trial.tx, block_execution_.left(), env_.revision).has_value())
        return false;
    // At its place it may turn out otherwise.
    if (!check_end(attempt.outcome).has_value()) return false;
    see_what_was_written(batch, attempt);
    const Stamp stamp = make_stamp(next_position_++, 0);
    committed_.begin(changes_, stamp);
    if (!committed_.is_valid(attempt, {*trial.tx, *trial.upfront_cost})) return false;
    if (!trial.is_published)
        for (const CodeChange& change : attempt.outcome.diff.codes)
            execution_.state().publish_code(change.hash, change.code);
    committed_.apply(attempt);
    trial.written = stamp;
    tell(trial, ScheduleEvent::Kind::accepted, began_ns);
    accept(trial, attempt.outcome, std::move(trial.objects));
    execution_.give_back(trial);
    return true;
}

/// What it has read of its unit carries the stamps that the unit saw; by now it has others.
void AriaBuilding::see_what_was_written(const Batch& batch, Attempt& attempt) const noexcept {
    const Stamp first = make_stamp(batch.first_position, 0);
    const auto now = [&](Stamp& seen) {
        if (seen < first) return;
        const Trial& writer = batch.trials[(seen >> kAttemptBits) - batch.first_position];
        if (writer.is_in) seen = writer.written;
    };
    for (AccountRead& read : attempt.accounts)
        for (Stamp* const seen :
             {&read.stamps.balance, &read.stamps.nonce, &read.stamps.code, &read.stamps.storage})
            now(*seen);
    for (SlotRead& read : attempt.slots)
        now(read.stamp);
}

void AriaBuilding::abort(Trial& trial) {
    ++selection_.stats.aborted;
    if (trial.attempt == nullptr) return;
    selection_.stats.wasted_gas += trial.gas;
    if (trial.is_published)
        for (const CodeChange& change : trial.attempt->outcome.diff.codes)
            execution_.state().withdraw_code(change.hash, next_position_);
    execution_.give_back(trial);
}

void AriaBuilding::tell(Trial& trial, ScheduleEvent::Kind last, std::uint64_t began_ns) {
    if (observer_ == nullptr) [[likely]]
        return;
    const auto index = static_cast<std::uint32_t>(selection_.chosen.size());
    for (ScheduleEvent& run : trial.runs) {
        run.index = index;
        observer_->on_event(run);
    }
    const std::size_t attempts = trial.runs.size();
    observer_->on_event({.kind = last,
                         .index = index,
                         .attempt = attempts == 0 ? 0 : static_cast<std::uint32_t>(attempts - 1),
                         .block = block_.header.number,
                         .begin_ns = began_ns,
                         .end_ns = trace_clock_ns()});
}

void AriaBuilding::accept(Trial& trial, vm::Outcome& outcome, ObjectSet objects) {
    if (outcome.deferred_fee.has_value())
        committed_.credit_fee(*beneficiary_, *outcome.deferred_fee, env_.revision);
    paid_gas_ += outcome.executed_gas;
    chosen_limits_ += trial.tx->gas_limit;
    trial.is_in = true;
    block_execution_.accept(outcome);
    selection_.chosen.push_back(trial.candidate);
    selection_.object_sets.push_back(std::move(objects));
}

std::unique_ptr<BlockBuilding> make_block_building(const BuildWorld& world, BuildOptions options,
                                                   ScheduleObserver* observer) {
    return std::make_unique<AriaBuilding>(world, std::move(options), observer);
}

}  // namespace heddle::executor
