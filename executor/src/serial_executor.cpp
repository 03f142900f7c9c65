// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "serial_executor.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <types/assert.hpp>
#include <types/expected.hpp>

#include <vm/validate.hpp>

#include "proposal.hpp"
#include "rejection.hpp"
#include "stopwatch.hpp"

namespace heddle::executor {

namespace {

vm::EvmOptions evm_options(const Options& options) {
    vm::EvmOptions result;
    result.engine = options.interpreter == Interpreter::fast ? vm::Engine::fast : vm::Engine::plain;
    result.tracer = options.tracer;
    result.code_cache = options.code_cache;
    result.decode_gas_per_byte = vm::kDecodeGasPerByte;
    result.record_accesses = options.record_sets;
    return result;
}

}  // namespace

SerialExecutor::SerialExecutor(Options options)
    : options_(std::move(options)), evm_(evm_options(options_)) {}

void SerialExecutor::start(const World& world, ChainHead head) {
    world_.emplace(world);
    tip_ = ChainTip{std::move(head)};
    summary_ = tip_.summary();
    error_.reset();
    is_stopped_.store(false, std::memory_order_relaxed);
    is_in_block_ = false;
    state_.attach(world_->state);
}

bool SerialExecutor::is_halted() const noexcept {
    return error_.has_value() || is_stopped_.load(std::memory_order_relaxed);
}

std::expected<void, BlockError> SerialExecutor::begin_block(BlockStart block) {
    HEDDLE_ASSERT(world_.has_value() && !is_in_block_);
    if (is_halted()) return std::unexpected(halted_error(block.header.number));
    is_in_block_ = true;
    mode_ = block.mode;
    encoded_size_bytes_ = block.encoded_size_bytes;
    block_.header = std::move(block.header);
    block_.ommers = std::move(block.ommers);
    block_.withdrawals = std::move(block.withdrawals);
    block_.transactions.clear();
    block_.transactions.reserve(block.transaction_count);
    return {};
}

void SerialExecutor::submit(Transaction tx, std::optional<ObjectSet> /*objects*/) {
    HEDDLE_ASSERT(is_in_block_);
    block_.transactions.push_back(std::move(tx));
}

void SerialExecutor::end_block() {
    HEDDLE_ASSERT(is_in_block_);
    is_in_block_ = false;
    if (is_halted()) return;
    if (auto result = run_block(); !result.has_value()) error_ = std::move(result).error();
}

std::expected<Summary, BlockError> SerialExecutor::drain() {
    HEDDLE_ASSERT(!is_in_block_);
    if (error_.has_value()) return std::unexpected(*error_);
    return summary_;
}

void SerialExecutor::stop() noexcept {
    is_stopped_.store(true, std::memory_order_relaxed);
}

std::expected<void, BlockError> SerialExecutor::run_block() {
    Stopwatch watch;
    Timing timing;
    if (mode_ == BlockMode::propose && tip_.parent() != nullptr)
        block_.header.number = tip_.parent()->header.number + 1;
    const bool is_merged = vm::is_merged(block_.header, tip_.total_difficulty(), world_->config);
    HEDDLE_CHECK(prepare(is_merged));
    timing.verification_ns += watch.lap();

    recover_senders();
    timing.recovery_ns = watch.lap();

    const BlockEnv env = vm::make_block_env(block_.header, world_->config, is_merged);
    HEDDLE_TRY(const std::vector<Bytes> requests, execute(env));
    StateDiff diff = state_.diff();
    timing.execution_ns = watch.lap();

    HEDDLE_CHECK(conclude(requests));
    timing.verification_ns += watch.lap();
    return commit(std::move(diff), timing, watch);
}

std::expected<void, BlockError> SerialExecutor::prepare(bool is_merged) {
    if (mode_ == BlockMode::witness)
        return vm::validate_body_roots(block_, world_->config, is_merged);
    const Ancestor* parent = tip_.parent();
    HEDDLE_ASSERT(parent != nullptr);
    if (mode_ == BlockMode::propose) {
        prepare_proposal(block_, *parent, world_->config, is_merged);
    } else if (block_.header.parent_hash != parent->hash) {
        return std::unexpected(unknown_parent_error(block_.header, parent->hash));
    }
    HEDDLE_CHECK(vm::validate_header(block_.header, parent->header, world_->config, is_merged));
    return vm::validate_body(block_, tip_.ancestors(), world_->config, is_merged,
                             encoded_size_bytes_);
}

void SerialExecutor::recover_senders() {
    // One that does not recover is left to validate(), which knows what to say of it.
    for (Transaction& tx : block_.transactions)
        if (!tx.sender.has_value()) tx.sender = recover_sender(tx);
}

std::expected<std::vector<Bytes>, BlockError> SerialExecutor::execute(const BlockEnv& env) {
    const bool has_receipts_root =
        mode_ != BlockMode::witness || env.revision >= Revision::byzantium;
    assembler_.begin(env, block_.transactions.size(), has_receipts_root);
    object_sets_.clear();
    HEDDLE_CHECK(
        vm::begin_block(block_.header, env, world_->config, world_->block_hashes, evm_, state_));
    for (std::size_t i = 0; i < block_.transactions.size(); ++i)
        HEDDLE_CHECK(execute_transaction(env, i));
    return vm::end_block(block_.header, block_.ommers, block_.withdrawals, assembler_.receipts(),
                         env, world_->config, world_->block_hashes, evm_, state_);
}

std::expected<void, BlockError> SerialExecutor::execute_transaction(const BlockEnv& env,
                                                                    std::size_t index) {
    const Transaction& tx = block_.transactions[index];
    const auto valid = vm::validate(tx, state_, env, assembler_.left());
    if (!valid.has_value())
        return std::unexpected(transaction_error(block_.header, index, tx, valid.error(), state_));
    vm::transition(state_, world_->block_hashes, env, *valid, evm_, outcome_);
    state_.apply(outcome_.diff);
    if (options_.record_sets) object_sets_.push_back(outcome_.accesses.object_set());

    // EIP-658 put the status in place of the root. Of a partial state there is no root.
    std::optional<Hash> post_state;
    if (env.revision < Revision::byzantium && mode_ != BlockMode::witness)
        post_state = world_->sink.state_root_with(state_.diff());
    assembler_.add(std::move(outcome_.receipt), post_state);
    return {};
}

std::expected<void, BlockError> SerialExecutor::conclude(const std::vector<Bytes>& requests) {
    if (mode_ == BlockMode::propose) {
        assembler_.fill(block_.header, requests);
        return {};
    }
    return assembler_.check(block_.header, requests);
}

std::expected<void, BlockError> SerialExecutor::commit(StateDiff diff, Timing& timing,
                                                       Stopwatch& watch) {
    BlockHeader header = block_.header;
    const std::size_t transaction_count = block_.transactions.size();
    std::vector<Hash> ommers;
    std::ranges::transform(block_.ommers, std::back_inserter(ommers), header_hash);

    FinishedBlock finished;
    finished.block = std::move(block_);
    finished.receipts = assembler_.take_receipts();
    finished.diff = std::move(diff);
    finished.object_sets = std::move(object_sets_);
    finished.check_state_root = mode_ == BlockMode::import;
    HEDDLE_TRY(const Hash state_root, world_->sink.commit(std::move(finished)));
    state_.accept();
    if (mode_ == BlockMode::propose) header.state_root = state_root;
    timing.commit_ns = watch.lap();

    const Hash hash = header_hash(header);
    tip_.extend(header, hash, std::move(ommers));
    timing.verification_ns += watch.lap();

    summary_.stats.blocks += 1;
    summary_.stats.transactions += transaction_count;
    summary_.stats.gas_used += header.gas_used;
    summary_.stats.timing += timing;
    summary_.head_number = header.number;
    summary_.head_hash = hash;
    summary_.state_root = header.state_root;
    if (options_.on_block) options_.on_block(BlockReport{header, hash, transaction_count, timing});
    return {};
}

std::unique_ptr<Executor> make_serial_executor(Options options) {
    return std::make_unique<SerialExecutor>(std::move(options));
}

}  // namespace heddle::executor
