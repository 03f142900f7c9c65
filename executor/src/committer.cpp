// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "committer.hpp"

#include <optional>
#include <utility>

#include <vm/block.hpp>
#include <vm/validate.hpp>

#include "rejection.hpp"

namespace heddle::executor {

namespace {

/// How long the dispatching thread waits for the role that it wants: some dozens of microseconds.
constexpr unsigned kPatience = 1000;
/// The end of a block with so few transactions is not worth waking somebody for.
constexpr std::size_t kFewTransactions = 16;

}  // namespace

Committer::Committer(const Options& options, Window& window, VersionedState& state,
                     InFlightHashes& hashes, AttemptPool& attempts, LeafHasher& leaves,
                     BlockFinisher& finisher, CommitListener& listener)
    : options_(options),
      window_(window),
      hashes_(hashes),
      attempts_(attempts),
      leaves_(leaves),
      finisher_(finisher),
      listener_(listener),
      committed_(state) {}

void Committer::attach(const World& world) {
    world_.emplace(world);
    committed_.forget();
    has_failed_ = false;
}

bool Committer::is_committable() const noexcept {
    const std::uint64_t position = window_.committed();
    if (position >= window_.dispatched()) return false;
    return window_.at(position).state.load(std::memory_order_acquire) != TaskState::waiting;
}

void Committer::run(Worker& worker) {
    do {
        if (is_taken_.exchange(true, std::memory_order_acq_rel)) return;
        bool has_moved = false;
        while (is_committable() && !is_wanted_.load(std::memory_order_relaxed)) {
            const std::uint64_t position = window_.committed();
            commit(worker, window_.at(position));
            // Once the window has moved, the task is the dispatcher's.
            window_.set_committed(position + 1);
            has_moved = true;
        }
        if (has_moved) window_.announce_committed();
        is_taken_.exchange(false, std::memory_order_acq_rel);
        if (has_moved) listener_.on_progress();
    } while (is_committable() && !is_wanted_.load(std::memory_order_relaxed));
}

void Committer::run_first(Worker& worker) {
    if (is_taken_.load(std::memory_order_relaxed)) {
        is_wanted_.store(true, std::memory_order_relaxed);
        for (unsigned i = 0; i < kPatience && is_taken_.load(std::memory_order_relaxed); ++i)
            pause_briefly();
        is_wanted_.store(false, std::memory_order_relaxed);
    }
    run(worker);
}

void Committer::commit(Worker& worker, Task& task) {
    switch (task.kind) {
        case TaskKind::begin_block:
            begin_block(worker, task);
            break;
        case TaskKind::transaction:
            commit_transaction(worker, task);
            gas_.add(task.tx->gas_limit);
            objects_.add(task.object_count);
            break;
        case TaskKind::end_block:
            end_block(worker, task);
            break;
    }
    const auto make_ready = [&](DagNode& node) {
        listener_.make_ready(worker, static_cast<Task&>(node));
    };
    // Who attempted the task has closed the first stack already.
    if (task.state.load(std::memory_order_relaxed) == TaskState::attempted)
        worker.give_back(*task.attempt, attempts_);
    else
        task.close(DagNode::Event::complete, make_ready);
    if (task.is_awaited(DagNode::Event::commit)) committed_.settle_fees();
    task.close(DagNode::Event::commit, make_ready);
}

void Committer::begin_block(Worker& worker, Task& task) {
    BlockRun& block = *task.block;
    if (is_over() || block.header_error.has_value()) return;
    // Roots of intermediate states are roots of the sink's, with changes.
    if (block.env.revision < Revision::byzantium && block.mode != BlockMode::witness)
        finisher_.catch_up(worker);
    const bool has_receipts_root =
        block.mode != BlockMode::witness || block.env.revision >= Revision::byzantium;
    block.assembler.begin(block.env, block.block.transactions.capacity(), has_receipts_root);
    block.assembler.leave_hashing();
    committed_.begin_in_order(block, make_stamp(task.position, 1));
    if (auto result = vm::begin_block(block.block.header, block.env, world_->config, hashes_,
                                      worker.evm, committed_);
        !result.has_value())
        block.execution_error = std::move(result).error();
}

void Committer::commit_transaction(Worker& worker, Task& task) {
    BlockRun& block = *task.block;
    if (is_over() || block.execution_error.has_value()) return;
    if (task.state.load(std::memory_order_relaxed) == TaskState::attempted) {
        Attempt& attempt = *task.attempt;
        const Stamp stamp = make_stamp(task.position, 0);
        const vm::BlockGas left = block.assembler.left();
        committed_.begin(block, stamp);
        if (task.tx->gas_limit <= left.gas &&
            attempt.outcome.receipt.blob_gas_used <= left.blob_gas && committed_.is_valid(task)) {
            committed_.apply(attempt);
            accept(worker, block, attempt.outcome);
            return;
        }
        withdraw(attempt, stamp);
        worker.repaired.add();
    } else if (task.state.load(std::memory_order_relaxed) == TaskState::in_order) {
        worker.in_order.add();
    }
    run_in_order(worker, task);
}

void Committer::run_in_order(Worker& worker, Task& task) {
    BlockRun& block = *task.block;
    committed_.begin_in_order(block, make_stamp(task.position, 1));
    // One that does not recover is left to validate(), which knows what to say of it.
    if (!task.tx->sender.has_value()) task.tx->sender = recover_sender(*task.tx);
    const auto valid = vm::validate(*task.tx, committed_, block.env, block.assembler.left());
    if (!valid.has_value()) {
        block.execution_error =
            transaction_error(block.block.header, task.index, *task.tx, valid.error(), committed_);
        return;
    }
    // Nothing has to be checked afterwards.
    worker.evm.record_accesses(options_.record_sets);
    vm::transition(committed_, hashes_, block.env, *valid, worker.evm, worker.outcome);
    worker.evm.record_accesses(true);
    committed_.apply(worker.outcome.diff);
    accept(worker, block, worker.outcome);
}

void Committer::accept(Worker& worker, BlockRun& block, vm::Outcome& outcome) {
    if (outcome.deferred_fee.has_value())
        committed_.credit_fee(*block.beneficiary, *outcome.deferred_fee, block.env.revision);
    if (options_.record_sets) {
        std::optional<Address> paid;
        if (outcome.deferred_fee.has_value()) paid = block.env.beneficiary;
        block.object_sets.push_back(outcome.accesses.object_set(paid));
    }
    // EIP-658 put the status in place of the root. Of a partial state there is no root.
    std::optional<Hash> post_state;
    if (block.env.revision < Revision::byzantium && block.mode != BlockMode::witness)
        post_state = world_->sink.state_root_with(committed_.diff());
    block.assembler.add(std::move(outcome.receipt), post_state);
    publish_receipts(worker, block, false);
}

void Committer::publish_receipts(Worker& worker, BlockRun& block, bool is_last) {
    if (!block.assembler.needs_receipts_root()) return;
    if (leaves_.publish(block, LeafKind::receipt, block.assembler.receipts().size(), is_last,
                        worker.leaf))
        listener_.on_work_aside();
}

void Committer::end_block(Worker& worker, Task& task) {
    BlockRun& block = *task.block;
    committed_.settle_fees();  // while the block that they belong to is there
    const bool is_short = block.is_small || block.block.transactions.size() <= kFewTransactions;
    if (!is_over() && !block.header_error.has_value()) run_end(worker, task);
    if (block.header_error.has_value() || block.execution_error.has_value()) has_failed_ = true;
    finisher_.end(block);
    if (is_short) return finisher_.run(worker);
    listener_.on_work_aside();
}

void Committer::run_end(Worker& worker, Task& task) {
    BlockRun& block = *task.block;
    publish_receipts(worker, block, true);
    if (block.execution_error.has_value()) return;
    committed_.begin_in_order(block, make_stamp(task.position, 1));
    auto result = vm::end_block(block.block.header, block.block.ommers, block.block.withdrawals,
                                block.assembler.receipts(), block.env, world_->config, hashes_,
                                worker.evm, committed_);
    if (!result.has_value()) {
        block.execution_error = std::move(result).error();
        return;
    }
    block.requests = *std::move(result);
    block.diff = committed_.diff();
}

}  // namespace heddle::executor
