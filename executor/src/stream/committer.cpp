// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "stream/committer.hpp"

#include <utility>

#include <types/held_bytes.hpp>

#include <vm/block_execution.hpp>

#include "scheduler.hpp"
#include "stream/open_block.hpp"
#include "stream/rejection.hpp"
#include "stream/run_trace.hpp"
#include "stream/set_credit.hpp"
#include "stream/speculation.hpp"
#include "workers/prefetch.hpp"

namespace heddle::executor {

namespace {

/// How long the dispatching thread waits for the role that it wants: some dozens of microseconds.
constexpr unsigned kPatience = 999 * StreamAtomics::kPatience + 1;
/// The end of a block with so few transactions is not worth waking somebody for.
constexpr std::size_t kFewTransactions = 16;
/// Receipts ahead of the one added for which memory is fetched.
constexpr std::size_t kAhead = 2;

// Positions ahead of the one that is committed for which is fetched:
constexpr std::uint64_t kTaskAhead = 8;
constexpr std::uint64_t kAttemptAhead = 6;
constexpr std::uint64_t kPartsAhead = 4;
constexpr std::uint64_t kCellsAhead = 2;

/// What a set that tells of these changes names at least: not what was only read, which nobody has
/// noted of a transaction that ran in order.
std::uint64_t objects_in(const StateDiff& diff) noexcept {
    std::uint64_t objects = 0;
    for (const AccountChange& change : diff.accounts)
        objects += 2 + change.storage.size();
    return objects;
}

template <typename Item>
void fetch_all(const std::vector<Item>& items) noexcept {
    for (const Item& item : items)
        prefetch_for_write(&item);
}

/// The attempt, its lists, and the cells that it names: each says where the next one lies.
void fetch_parts(const Attempt& attempt) noexcept {
    const vm::Outcome& outcome = attempt.outcome;
    fetch_all(attempt.accounts);
    fetch_all(attempt.slots);
    fetch_all(attempt.changed_slots);
    fetch_all(outcome.diff.accounts);
    fetch_all(outcome.accesses.accounts);
    fetch_all(outcome.accesses.changed_accounts);
}
void fetch_cells(const Attempt& attempt) noexcept {
    for (const AccountRead& read : attempt.accounts)
        prefetch_for_write(read.cell);
    for (const SlotRead& read : attempt.slots)
        prefetch_for_write(read.cell);
    for (const AccountChange& change : attempt.outcome.diff.accounts)
        fetch_all(change.storage);
}

}  // namespace

struct Committer::Duty {
    Committer& committer;
    Worker& worker;

    /// Tasks between two looks whether the submitting thread is needed elsewhere.
    static constexpr unsigned kRound = 16;

    [[nodiscard]] bool has_work() const noexcept {
        return !is_relieved && committer.window_.is_committable();
    }
    void run_once() {
        committer.run_next(worker);
        if (worker.index == 0 && committer.relief_ != nullptr && ++done % kRound == 0)
            is_relieved = committer.relief_->is_due();
    }
    void before_giving_back() noexcept {
        committer.speculation_.flush();
        committer.window_.announce_committed();
    }
    void after_giving_back() noexcept {
        if (is_relieved)
            committer.parking_.notify_any();  // who goes on with it
        else
            committer.parking_.notify_owner();
    }

    unsigned done = 0;
    bool is_relieved = false;
};

class Committer::Returning final : public KeptBack {
public:
    Returning(Committer& committer, Worker& worker) : committer_(committer), worker_(worker) {}

