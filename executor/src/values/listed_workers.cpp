// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What every worker does of a block that is executed from its list: takes transactions and jobs,
// and does them.
#include <algorithm>
#include <utility>

#include <vm/validate.hpp>

#include "stream/run_trace.hpp"
#include "values/listed_executor.hpp"
#include "values/refutation_supervisor.hpp"
#include "workers/artificial_delay.hpp"

namespace heddle::executor {
namespace {

constexpr std::uint32_t kMostInBundle = 8;  // of transactions taken at once

/// A place of what is set apart: the transaction that is first in the block, if it comes before
/// what is next in order; when nothing else is left, the last place.
std::optional<unsigned> first_apart(const ListedRun& run, Ticket ticket) noexcept {
    const std::size_t number = run.number_in_order(ticket.left_in_order());
    std::size_t first = number < run.others.size() ? run.others[number] : run.places.size();
    std::optional<unsigned> found;
    for (unsigned place = 0; place < run.apart.size(); ++place) {
        if (!ticket.has_apart(place) || run.apart[place] >= first) continue;
        first = run.apart[place];
        found = place;
    }
    if (!found.has_value() && ticket.left_in_order() == 0) return ticket.first_place_apart();
    return found;
}

}  // namespace

bool ListedExecutor::run_once(unsigned number) {
    Worker& worker = *workers_[number];
    const bool is_owner = number == 0;
    if (read_next(worker)) return true;
    if (!is_owner && run_aside(worker)) return true;
    return run_next(worker) || (is_owner && run_aside(worker));
}

bool ListedExecutor::has_work(unsigned /*worker*/) const noexcept {
    return reading_.left() != 0 || !Ticket{ticket_.load(std::memory_order_seq_cst)}.is_over() ||
           signers_.has_work() || leaves_.has_work() || finisher_.has_work();
}

bool ListedExecutor::read_next(const Worker& worker) {
    const UnitRange taken = reading_.take(1, static_cast<std::uint32_t>(workers_.size()));
    if (taken.is_empty()) return false;
    // Others read it only after they have taken a piece, as here, and the owner changes it later.
    ListedRun& run = runs_[serial_ % runs_.size()];
    read_piece(run, taken.begin);
    if (!reading_.settle()) return true;
    run.is_read.store(true, std::memory_order_seq_cst);
    if (worker.index != 0) parking_.notify_owner();
    return true;
}

void ListedExecutor::read_piece(ListedRun& run, std::size_t piece) {
    if (piece < run.state.part_count())
        run.state.fill(piece);
    else
        run.places.reset(run.block->block.transactions.size());
}

/// What the owning thread waits for first, then a block that has ended: the oldest leaves are its
/// own.
bool ListedExecutor::run_aside(Worker& worker) {
    if (signers_.run_once()) return true;
    if (!finisher_.has_work()) return leaves_.run_once(worker.leaf);
    finisher_.run(worker);
    parking_.notify_owner();
    return true;
}

bool ListedExecutor::run_next(Worker& worker) {
    std::uint64_t word = ticket_.load(std::memory_order_acquire);
    for (Ticket ticket{word}; !ticket.is_over(); ticket = Ticket{word}) {
        const auto place =
            worker.index != 0 ? ticket.first_place_apart() : first_apart(current_run(), ticket);
        const std::uint32_t bundle = bundle_of(ticket, worker);
        const Ticket rest =
            place.has_value() ? ticket.without_apart(*place) : ticket.without_next(bundle);
        if (!ticket_.compare_exchange_weak(word, rest.word(), std::memory_order_acquire)) continue;
        ListedRun& run = runs_[ticket.serial() % runs_.size()];
        if (place.has_value()) {
            if (*place == run.apart.size())
                foresee(worker, run);
            else
                this->run(worker, run, run.apart[*place]);
            return true;
        }
        const std::size_t first = run.number_in_order(ticket.left_in_order());
        for (std::size_t number = first; number < first + bundle; ++number)
            if (number < run.others.size())
                this->run(worker, run, run.others[number]);
            else
                this->run(worker, run, static_cast<ListedJob>(number - run.others.size()));
        return true;
    }
    return false;
}

/// Transactions that follow each other often touch the same, so whoever runs one has the next one's
/// values at hand. Towards the end of a block everybody takes one.
std::uint32_t ListedExecutor::bundle_of(Ticket ticket, const Worker& worker) const noexcept {
    const std::uint32_t left = ticket.left_in_order();
    // The owner must not pass what is set apart and comes earlier.
    if (left <= kListedJobs || (worker.index == 0 && ticket.has_apart())) return 1;
    const auto share = static_cast<std::uint32_t>((left - kListedJobs) / (8 * workers_.size()));
    return std::clamp(share, 1U, kMostInBundle);
}

void ListedExecutor::run(Worker& worker, ListedRun& run, ListedJob job) {
    const BlockRun& block = *run.block;
    switch (job) {
        case ListedJob::compare_hash:
            run.is_headers_list = vm::is_list_of(block.block.header, block.claimed_list);
            break;
        case ListedJob::make_diff:
            if (run.is_foreseen) break;
            run.diff.clear();
            if (!run.is_refuted.load(std::memory_order_relaxed)) run.diff = run.state.diff();
            break;
    }
    run.is_done[static_cast<std::size_t>(job)].store(true, std::memory_order_seq_cst);
    if (worker.index != 0) parking_.notify_owner();
}

void ListedExecutor::foresee(Worker& worker, ListedRun& run) {
    run.diff.clear();
    if (!run.is_refuted.load(std::memory_order_relaxed)) {
        run.diff = run.state.diff();
        // The owner comes here when all the rest is done, and the block is handed over next.
        if (worker.index != 0 && !finisher_.is_halted())
            world_->sink.foresee(run.block->block.header.parent_hash, run.diff);
    }
    run.has_told.store(true, std::memory_order_seq_cst);
    if (worker.index != 0) parking_.notify_owner();
}

void ListedExecutor::run(Worker& worker, ListedRun& run, std::uint32_t number) {
    if (options_.parallel.delay_seed != 0) delay_artificially(worker.delays);
    bool is_confirmed = false;
    if (!run.is_refuted.load(std::memory_order_relaxed) && !finisher_.is_halted()) {
        worker.executed.add();
        const RunTrace::Place place{run.block->block.header.number, number};
        RunTrace trace(observer_, worker.index, place, RunTrace::Kind::given_up);
        is_confirmed = confirms(worker, run, number);
        if (is_confirmed) trace.becomes(RunTrace::Kind::confirmed);
    }
    if (!is_confirmed) run.is_refuted.store(true, std::memory_order_relaxed);
    // From here on the place is the owner's.
    run.places[number].is_settled.store(true, std::memory_order_seq_cst);
    if (worker.index != 0) parking_.notify_owner();
}

bool ListedExecutor::confirms(Worker& worker, ListedRun& run, std::uint32_t number) {
    const BlockRun& block = *run.block;
    const BlockEnv& env = block.env;
    Transaction& tx = run.block->block.transactions[number];
    if (!tx.sender.has_value()) tx.sender = recover_sender(tx);
    if (!tx.sender.has_value()) return false;
    const std::uint32_t index = number + 1;
    const auto valid =
        vm::validate(tx, ListedView{run.state, index}, env, vm::BlockGas::whole(env));
    if (!valid.has_value()) return false;
    AskedRows& asked = asked_[worker.index];
    asked.clear();
    RefutationSupervisor supervisor(run, finisher_, worker.evm, code_turn_);
    worker.evm.supervise(&supervisor);
    vm::transition(ListedView{run.state, index, &asked}, hashes_, env, *valid, worker.evm,
                   worker.outcome);
    worker.evm.supervise(nullptr);
    vm::Outcome& outcome = worker.outcome;
    worker.attempted_gas.add(outcome.executed_gas);
    const bool is_paid = supervisor.draw(static_cast<std::int64_t>(outcome.executed_gas));
    if (outcome.status == vm::Status::stopped || !is_paid ||
        !run.state.note(outcome.accesses, asked))
        return false;
    std::optional<vm::DeferredFee> fee;
    if (outcome.deferred_fee.has_value()) {
        fee = {env.beneficiary, *outcome.deferred_fee};
        if (!run.state.note(env.beneficiary)) return false;
    }
    if (!run.state.claims(index, outcome.diff, outcome.accesses, asked, fee)) return false;
    ListedPlace& place = run.places[number];
    place.receipt = std::move(outcome.receipt);
    place.gas = outcome.block_gas;
    if (options_.record_sets)
        place.objects = outcome.accesses.object_set(fee.has_value() ? std::optional{env.beneficiary}
                                                                    : std::nullopt);
    return true;
}

}  // namespace heddle::executor
