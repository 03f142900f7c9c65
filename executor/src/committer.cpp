// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "committer.hpp"

#include <algorithm>
#include <utility>

#include <types/assert.hpp>
#include <types/expected.hpp>
#include <types/ordered_root.hpp>

#include <vm/block.hpp>
#include <vm/validate.hpp>

#include "rejection.hpp"

namespace heddle::executor {

void hash_leaf(Task& task, OrderedLeaf& leaf) {
    encode_transaction(*task.tx, leaf.start());
    task.block->transaction_leaves[task.index] = leaf.finish();
}

Committer::Committer(const Options& options, Window& window, VersionedState& state,
                     InFlightHashes& hashes, AttemptPool& attempts, CommitListener& listener)
    : options_(options),
      window_(window),
      hashes_(hashes),
      attempts_(attempts),
      listener_(listener),
      committed_(state) {}

void Committer::attach(const World& world, ChainHead head) {
    world_.emplace(world);
    tip_ = ChainTip{std::move(head)};
    summary_ = tip_.summary();
    error_.reset();
    blocks_.clear();
    committed_.forget();
    is_halted_.store(false, std::memory_order_relaxed);
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
        while (is_committable()) {
            const std::uint64_t position = window_.committed();
            commit(worker, window_.at(position));
            // Once the window has moved, the task is the dispatcher's.
            window_.set_committed(position + 1);
            has_moved = true;
        }
        if (has_moved) window_.announce_committed();
        is_taken_.exchange(false, std::memory_order_acq_rel);
        if (has_moved) listener_.on_progress();
    } while (is_committable());
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
    if (is_halted() || block.header_error.has_value()) return;
    const bool has_receipts_root =
        block.mode != BlockMode::witness || block.env.revision >= Revision::byzantium;
    block.assembler.begin(block.env, block.block.transactions.capacity(), has_receipts_root);
    committed_.begin_in_order(block, make_stamp(task.position, 1));
    if (auto result = vm::begin_block(block.block.header, block.env, world_->config, hashes_,
                                      worker.evm, committed_);
        !result.has_value())
        block.execution_error = std::move(result).error();
}

void Committer::commit_transaction(Worker& worker, Task& task) {
    BlockRun& block = *task.block;
    if (is_halted() || block.execution_error.has_value()) {
        block.has_all_leaves = false;
        return;
    }
    if (task.state.load(std::memory_order_relaxed) == TaskState::attempted) {
        Attempt& attempt = *task.attempt;
        const Stamp stamp = make_stamp(task.position, 0);
        const vm::BlockGas left = block.assembler.left();
        committed_.begin(block, stamp);
        if (task.tx->gas_limit <= left.gas &&
            attempt.outcome.receipt.blob_gas_used <= left.blob_gas && committed_.is_valid(task)) {
            committed_.apply(attempt);
            accept(block, attempt.outcome);
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
    if (task.state.load(std::memory_order_relaxed) != TaskState::attempted) hash_leaf(task, leaf_);
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
    accept(block, worker.outcome);
}

void Committer::accept(BlockRun& block, vm::Outcome& outcome) {
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
}

void Committer::add_block(std::shared_ptr<BlockRun> block) {
    const std::lock_guard guard(blocks_mutex_);
    blocks_.push_back(std::move(block));
}

std::expected<void, BlockError> Committer::check_body(const BlockRun& block) const {
    std::span<const NodeReference> leaves;
    if (block.has_all_leaves)
        leaves = std::span{block.transaction_leaves}.first(block.block.transactions.size());
    if (block.mode == BlockMode::witness)
        return vm::validate_body_roots(block.block, world_->config, block.is_merged, leaves);
    return vm::validate_body(block.block, tip_.ancestors(), world_->config, block.is_merged,
                             block.encoded_size_bytes, leaves);
}

void Committer::end_block(Worker& worker, Task& task) {
    std::shared_ptr<BlockRun> owned;
    {
        const std::lock_guard guard(blocks_mutex_);
        HEDDLE_ASSERT(!blocks_.empty() && blocks_.front().get() == task.block);
        owned = std::move(blocks_.front());
        blocks_.erase(blocks_.begin());
    }
    BlockRun& block = *owned;
    committed_.settle_fees();  // while the block that they belong to is there
    if (is_halted()) return;
    if (block.header_error.has_value()) return reject(*block.header_error);

    std::vector<Bytes> requests;
    if (!block.execution_error.has_value()) {
        committed_.begin_in_order(block, make_stamp(task.position, 1));
        auto result = vm::end_block(block.block.header, block.block.ommers, block.block.withdrawals,
                                    block.assembler.receipts(), block.env, world_->config, hashes_,
                                    worker.evm, committed_);
        if (result.has_value())
            requests = *std::move(result);
        else
            block.execution_error = std::move(result).error();
    }
    // Blocks overlap: what passed before the last one ended is that one's.
    block.timing.execution_ns = std::min(block.watch.lap(), watch_.lap());
    if (auto result = check_body(block); !result.has_value())
        return reject(std::move(result).error());
    if (block.execution_error.has_value()) return reject(*block.execution_error);
    if (auto result = conclude(block, requests); !result.has_value())
        return reject(std::move(result).error());
    block.timing.verification_ns = block.watch.lap();
    if (auto result = hand_over(block, committed_.diff()); !result.has_value())
        return reject(std::move(result).error());
}

std::expected<void, BlockError> Committer::conclude(BlockRun& block,
                                                    const std::vector<Bytes>& requests) {
    if (block.mode == BlockMode::propose) {
        block.assembler.fill(block.block.header, requests);
        return {};
    }
    return block.assembler.check(block.block.header, requests);
}

std::expected<void, BlockError> Committer::hand_over(BlockRun& block, StateDiff diff) {
    BlockHeader header = block.block.header;
    const std::size_t transaction_count = block.block.transactions.size();
    std::vector<Hash> ommers;
    std::ranges::transform(block.block.ommers, std::back_inserter(ommers), header_hash);

    FinishedBlock finished;
    finished.block = std::move(block.block);
    finished.receipts = block.assembler.take_receipts();
    finished.diff = std::move(diff);
    finished.object_sets = std::move(block.object_sets);
    finished.check_state_root = block.mode == BlockMode::import;
    HEDDLE_TRY(const Hash state_root, world_->sink.commit(std::move(finished)));
    if (block.mode == BlockMode::propose) {
        header.state_root = state_root;
        block.hash = header_hash(header);
    }
    hashes_.remove(header.number);
    tip_.extend(header, block.hash, std::move(ommers));
    block.timing.commit_ns = block.watch.lap();
    (void)watch_.lap();

    summary_.stats.blocks += 1;
    summary_.stats.transactions += transaction_count;
    summary_.stats.gas_used += header.gas_used;
    summary_.stats.timing += block.timing;
    summary_.head_number = header.number;
    summary_.head_hash = block.hash;
    summary_.state_root = header.state_root;
    if (options_.on_block)
        options_.on_block(BlockReport{header, block.hash, transaction_count, block.timing});
    return {};
}

void Committer::reject(BlockError error) {
    error_ = std::move(error);
    halt();
}

}  // namespace heddle::executor