    [[nodiscard]] bool take_back(Task& task) override {
        committer_.drop(worker_, task, nullptr);
        worker_.give_back(*std::exchange(task.attempt, nullptr), committer_.attempts_);
        if (committer_.speculation_.begin_another(task)) return true;
        worker_.repaired.add();
        return false;
    }

private:
    Committer& committer_;
    Worker& worker_;
};

Committer::Committer(const CommitterParts& parts)
    : options_(parts.options),
      window_(parts.window),
      hashes_(parts.hashes),
      attempts_(parts.attempts),
      leaves_(parts.leaves),
      finisher_(parts.finisher),
      scheduler_(parts.scheduler),
      speculation_(parts.speculation),
      set_credit_(parts.set_credit),
      parking_(parts.parking),
      observer_(parts.observer),
      looks_ahead_(scheduler_.estimates() != nullptr),
      keeps_back_(parts.scheduler.keeps_back()),
      fetches_ahead_(is_mostly_elsewhere(worker_count(options_.parallel)) && !looks_ahead_ &&
                     !keeps_back_),
      committed_(parts.state) {}

void Committer::attach(const World& world) {
    world_.emplace(world);
    committed_.forget();
    has_failed_ = false;
}

void Committer::run(Worker& worker) {
    role_.run(Duty{.committer = *this, .worker = worker});
}

void Committer::run_first(Worker& worker) {
    role_.run_first(Duty{.committer = *this, .worker = worker}, kPatience);
}

Standing Committer::look_at(Worker& worker, Task& task, Attempt& attempt) {
    Standing standing = Standing::unknown;
    // Its own task is the next one to be committed, and not settled: there is nothing to commit.
    static_cast<void>(role_.try_once([&] {
        worker.evm.accesses_so_far(attempt.outcome.accesses);
        // It may look at the beneficiary's balance next.
        committed_.settle_fees();
        const bool is_wanted = !is_over() && !task.block->execution_error.has_value();
        const bool fits = is_wanted && fits_block(task);
        if (fits)
            task.overtaken_by = committed_.overtaken_by(attempt, {*task.tx, *task.upfront_cost});
        if (!fits || task.overtaken_by != nullptr)
            standing = Standing::overtaken;
        else if (committed_.is_current(attempt, *task.tx))
            standing = Standing::holds;
        else
            standing = Standing::holds_so_far;
    }));
    return standing;
}

/// What others have attempted lies in the caches of their processors, and each line takes longer to
/// come than what is done with it: so many are asked for together, long enough ahead.
void Committer::fetch_ahead(std::uint64_t position) const noexcept {
    const std::uint64_t end = window_.dispatched();
    if (position + kTaskAhead >= end) return;
    prefetch_for_write(&window_.at(position + kTaskAhead));
    // Acquire: what the attempt has left is visible. Where the policy takes nothing back, it stays.
    const auto attempt_at = [&](std::uint64_t ahead) -> const Attempt* {
        const Task& task = window_.at(position + ahead);
        const bool is_there = task.state.load(std::memory_order_acquire) == TaskState::attempted;
        return is_there ? task.attempt : nullptr;
    };
    if (const Attempt* const attempt = attempt_at(kAttemptAhead)) prefetch_for_write(attempt);
    if (const Attempt* const attempt = attempt_at(kPartsAhead)) fetch_parts(*attempt);
    if (const Attempt* const attempt = attempt_at(kCellsAhead)) fetch_cells(*attempt);
}

void Committer::run_next(Worker& worker) {
    const std::uint64_t position = window_.committed();
    if (fetches_ahead_) fetch_ahead(position);
    Task& task = window_.at(position);
    if (looks_ahead_ && !is_ours(task)) return;
    if (commit(worker, task)) return scheduler_.make_ready(worker.index, task);
    close(worker, task);
    // Once the window has moved, the task is the dispatcher's.
    window_.set_committed(position + 1);
}

/// Somebody may have begun to look at the attempt meanwhile. When it is settled again, whoever
/// settles it tries for the role.
bool Committer::is_ours(Task& task) noexcept {
    const TaskState state = task.state.load(std::memory_order_acquire);
    if (state == TaskState::attempted) return try_take(task.state, TaskState::closing);
    return is_settled(state);
}

bool Committer::commit(Worker& worker, Task& task) {
    switch (task.kind) {
        case TaskKind::begin_block:
            begin_block(worker, task);
            break;
        case TaskKind::transaction:
            if (commit_transaction(worker, task)) return true;
            gas_.add(task.tx->gas_limit);
            break;
        case TaskKind::end_block:
            end_block(worker, task);
            break;
    }
    objects_.add(task.object_count);
    return false;
}

/// The task has been committed: tells those who wait for it.
void Committer::close(Worker& worker, Task& task) {
    if (has_attempt(task.state.load(std::memory_order_relaxed)))
        worker.give_back(*task.attempt, attempts_);
    if (scheduler_.is_commit_awaited(task)) committed_.settle_fees();
    scheduler_.committed(worker.index, task);
}

void Committer::begin_block(Worker& worker, Task& task) {
    BlockRun& block = *task.block;
    if (is_over() || block.header_error.has_value()) return;
    // Roots of intermediate states are roots of the sink's, with changes.
    if (block.env.revision < Revision::byzantium && block.mode != BlockMode::witness)
        finisher_.catch_up(worker);
    // Of a partial state there is no root, and so none of receipts that carry such roots.
    const bool has_roots =
        block.mode != BlockMode::witness || block.env.revision >= Revision::byzantium;
    block.leaves.receipts.begin(block.block.transactions.capacity(), has_roots);
    block.execution.reserve(block.block.transactions.capacity());
    committed_.begin_in_order(block.changes, make_stamp_in_order(task.position));
    vm::BlockContext context{.header = block.block.header,
                             .env = block.env,
                             .config = world_->config,
                             .block_hashes = hashes_,
                             .access_list = access_list_making(options_)};
    if (options_.record_sets) context.recorder = &block.object_sets;
    if (has_roots)
        context.state_root = [this] { return world_->sink.state_root_with(committed_.diff()); };
    if (auto result = block.execution.begin(context, committed_, worker.evm); !result.has_value())
        block.execution_error = std::move(result).error();
}

bool Committer::fits_block(const Task& task) noexcept {
    const BlockRun& block = *task.block;
    return vm::check_room(*task.tx, block.execution.left(), block.env.revision).has_value();
}

bool Committer::commit_transaction(Worker& worker, Task& task) {
    BlockRun& block = *task.block;
    if (keeps_back_) {
        Returning returning{*this, worker};
        scheduler_.its_turn(worker.index, task, returning);
    }
    const TaskState state = task.state.load(std::memory_order_relaxed);
    speculation_.forfeit(task);
    if (is_over() || block.execution_error.has_value()) {
        cancel(task);
        return false;
    }
    const std::uint64_t lost_gas = std::exchange(task.lost_gas, 0);
    block.wasted_gas += lost_gas;
    if (has_attempt(state)) {
        Attempt& attempt = *task.attempt;
        committed_.begin(block.changes, task.stamp());
        AccountCell* by = nullptr;
        if (fits_block(task)) {
            by = committed_.overtaken_by(attempt, {*task.tx, *task.upfront_cost});
            if (by == nullptr) {
                const RunTrace trace(observer_, worker.index, task, RunTrace::Kind::accepted);
                committed_.apply(attempt);
                speculation_.accepted(task, attempt);
                speculation_.committed(task, attempt.outcome.executed_gas, attempt.ticks);
                // Of an account that is read, a set names two objects at least.
                set_credit_.pay(2 * attempt.accounts.size() + attempt.slots.size());
                block.worked_ticks += attempt.worked_ticks;
                accept(worker, block, attempt.outcome);
                return false;
            }
        }
        drop(worker, task, by);
        if (repair(worker, task)) return true;
        worker.repaired.add();
    } else if (state == TaskState::in_order) {
        worker.in_order.add();
    } else {
        speculation_.lost(task, task.overtaken_by);
        if (lost_gas != 0 && task.overtaken_by == nullptr) speculation_.ended();
    }
    run_in_order(worker, task);
    return false;
}

/// Nobody will know whether the attempt would have held. After stop() that is nobody's fault; what
/// follows a wrong block is lost, as somebody may send one after the other.
void Committer::cancel(Task& task) {
    if (has_failed_ || task.block->execution_error.has_value() || finisher_.has_rejected())
        speculation_.lost(task, nullptr);
    else
        speculation_.put_back(task);
}

/// The attempt does not hold.
void Committer::drop(Worker& worker, Task& task, AccountCell* by) {
    committed_.withdraw(*task.attempt, task.stamp(), window_.dispatched());
    const std::uint64_t gas = task.attempt->outcome.executed_gas;
    worker.wasted_gas.add(gas);
    task.block->wasted_gas += gas;
    speculation_.note_lost(task, task.attempt->ticks);
    speculation_.lost(task, by);
    task.drawn_gas = 0;
}

/// The attempt was overtaken and has been withdrawn. Its buffers stay the task's while it is run in
/// order, so that the scheduler is told of one attempt as of another.
bool Committer::repair(Worker& worker, Task& task) {
    if (scheduler_.overtaken(task) == Repair::in_order || !speculation_.begin_another(task))
        return false;
    worker.give_back(*std::exchange(task.attempt, nullptr), attempts_);
    task.state.store(TaskState::waiting, std::memory_order_release);
    return true;
}

void Committer::run_in_order(Worker& worker, Task& task) {
    const TaskState state = task.state.load(std::memory_order_relaxed);
    const RunTrace trace(observer_, worker.index, task,
                         has_attempt(state) ? RunTrace::Kind::repaired : RunTrace::Kind::in_order);
    BlockRun& block = *task.block;
    committed_.begin_in_order(block.changes, make_stamp_in_order(task.position));
    // One that does not recover is left to validate(), which knows what to say of it.
    if (!task.tx->sender.has_value()) task.tx->sender = recover_sender(*task.tx);
    // Nothing has to be checked afterwards.
    worker.evm.record_accesses(options_.record_sets);
    const std::int64_t began = StreamAtomics::ticks();
    const auto run = block.execution.run(*task.tx, worker.evm, worker.outcome);
    worker.evm.record_accesses(true);
    const std::int64_t ticks = StreamAtomics::ticks() - began;
    if (!run.has_value()) {
        block.execution_error =
            transaction_error(block.block.header, task.index, *task.tx, run.error(), committed_);
        return;
    }
    worker.in_order_gas.add(worker.outcome.executed_gas);
    speculation_.committed(task, worker.outcome.executed_gas, ticks);
    set_credit_.pay(objects_in(worker.outcome.diff));
    block.worked_ticks += ticks;
    committed_.apply(worker.outcome.diff);
    accept(worker, block, worker.outcome);
}

void Committer::accept(Worker& worker, BlockRun& block, vm::Outcome& outcome) {
    if (outcome.deferred_fee.has_value())
        committed_.credit_fee(*block.beneficiary, *outcome.deferred_fee, block.env.revision);
    block.execution.accept(outcome);
    const std::vector<Receipt>& receipts = block.execution.result().receipts;
    prefetch_for_write(&receipts.back() + kAhead);
    count(block, held_bytes(receipts.back()) - sizeof(Receipt));  // which has been counted
    if (block.leaves.receipts.are_needed())
        block.leaves.receipts.add(receipts.size() - 1, receipts.back());
    publish_receipts(worker, block, false);
}

void Committer::count(BlockRun& block, std::size_t bytes) noexcept {
    block.bytes.made += bytes;
    made_bytes_.add(bytes);
}

void Committer::publish_receipts(Worker& worker, BlockRun& block, bool is_last) {
    if (!block.leaves.receipts.are_needed()) return;
    leaves_.publish(block.leaves, block.execution.receipts(), is_last, worker.leaf);
}

void Committer::end_block(Worker& worker, Task& task) {
    BlockRun& block = *task.block;
    committed_.settle_fees();  // while the block that they belong to is there
    const bool is_short = block.is_small || block.block.transactions.size() <= kFewTransactions;
    if (!is_over() && !block.header_error.has_value()) run_end(worker, task);
    if (block.header_error.has_value() || block.execution_error.has_value()) has_failed_ = true;
    finisher_.end(block);
    if (is_short) return finisher_.run(worker);
    parking_.notify_any();
}

void Committer::run_end(Worker& worker, Task& task) {
    BlockRun& block = *task.block;
    publish_receipts(worker, block, true);
    if (block.execution_error.has_value()) return;
    committed_.begin_in_order(block.changes, make_stamp_in_order(task.position));
    // An access list is made by the finisher, beside the next block.
    auto result = block.execution.end_without_list(vm::ending_of(block.block, block.env.revision),
                                                   worker.evm);
    if (!result.has_value()) {
        block.execution_error = std::move(result).error();
        return;
    }
    block.diff = committed_.diff();
    count(block, held_bytes(block.diff) + held_bytes(block.object_sets.sets()));
}

}  // namespace heddle::executor
